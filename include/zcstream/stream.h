/* SPDX-License-Identifier: MIT */
/* A stream: captures from a source, processes on the context's devices, returns results in order.
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

/* Threads: one at a time. The library has no thread that runs a stream: zcs_stream_next runs it. */
typedef struct zcs_stream zcs_stream;

#define ZCS_MAX_DEVICES 16
#define ZCS_MAX_CUSTOM 8
#define ZCS_MAX_CHAINS 16

enum zcs_depth { ZCS_DEPTH_AUTO = 0, ZCS_DEPTH_8 = 8, ZCS_DEPTH_16 = 16 };

/* How work is spread over devices. All modes give the same bits, in capture order. A device that
 * fails is removed, and the remaining devices process its frames again. The stream fails when no
 * device is left. */
enum zcs_dispatch {
    /* By frame: each frame goes to the device with the fewest frames in flight. */
    ZCS_DISPATCH_FRAMES,
    /* Row split: all devices share the rows of each frame. A chain that ends with a custom stage
     * runs on one device. */
    ZCS_DISPATCH_BANDS,
    /* Pipeline: each device runs a part of the chain, with equal estimated cost. A chain with too
     * few steps leaves devices idle; the log says so. */
    ZCS_DISPATCH_RELAY,
    /* Fan-out: each frame goes to several chains; see zcs_stream_params.chains. */
    ZCS_DISPATCH_BROADCAST,
};

/* What happens if frames arrive faster than they are processed. Frames of a source that is not live
 * always wait. */
enum zcs_policy {
    ZCS_POLICY_WAIT,        /* capture waits; a driver may then lose frames, which are counted */
    ZCS_POLICY_DROP_NEWEST, /* new frames are dropped while all frame contexts are busy */
    ZCS_POLICY_LATEST,      /* the newest waiting frame is processed, older ones are dropped */
};

/* How zcs_stream_next waits for a GPU, which wakes no thread. The host backend's workers do. */
enum zcs_wait {
    ZCS_WAIT_AUTO,  /* spins for 1 ms, then as BLOCK */
    ZCS_WAIT_SPIN,  /* lowest latency; occupies a core */
    ZCS_WAIT_YIELD, /* the same, but yields the core to other threads */
    ZCS_WAIT_BLOCK, /* polls every 100 us */
};

/* The memory kind of slots. WC: write-combined, or ZCS_ERR_UNSUPPORTED. CACHED: memory that the CPU
 * reads fast; on the host backend this is ordinary pageable memory. */
enum zcs_memory_policy { ZCS_MEMORY_POLICY_AUTO, ZCS_MEMORY_POLICY_WC, ZCS_MEMORY_POLICY_CACHED };

/* The pixels of a custom stage: GREY/Y16, SRGGB.. 8/16, RGBA32 or RGBA64. */
struct zcs_view {
    void *data;
    size_t stride_bytes;
    uint32_t width;  /* pixels */
    uint32_t height; /* pixels */
    enum zcs_pixfmt format;
};

/* A stage of the application. The chain names it like any other stage. `in` and `out` are whole
 * images with the same layout; they do not overlap. */
struct zcs_custom_stage {
    const char *name; /* [a-z][a-z0-9_]*, not the name of a built-in stage */
    void *user;
    /* Writes rows [first, last) of `out` and may read all of `in`. The host backend's workers call
     * it, several at the same time with different rows. Any status but ZCS_OK fails the frame with
     * ZCS_ERR_DEVICE. NULL: CUDA only. */
    zcs_status (*host_fn)(void *user, const struct zcs_view *in, const struct zcs_view *out,
                          uint32_t first, uint32_t last);
    /* Enqueues the same work for all rows on a cudaStream_t. The views hold device addresses. The
     * thread in zcs_stream_next calls it. NULL: host backend only. */
    zcs_status (*cuda_fn)(void *user, const struct zcs_view *in, const struct zcs_view *out,
                          void *cuda_stream);
};

