/* SPDX-License-Identifier: MIT */
/* A stream: captures from a source, processes on the context's devices, gives results in order.
 *
 *     zcs_stream *stream = NULL;
 *     const struct zcs_frame *frame = NULL;
 *     if (zcs_stream_create(ctx, source, NULL, &stream) == ZCS_OK)
 *         while (zcs_stream_next(stream, -1, &frame) == ZCS_OK) {
 *             use(frame->host, frame->image.stride_bytes[0]);
 *             zcs_frame_unref(&frame);
 *         }
 *     zcs_stream_destroy(&stream);
 */
#ifndef ZCSTREAM_STREAM_H
#define ZCSTREAM_STREAM_H

#include "zcstream/source.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Threads: one at a time. No thread of the library's runs a stream: zcs_stream_next does. */
typedef struct zcs_stream zcs_stream;

#define ZCS_MAX_DEVICES 16
#define ZCS_MAX_CUSTOM 8
#define ZCS_MAX_CHAINS 16

enum zcs_depth { ZCS_DEPTH_AUTO = 0, ZCS_DEPTH_8 = 8, ZCS_DEPTH_16 = 16 };

/* How frames are spread over devices; results are the same to the bit, and in the order of capture. A device
 * that fails is taken out and its frames are done again on those left; without any the stream fails. */
enum zcs_dispatch {
    ZCS_DISPATCH_FRAMES,    /* each to the least busy device */
    ZCS_DISPATCH_BANDS,     /* each frame's rows split over all devices; not where a stage of the
                                     application's ends the chain */
    ZCS_DISPATCH_RELAY,     /* the chain split over the devices where its estimated cost is even; a
                                     chain of too few steps leaves devices idle, which is logged */
    ZCS_DISPATCH_BROADCAST, /* each frame to several chains: zcs_stream_params.chains */
};

/* What happens when frames come faster than they are processed. For sources that are not live, frames
 * always wait. */
enum zcs_policy {
    ZCS_POLICY_WAIT,        /* capture waits; a driver may then lose frames, which is counted */
    ZCS_POLICY_DROP_NEWEST, /* new frames are dropped while every frame context is busy */
    ZCS_POLICY_LATEST, /* of the waiting frames the newest is processed, the others are dropped */
};

/* How zcs_stream_next waits for a GPU, which wakes nobody. The host backend's workers do wake it. */
enum zcs_wait {
    ZCS_WAIT_AUTO,  /* spins for a millisecond, then as BLOCK */
    ZCS_WAIT_SPIN,  /* the least latency; a core is busy */
    ZCS_WAIT_YIELD, /* the same, but others may have the core */
    ZCS_WAIT_BLOCK, /* looks every 100 us */
};

/* Of the slots. WC: that kind, or ZCS_ERR_UNSUPPORTED. CACHED: what the CPU reads fast; on the host backend that is
 * the pageable memory it has anyway. */
enum zcs_memory_policy { ZCS_MEMORY_POLICY_AUTO, ZCS_MEMORY_POLICY_WC, ZCS_MEMORY_POLICY_CACHED };

/* The pixels that a custom stage sees: GREY/Y16, SRGGB.. 8/16, RGBA32 or RGBA64. */
struct zcs_view {
    void *data;
    size_t stride_bytes;
    uint32_t width, height;
    enum zcs_pixfmt format;
};

/* A stage of the user's own, named in the chain like any other. `in` and `out` are whole images of the
 * same layout that do not overlap. */
struct zcs_custom_stage {
    const char *name; /* [a-z][a-z0-9_]*, no built-in stage's */
    void *user;
    /* Writes rows [first, last) of `out`; may read all of `in`. Called on the host backend's workers,
     * several at once with different rows. Anything but ZCS_OK fails the frame: ZCS_ERR_DEVICE. */
    zcs_status (*host_fn)(void *user, const struct zcs_view *in, const struct zcs_view *out,
                          uint32_t first, uint32_t last);
    /* Enqueues the same on a cudaStream_t; the views hold device addresses. Called on the thread in
     * zcs_stream_next. NULL where only the host backend is used, as host_fn where only CUDA is. */
    zcs_status (*cuda_fn)(void *user, const struct zcs_view *in, const struct zcs_view *out,
                          void *cuda_stream);
};

