/* SPDX-License-Identifier: MIT */
/* Frame sources: files, patterns, cameras, pushed memory. */
#ifndef ZCSTREAM_SOURCE_H
#define ZCSTREAM_SOURCE_H

#include "zcstream/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Threads: one at a time, except zcs_source_push and zcs_source_push_end. */
typedef struct zcs_source zcs_source;

/* Why an expected frame did not become a result. */
enum zcs_loss {
    ZCS_LOSS_DRIVER_GAP, /* a gap in the driver's sequence numbers */
    ZCS_LOSS_ERROR,      /* the driver flagged an error, or processing failed */
    ZCS_LOSS_SHORT,      /* fewer bytes than the format needs */
    ZCS_LOSS_STALE,      /* the slot still held its previous content */
    ZCS_LOSS_POLICY,     /* dropped by the stream's policy: processing fell behind */
    ZCS_LOSS_WRITER,     /* dropped by the application: writing fell behind or failed */
    ZCS_LOSS_AWAY,       /* the camera was disconnected: estimated from its rate */
    ZCS_LOSS_COUNT
};

/* "driver_gap", "error", "short", "stale", "policy", "writer", "away". Static storage. */
const char *zcs_loss_name(enum zcs_loss loss);

struct zcs_source_info {
    const char *kind; /* "replay", "pattern", "push", "v4l2" */
    struct zcs_image image;
    uint64_t frames;  /* expected number; 0: unknown or endless */
    uint32_t fps_num; /* frame rate; 0/0: none */
    uint32_t fps_den;
    int live;                /* 1: frames arrive at their own time and do not wait */
    enum zcs_path path;      /* of the latest frame; ZCS_PATH_NONE before the first */
    const char *path_reason; /* why no shorter path; static storage, or owned by the source */
    uint64_t lost[ZCS_LOSS_COUNT];
    uint64_t first_sequence;   /* of a recording's first frame; else 0 */
    const char *recorded_from; /* the origin a recording names, else NULL; owned by the source */
    const char *recorded_text; /* the text of a recording, else NULL; owned by the source */
};

/* Frames from files: recordings (.zcr), Y4M, PGM, PPM, PNG, the files of `v4l2-ctl
 * --stream-to-hdr`, and raw pixels. The first bytes of a file tell which kind it is. Parameters may
 * repeat what the file says; a contradiction is ZCS_ERR_ARG. Grey PGM and PNG data can be
 * reinterpreted as another format of the same sample size. A PGM whose maximum is not 2^n - 1 is
 * scaled to 8 or 16 bits unless it is reinterpreted. The files of one source have the same kind and
 * size. An empty file among them is a lost frame. */
struct zcs_replay_params {
    /* One of:
     *   a file with one or more frames back to back;
     *   a directory: its files by name, with numbers compared by value (f2 before f10);
     *   a pattern with one %u or %0Nu, counted from the first existing number;
     *   "-": standard input. Standard input redirected from a file, at offset 0, is reopened as
     *   that file, so that its path may be `direct`; its own file offset does not move. This does
     *   not apply to raw frames. */
    const char *path;
    /* NONE, with size 0x0: as the file says. Headerless raw frames need format and size. A pipe
     * with both is read as raw frames. */
    enum zcs_pixfmt format;
    uint32_t width;
    uint32_t height;
    size_t stride_bytes;    /* of plane 0; 0: the minimum */
    uint32_t shift;         /* left shift of samples in 16-bit words, in bits */
    uint32_t bits;          /* significant bits; 0: the format's */
    struct zcs_color color; /* AUTO members: as the file says, else by V4L2's rules */
    uint32_t fps_num;       /* frame n has time n * den / num; 0/0: as the file says */
    uint32_t fps_den;
    int pace;           /* 1: deliver frames at their times, as a camera would; needs times */
    uint32_t loops;     /* how often to play; 0: once; UINT32_MAX: for ever. Not for pipes */
    const char *inject; /* faults in the syntax of zcs_inject_parse; NULL: none */
    /* Of headerless raw frames: bytes before the first frame (in each file), and before and after
     * every frame, which are not used. If any is set, files and pipes are read as raw frames
     * without a look at their first bytes. The last frame may lack the bytes after it. */
    uint64_t offset_bytes;
    uint32_t frame_header_bytes;
    uint32_t frame_footer_bytes;
    /* Of raw frames and of v4l2-ctl's files: the layout of the planes, and what differs from it. */
    enum zcs_layout layout;
    size_t chroma_stride_bytes[ZCS_MAX_PLANES - 1]; /* of planes 1 and 2; 0: the layout's */
    size_t plane_offset_bytes[ZCS_MAX_PLANES];      /* in the frame; 0: after the plane before */
};

/* Drawn frames, in any uncompressed format. */
struct zcs_pattern_params {
    const char *name;       /* "bars" (also NULL), "ramp", "zone", "square" */
    enum zcs_pixfmt format; /* NONE: YUYV */
    uint32_t width;         /* size 0x0: 640x480 */
    uint32_t height;
    size_t stride_bytes; /* of plane 0; 0: the minimum */
    struct zcs_color color;
    uint32_t fps_num;
    uint32_t fps_den;
    int pace;
    uint64_t frames;    /* 0: endless */
    const char *inject; /* as in zcs_replay_params */
};

/* A camera. If the driver does not accept a requested value, the call fails, and the message names
 * both values. Only the frame rate is a preference: zcs_source_info reports the driver's rate. */