struct zcs_stream_params {
    /* The chain as text, see zcs_stage_info. NULL: the default for the source's format. "none":
     * unpack only. */
    const char *stages;
    /* Bits of a sample in the result. Samples of results always fill this range: 10-bit sensor
     * codes become 0..65535, also with "none". AUTO: 16 if the result is sensor data or linear and
     * has more than 8 bits, else 8. */
    enum zcs_depth depth;
    const struct zcs_custom_stage *custom; /* copied; `stages` may contain these names */
    uint32_t custom_count;
    uint32_t devices[ZCS_MAX_DEVICES]; /* device indices; a device listed twice counts as two */
    uint32_t device_count;             /* 0: all devices of the context */
    enum zcs_dispatch dispatch;
    enum zcs_route route;
    enum zcs_memory_policy memory;
    enum zcs_wait wait;
    /* 1: results stay in device memory and have no host address. Needs one CUDA device, the
     * context's first. */
    int device_results;
    /* 1: a persistent kernel stays on each GPU and reserves three quarters of its multiprocessors,
     * up to 200 ms after the last frame. cudaFree and similar calls may wait up to 500 ms. A device
     * that cannot run it processes frames in the ordinary way; the statistics say why. */
    int low_latency;
    enum zcs_policy policy;
    /* Frames between driver and kernels; 0: 4. Fewer if memory or the number of frames limits it.
     * At most 256, as in_flight, results and tap_frames. */
    uint32_t slots;
    /* Frames in flight on each device. 0: 2, or 1 (the persistent kernel) if low_latency reserves
     * any device. */
    uint32_t in_flight;
    uint32_t results; /* results that the application may hold besides those in flight; 0: 4 */
    uint64_t skip;    /* frames to skip first; they are not losses */
    uint64_t every;   /* then take every Nth frame; 0: 1 */
    uint64_t frames;  /* end after this number of results; 0: no limit */
    /* Called for every captured frame before it is processed, on the thread in zcs_stream_next. It
     * may keep references to tap_frames frames; slots are added for them. With a tap, AUTO memory
     * is readable by the CPU. NULL: none. */
    void (*tap)(void *user, const struct zcs_frame *captured);
    void *tap_user;
    uint32_t tap_frames;
    /* For BROADCAST, instead of `stages`: 1 to ZCS_MAX_CHAINS chains. Chain i runs on the devices
     * at positions i, i + chain_count, ... of the list; if the list is shorter, at position i
     * modulo device_count. Each frame gives one result per chain, in the order of the chains.
     * in_flight and results apply to each chain. */
    const char *const *chains;
    uint32_t chain_count;
};

/* The source belongs to the same context. This call checks the chain against the source's format.
 * ZCS_ERR_FORMAT: the text is malformed, or a stage does not fit. ZCS_ERR_NOMEM: the message names
 * the bytes. ZCS_ERR_UNSUPPORTED: this backend lacks the dispatch, route or memory kind. Failures
 * are logged with the position. `params` may be NULL. */
zcs_status zcs_stream_create(zcs_context *ctx, zcs_source *source,
                             const struct zcs_stream_params *params,
                             zcs_stream **out) ZCS_MUST_CHECK;

/* Captures, submits and completes frames until a result is ready. ZCS_AGAIN: none within timeout_ns
 * (0: do not wait, < 0: no limit), or the application holds all results, or a signal handler ran.
 * The time limit also holds while frames are skipped, dropped or lost; a call works for 5 ms at
 * least. A signal is noticed while the call sleeps, so callers that handle signals give a limit.
 * Without one, ZCS_AGAIN also means that for a second the source only lost frames, without sleep.
 * ZCS_EOF: the source ended. Failures are terminal for the stream. After ZCS_ERR_FORMAT the
 * camera's signal has a new size (see zcs_source_image); create a new stream on the same source to
 * go on. */
zcs_status zcs_stream_next(zcs_stream *stream, int64_t timeout_ns,
                           const struct zcs_frame **out) ZCS_MUST_CHECK;

/* For poll and epoll. Readable when zcs_stream_next may make progress; initially readable. The
 * stream owns it. Frames cost fewer system calls if this function is never called. */
int zcs_stream_fd(const zcs_stream *stream);

/* Takes no more frames. zcs_stream_next returns the frames in flight, then ZCS_EOF. */
void zcs_stream_stop(zcs_stream *stream);