struct zcs_stream_params {
    const char *stages; /* the chain as text, see zcs_stage_info; NULL: the default for the source's
                                model; "none": unpack only */
    enum zcs_depth depth; /* AUTO: 16 where the result is sensor data or linear and has more than 8
                                significant bits, else 8 */
    const struct zcs_custom_stage *custom; /* copied; the names may appear in `stages` */
    uint32_t custom_count;
    uint32_t devices[ZCS_MAX_DEVICES]; /* device_count 0: all of the context's */
    uint32_t device_count;             /* a device listed twice counts as two */
    enum zcs_dispatch dispatch;
    enum zcs_route route;
    enum zcs_memory_policy memory;
    enum zcs_wait wait;
    int device_results; /* 1: results stay in device memory, for kernels: their host is NULL. On one
                                CUDA device, the context's first. */
    int low_latency; /* 1: a kernel stays on each GPU and holds three of four multiprocessors, up to
                                200 ms beyond a frame; cudaFree and its like may wait for 500 ms. Where
                                that cannot be, frames are run as ever; the statistics say why. */
    enum zcs_policy policy;
    uint32_t slots; /* frames between driver and kernels; 0: 4. Fewer are made where memory or
                                the source's frames do not suffice for more. At most 256, as in_flight,
                                results and tap_frames. */
    /* Frames a device works on at once. 0: 2, or 1, the quick one, if low_latency holds any device. */
    uint32_t in_flight;
    uint32_t results; /* result frames the application may hold besides those in flight; 0: 4 */
    uint64_t skip;    /* frames to pass over first; they are not losses */
    uint64_t every;   /* then take one of so many; 0: 1 */
    uint64_t frames;  /* results after which the stream ends; 0: no limit */
    /* Called on the thread in zcs_stream_next with every frame that was taken, as captured, before it is
     * processed. It may keep references: tap_frames of them are allowed for in the number of slots. With
     * a tap, AUTO gives slots that the CPU can read. NULL: none. */
    void (*tap)(void *user, const struct zcs_frame *captured);
    void *tap_user;
    uint32_t tap_frames;
    /* For BROADCAST, instead of `stages`: 1 to ZCS_MAX_CHAINS of them. Chain i runs on the devices at places
     * i, i + chain_count ... of the list, or, if it is shorter, at i modulo device_count. Each frame gives a
     * result of each chain, in their order. in_flight and results count for each chain. */
    const char *const *chains;
    uint32_t chain_count;
};

/* The source is one of the same context. The chain is checked against its format here. ZCS_ERR_FORMAT: the
 * text, or a stage that does not fit; ZCS_ERR_NOMEM names the bytes asked for; ZCS_ERR_UNSUPPORTED: a dispatch,
 * route or memory kind that this backend does not have. Logged with the place. `params` may be NULL. */
zcs_status zcs_stream_create(zcs_context *ctx, zcs_source *source,
                             const struct zcs_stream_params *params,
                             zcs_stream **out) ZCS_MUST_CHECK;

/* Captures, submits and completes until a result is there. ZCS_AGAIN: none within timeout_ns (0: do not
 * wait, < 0: for ever), or the application holds all results. ZCS_EOF: the source ended. Failures are
 * terminal for the stream; after ZCS_ERR_FORMAT a camera's signal has another size, which zcs_source_image tells,
 * and a further stream on its source goes on. Waits are ended early, with ZCS_AGAIN, by a signal handler of the application's. */
zcs_status zcs_stream_next(zcs_stream *stream, int64_t timeout_ns,
                           const struct zcs_frame **out) ZCS_MUST_CHECK;

/* Readable when zcs_stream_next may have something to do, and the first time that it is asked for in any case; for
 * poll and epoll, owned by the stream. Where nobody asks for it, frames cost fewer system calls. */
int zcs_stream_fd(const zcs_stream *stream);

/* No new frames are taken; zcs_stream_next delivers what is in flight, then ZCS_EOF. */
void zcs_stream_stop(zcs_stream *stream);