struct zcs_v4l2_params {
    const char *device;     /* "/dev/video0" */
    enum zcs_pixfmt format; /* NONE: the driver's current one; see docs/live-capture.md */
    uint32_t width;         /* size 0x0: the driver's choice */
    uint32_t height;
    size_t stride_bytes; /* of plane 0; 0: the driver's choice */
    uint32_t fps_num;    /* 0/0: the driver's choice */
    uint32_t fps_den;
    struct zcs_color color; /* AUTO members: as the driver reports */
    /* Reads buffers in this format, for cameras that announce a wrong one. NONE: off. */
    enum zcs_pixfmt treat_as;
    int accept_nearest; /* 1: accept the driver's choice with a warning instead of failing */
    const char *input;  /* name or number, "HDMI 0"; NULL: the current input */
    uint32_t crop_x;    /* crop rectangle of the sensor; 0x0: unchanged */
    uint32_t crop_y;
    uint32_t crop_width;
    uint32_t crop_height;
    /* Allow only USERPTR, DMABUF, REGISTERED or COPIED. NONE: the shortest path that works. */
    enum zcs_path path;
    /* The camera is stalled after this time without a good frame. Streaming is then restarted once.
     * At the next stall another path is tried, if frames come and this path never gave a good one;
     * else the source ends. 0: 30 frame periods, at least 2 s. < 0: never. */
    int64_t stall_ns;
    /* "NAME=VALUE", set in this order (see zcs_control_set). Flips and rotations are set before the
     * format. */
    const char *const *controls;
    uint32_t control_count;
    /* How long to wait for a camera that was unplugged or failed. The same camera must come back:
     * the library compares the serial number, else the port. Format, rate and buffers are then as
     * before. 0: the source ends. */
    int64_t reconnect_ns;
};

/* Frames in the caller's memory, for example the buffers of a camera SDK. */
struct zcs_push_params {
    struct zcs_image image; /* from zcs_image_init; every frame has this layout */
    uint32_t queue;         /* frames that may wait; 0: 4 */
    uint32_t fps_num;       /* for information; 0/0: unknown */
    uint32_t fps_den;
};

/* On failure, all of these leave nothing open. Strings in params are copied. ZCS_ERR_IO and
 * ZCS_ERR_FORMAT are logged with the file name, and with both values if two disagree.
 * ZCS_ERR_UNSUPPORTED: not in this build, or a compressed format. */
zcs_status zcs_source_open_replay(zcs_context *ctx, const struct zcs_replay_params *params,
                                  zcs_source **out) ZCS_MUST_CHECK;
zcs_status zcs_source_open_pattern(zcs_context *ctx, const struct zcs_pattern_params *params,
                                   zcs_source **out) ZCS_MUST_CHECK;
zcs_status zcs_source_open_push(zcs_context *ctx, const struct zcs_push_params *params,
                                zcs_source **out) ZCS_MUST_CHECK;
zcs_status zcs_source_open_v4l2(zcs_context *ctx, const struct zcs_v4l2_params *params,
                                zcs_source **out) ZCS_MUST_CHECK;

/* Checks the syntax of injected faults, which simulate a bad camera:
 * "drop=5%,error=1%,short=1%,stall=200ms,gone=100,seed=7", each optional. drop, error and short are
 * percentages of frames, which are lost with that cause. stall delays every 30th frame
 * (stall=200ms/N: every Nth). gone=N ends the source with ZCS_ERR_GONE after N frames. The same
 * seed loses the same frames. ZCS_ERR_FORMAT: `message` (may be NULL) receives one line that names
 * the position. Any thread. */
zcs_status zcs_inject_parse(const char *text, char *message, size_t message_bytes) ZCS_MUST_CHECK;

/* The pattern names, NULL-terminated; the first is the default. Static storage. Any thread. */
const char *const *zcs_pattern_names(void);

/* The layout of this source's frames. */
void zcs_source_image(const zcs_source *source, struct zcs_image *out);

/* `lost` and `path` are those of the last zcs_source_next or zcs_stream_next. */
void zcs_source_info(const zcs_source *source, struct zcs_source_info *out);

/* The next captured frame, for use without a stream. The first call allocates the slots: 8, of role
 * INGEST_CACHED. ZCS_AGAIN: no frame within timeout_ns (0: do not wait, < 0: no limit), or all
 * slots are referenced, or a signal handler ran; see zcs_stream_next. ZCS_ERR_ARG: a stream uses
 * this source. */
zcs_status zcs_source_next(zcs_source *source, int64_t timeout_ns,
                           const struct zcs_frame **out) ZCS_MUST_CHECK;

/* Accepts NULL content, sets NULL. Destroy the stream before its source. Frames may outlive the
 * source. */
void zcs_source_close(zcs_source **source);

/* Metadata of one pushed frame. */
struct zcs_push_meta {
    uint64_t sequence;
    int64_t time_ns;
    enum zcs_clock clock;
    size_t bytes_used; /* 0: the size of the image; fewer: a short frame, counted and released */
};

/* Called exactly once for each pushed frame, when nothing reads its memory any more. The calling
 * thread is the one that drops the last reference, or one inside zcs_source_push or
 * zcs_source_close. It must not call the library. */
typedef void (*zcs_release_fn)(void *user, void *memory);

/* Hands over image.size_bytes at `memory`, without a copy where the memory can be registered (see
 * memory.h). The memory must not change until the library calls `release` (may be NULL). Threads:
 * any one thread, also another than the stream's. ZCS_AGAIN: the queue is full, or the memory
 * overlaps that of a frame in flight. On ZCS_AGAIN and on failure the caller keeps the memory. */
zcs_status zcs_source_push(zcs_source *source, void *memory, const struct zcs_push_meta *meta,
                           zcs_release_fn release, void *user) ZCS_MUST_CHECK;

/* Announces that no more frames follow. The stream ends when the queue is empty. Any thread. */
void zcs_source_push_end(zcs_source *source);

#ifdef __cplusplus
}
#endif
#endif