/* Whether kernels see what a camera driver wrote into write-combined slots through another mapping.
 * The freshness check compares what the GPU reads before and after a flush of the CPU's caches, for
 * the first frames. If they differ, the frame is lost as stale, and the stream switches to cached
 * slots. */
enum zcs_freshness {
    ZCS_FRESHNESS_NOT_NEEDED, /* no other mapping, or the GPU snoops the CPU's caches */
    ZCS_FRESHNESS_CHECKING,   /* no stale frame so far */
    ZCS_FRESHNESS_FRESH,      /* no checked frame was stale */
    ZCS_FRESHNESS_STALE,      /* a frame was stale; slots are cached memory since then */
    ZCS_FRESHNESS_UNKNOWN,    /* needed, but this device or processor cannot check */
};

/* "not_needed", "checking", "fresh", "stale", "unknown". Static storage. */
const char *zcs_freshness_name(enum zcs_freshness freshness);

/* One device of the stream. */
struct zcs_stream_device {
    uint32_t index;  /* in the context */
    int lost;        /* 1: it failed and was removed */
    uint64_t frames; /* results that it worked on */
};

/* All counters only grow. captured = processed + lost[ERROR] of processing + lost[POLICY] + skipped
 * + in flight. Driver gaps, short and stale frames are not captured frames. A broadcast frame is
 * processed when all its chains are. */
struct zcs_stream_stats {
    uint64_t captured;
    uint64_t skipped;
    uint64_t processed;
    uint64_t lost[ZCS_LOSS_COUNT];
    uint64_t cpu_bytes_copied; /* sum over processed frames */
    enum zcs_path path;
    enum zcs_route route;
    const char *route_reason; /* static storage, or owned by the stream */
    enum zcs_memory memory;   /* of the slots */
    enum zcs_freshness freshness;
    uint32_t fresh_frames;          /* frames that the freshness check examined */
    int64_t fresh_ns;               /* time of these checks, in total */
    uint32_t slots;                 /* slots allocated */
    uint32_t in_flight;             /* frame contexts allocated */
    uint32_t reserved_sms;          /* multiprocessors reserved by low_latency, on all devices */
    const char *low_latency_reason; /* why a device reserves none; NULL: all do, or not requested */
    struct zcs_image image;         /* of results; broadcast: of the first chain */
    uint32_t device_count;
    uint32_t devices_lost;
    struct zcs_stream_device devices[ZCS_MAX_DEVICES];
    uint64_t redone; /* frames processed again after a device failed */
};
void zcs_stream_stats(const zcs_stream *stream, struct zcs_stream_stats *out);

/* The layout of a chain's results; without broadcast there is chain 0 only. ZCS_ERR_ARG: no such
 * chain. */
zcs_status zcs_stream_image(const zcs_stream *s, uint32_t chain,
                            struct zcs_image *out) ZCS_MUST_CHECK;

/* Waits for frames in flight. Accepts NULL content, sets NULL. Results may outlive the stream. */
void zcs_stream_destroy(zcs_stream **stream);

/* One key of a stage. */
struct zcs_stage_key {
    const char *name;
    const char *values;        /* accepted values, for display: "0..65535", "bilinear|mhc" */
    const char *default_value; /* used if the chain gives none */
    const char *help;
};
struct zcs_stage_info {
    const char *name;
    const char *help;
    const struct zcs_stage_key *keys;
    uint32_t key_count;
};

/* The built-in stages by index; NULL past the last. Static storage. Any thread. A chain is a list
 * of stages joined by commas. A stage is name, name=value (its first key),
 * name:key=value:key=value, or a mix of these:
 * "levels:low=17899:high=19192,black=64:white=1000,flip=v". Spaces around a stage are ignored. */
const struct zcs_stage_info *zcs_stage_info(uint32_t index);

/* Checks the syntax only, not whether the chain fits a format. Custom stage names are unknown here.
 * On failure `message` (may be NULL) receives one line that names the position. Any thread. */
zcs_status zcs_stage_parse(const char *text, char *message, size_t message_bytes) ZCS_MUST_CHECK;

/* A format's default chain as text; "none" for compressed ones. Static storage. Any thread. */
const char *zcs_stage_default(enum zcs_pixfmt format);

#ifdef __cplusplus
}
#endif
#endif