/* Whether kernels are sure to see what was written into write-combined slots through another mapping, as
 * camera drivers that copy do. The first frames are then looked at by the GPU before and after the CPU's
 * caches are flushed; if they differ, the frame is lost as stale and the stream goes over to cached
 * slots. */
enum zcs_freshness {
    ZCS_FRESHNESS_NOT_NEEDED, /* nobody writes through another mapping, or its caches are looked at */
    ZCS_FRESHNESS_CHECKING,   /* none was stale so far */
    ZCS_FRESHNESS_FRESH,      /* none of the frames checked was */
    ZCS_FRESHNESS_STALE,      /* one was; since then slots are cached memory */
    ZCS_FRESHNESS_UNKNOWN,    /* needed, but this device or processor cannot check */
};

/* "not_needed", "checking", "fresh", "stale", "unknown". */
const char *zcs_freshness_name(enum zcs_freshness freshness);

/* One of the stream's list of devices. */
struct zcs_stream_device {
    uint32_t index;  /* the context's */
    int lost;        /* 1: it failed and was taken out */
    uint64_t frames; /* results that it took part in */
};

/* All counters are monotonic. captured = processed + lost[ERROR of processing] + lost[POLICY] + skipped
 * + in flight; driver gaps, short and stale frames never count as captured. In a broadcast a frame is
 * processed when all its chains are. */
struct zcs_stream_stats {
    uint64_t captured, skipped, processed;
    uint64_t lost[ZCS_LOSS_COUNT];
    uint64_t cpu_bytes_copied; /* sum over processed frames */
    enum zcs_path path;
    enum zcs_route route;
    const char *route_reason; /* static storage or the stream's */
    enum zcs_memory memory;   /* of the slots */
    enum zcs_freshness freshness;
    uint32_t fresh_frames; /* checked for it ... */
    int64_t fresh_ns;      /* ... and what that took, all together */
    uint32_t slots;        /* made */
    uint32_t in_flight;
    uint32_t reserved_sms; /* multiprocessors that low_latency holds, on all devices together */
    const char
        *low_latency_reason; /* static: why a device holds none; NULL: not asked for, or all do */
    struct zcs_image image;  /* of results; of a broadcast, the first chain's */
    uint32_t device_count, devices_lost;
    struct zcs_stream_device devices[ZCS_MAX_DEVICES];
    uint64_t redone; /* frames done again after a device failed */
};
void zcs_stream_stats(const zcs_stream *stream, struct zcs_stream_stats *out);

/* What results of a broadcast's chain are; others have chain 0. ZCS_ERR_ARG: no such chain. */
zcs_status zcs_stream_image(const zcs_stream *s, uint32_t chain,
                            struct zcs_image *out) ZCS_MUST_CHECK;

/* Waits for what is in flight. Accepts NULL content, sets NULL. Results outlive it. */
void zcs_stream_destroy(zcs_stream **stream);

/* One key of a stage. */
struct zcs_stage_key {
    const char *name;
    const char *values;        /* what it takes, for people: "0..65535", "bilinear|mhc" */
    const char *default_value; /* the value where none is given */
    const char *help;
};
struct zcs_stage_info {
    const char *name;
    const char *help;
    const struct zcs_stage_key *keys;
    uint32_t key_count;
};

/* The built-in stages, in the table's order; NULL beyond the last. Static storage. Any thread.
 * A chain is stages joined by commas; a stage is name, name=value (its first key),
 * name:key=value:key=value, or mixed: "levels:low=17899:high=19192,black=64:white=1000,flip=v". Spaces
 * around a stage do not count. */
const struct zcs_stage_info *zcs_stage_info(uint32_t index);

/* Checks the text form alone, not against a format. On failure `message` (may be NULL) gets one line
 * that names the place. Custom names are not known here. Any thread. */
zcs_status zcs_stage_parse(const char *text, char *message, size_t message_bytes) ZCS_MUST_CHECK;

/* The default chain of a format as text; "none" for compressed ones. Static storage. Any thread. */
const char *zcs_stage_default(enum zcs_pixfmt format);

#ifdef __cplusplus
}
#endif
#endif
