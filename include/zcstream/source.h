/* SPDX-License-Identifier: MIT */
/* Where frames come from. A source belongs to one thread at a time, except zcs_source_push. */
#ifndef ZCSTREAM_SOURCE_H
#define ZCSTREAM_SOURCE_H

#include "zcstream/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zcs_source zcs_source;

/* Why a frame that was there, or should have been, did not become a result. */
enum zcs_loss {
    ZCS_LOSS_DRIVER_GAP, /* a gap in the driver's sequence numbers */
    ZCS_LOSS_ERROR,      /* the driver flagged it, or processing it failed */
    ZCS_LOSS_SHORT,      /* fewer bytes than the format needs */
    ZCS_LOSS_STALE,      /* the slot still held what was there before */
    ZCS_LOSS_POLICY,     /* dropped by the stream's policy, because processing fell behind */
    ZCS_LOSS_WRITER,     /* dropped by the application, because writing fell behind or failed */
    ZCS_LOSS_AWAY,       /* the camera was away: so many as its rate would have had meanwhile */
    ZCS_LOSS_COUNT
};

/* "driver_gap", "error", "short", "stale", "policy", "writer", "away". */
const char *zcs_loss_name(enum zcs_loss loss);

struct zcs_source_info {
    const char *kind; /* "replay", "pattern", "push", "v4l2" */
    struct zcs_image image;
    uint64_t frames;           /* to expect; 0: unknown or endless */
    uint32_t fps_num, fps_den; /* 0/0: no rate */
    int live;                  /* 1: frames come at their own time and do not wait */
    enum zcs_path path;        /* of the latest frame; ZCS_PATH_NONE before the first */
    const char *path_reason; /* why that path and no shorter one; static storage or the source's */
    uint64_t lost[ZCS_LOSS_COUNT];
    uint64_t first_sequence; /* of a recording's first frame; else 0 */
    const char
        *recorded_from; /* what its recorder said; NULL elsewhere; the source's, as the next */
    const char *recorded_text;
};

/* Frames from files: recordings (.zcr), Y4M, PGM, PPM, PNG, `v4l2-ctl --stream-to-hdr`, and raw pixels,
 * told apart by their first bytes. What a file says of itself may be asked for as well; where that
 * contradicts it is ZCS_ERR_ARG. Grey PGM and PNG may be told to be other codes of as many bytes; a PGM
 * whose greatest value is not one of all bits is scaled to 8 or 16 bits otherwise. Many files are of one kind and
 * size; an empty one among them is a lost frame. */
struct zcs_replay_params {
    const char *path;       /* a file of frames back to back; a directory, whose files are taken in
                                  the order of their names, numbers in them by value: f2 before f10; a
                                  pattern with one %u or %0Nu, counted from its first existing number;
                                  "-" is standard input. A file there, of which nothing was read, is
                                  read as that file is, unless it is given as raw frames: from its
                                  begin, on a path that may be `direct`; the descriptor stays where
                                  it is. */
    enum zcs_pixfmt format; /* NONE, and 0x0: as the file says; raw frames need both, and a pipe */
    uint32_t width, height; /* that is given both is taken for raw frames */
    size_t stride_bytes;    /* of plane 0; 0: the least */
    uint32_t shift;         /* 16-bit samples are shifted left by so many bits */
    uint32_t bits;          /* significant bits; 0: the format's */
    struct zcs_color color; /* AUTO members: as the file says, else by V4L2's rules */
    uint32_t fps_num, fps_den; /* gives frames their time: n * den / num; 0/0: as the file says */
    int pace;                  /* 1: deliver at these times, as a camera would; needs some */
    uint32_t loops;            /* times to play; 0: once; UINT32_MAX: for ever. Not for pipes. */
    const char *inject;        /* faults as zcs_inject_parse takes them; NULL: none */
};

/* Drawn frames. Any uncompressed format. */
struct zcs_pattern_params {
    const char *name;       /* "bars" (NULL too), "ramp", "zone", "square" */
    enum zcs_pixfmt format; /* NONE: YUYV */
    uint32_t width, height; /* 0: 640x480 */
    size_t stride_bytes;
    struct zcs_color color;
    uint32_t fps_num, fps_den;
    int pace;
    uint64_t frames; /* 0: endless */
    const char *inject;
};

/* A camera. What is asked for and not kept by the driver is an error that names both; a rate is a wish,
 * and the driver's is what zcs_source_info tells. */
struct zcs_v4l2_params {
    const char *device;     /* "/dev/video0" */
    enum zcs_pixfmt format; /* NONE: the driver's present one, see docs/live-capture.md */
    uint32_t width, height; /* 0: the driver's choice */
    size_t stride_bytes;    /* of plane 0; 0: the driver's choice */
    uint32_t fps_num, fps_den;
    struct zcs_color color;   /* AUTO members: what the driver reports */
    enum zcs_pixfmt treat_as; /* for cameras that announce another format than they send: how the
                                 driver's buffers are read; NONE: as it says */
    int accept_nearest;       /* 1: what the driver gives instead is a warning */
    const char *input;        /* by name or number, "HDMI 0"; NULL: the present one */
    uint32_t crop_x, crop_y, crop_width, crop_height; /* of the sensor; 0x0: as it is */
    enum zcs_path
        path; /* the only one allowed: USERPTR, DMABUF, REGISTERED, COPIED; NONE: the shortest
                           that the driver takes */
    int64_t
        stall_ns; /* silence after which streaming is restarted, once, before the camera is given
                           up; 0: 30 frame periods, at least 2 s; < 0: never */
    const char *const
        *controls; /* "NAME=VALUE", set in this order, those that turn the picture before
                                    the format: see zcs_control_set */
    uint32_t control_count;
    int64_t
        reconnect_ns; /* how long a camera that was unplugged, or given up, is waited for: the same
                             one, known by its serial number or else its plug; then format, rate and
                             buffers are as before. 0: it ends the source */
};

/* Frames from memory of the caller, such as another camera SDK's buffers. */
struct zcs_push_params {
    struct zcs_image image;    /* from zcs_image_init; every frame has this layout */
    uint32_t queue;            /* frames that may wait; 0: 4 */
    uint32_t fps_num, fps_den; /* for information; 0/0: unknown */
};

/* All: on failure nothing is left open. Text in params is copied. ZCS_ERR_IO and ZCS_ERR_FORMAT are
 * logged with the name and both numbers where two disagree. ZCS_ERR_UNSUPPORTED: not in this build, or
 * a compressed format. */
zcs_status zcs_source_open_replay(zcs_context *ctx, const struct zcs_replay_params *params,
                                  zcs_source **out) ZCS_MUST_CHECK;
zcs_status zcs_source_open_pattern(zcs_context *ctx, const struct zcs_pattern_params *params,
                                   zcs_source **out) ZCS_MUST_CHECK;
zcs_status zcs_source_open_push(zcs_context *ctx, const struct zcs_push_params *params,
                                zcs_source **out) ZCS_MUST_CHECK;
zcs_status zcs_source_open_v4l2(zcs_context *ctx, const struct zcs_v4l2_params *params,
                                zcs_source **out) ZCS_MUST_CHECK;

/* Checks a text of injected faults, for trying an application against a bad camera:
 * "drop=5%,error=1%,short=1%,stall=200ms,gone=100,seed=7", each optional. The first three are shares of
 * the frames, which are lost with these causes; each 30th frame (stall=200ms/N: each N-th) is held back;
 * after so many the source ends with ZCS_ERR_GONE. The same seed loses the same frames. On
 * ZCS_ERR_FORMAT `message` (may be NULL) gets one line that names the place. Any thread. */
zcs_status zcs_inject_parse(const char *text, char *message, size_t message_bytes) ZCS_MUST_CHECK;

/* The NULL-terminated names of the patterns, the first the default. Any thread. */
const char *const *zcs_pattern_names(void);

/* The layout that frames of this source have. */
void zcs_source_image(const zcs_source *source, struct zcs_image *out);

/* `lost` and `path` are as of the last zcs_source_next or zcs_stream_next. */
void zcs_source_info(const zcs_source *source, struct zcs_source_info *out);

/* The next frame as captured, for use without a stream; the first call makes the source's slots (8, of
 * role INGEST_CACHED). ZCS_AGAIN: nothing within timeout_ns (0: do not wait, < 0: for ever), or all
 * slots are referenced. ZCS_ERR_ARG: a stream has this source. */
zcs_status zcs_source_next(zcs_source *source, int64_t timeout_ns,
                           const struct zcs_frame **out) ZCS_MUST_CHECK;

/* Accepts NULL content, sets NULL. A stream must be destroyed before its source. Frames outlive it. */
void zcs_source_close(zcs_source **source);

/* Metadata of one pushed frame. */
struct zcs_push_meta {
    uint64_t sequence;
    int64_t time_ns;
    enum zcs_clock clock;
    size_t bytes_used; /* 0: the image's size; fewer is a short frame: counted and released */
};

/* Called exactly once for each pushed frame, when nothing reads its memory any more: on the thread that
 * drops the last reference, or inside push or close. Must not call back into the library. */
typedef void (*zcs_release_fn)(void *user, void *memory);

/* Hands over image.size_bytes at `memory`; no copy is made where it can be registered (see memory.h). The
 * memory must not change until `release` (may be NULL) is called. Any one thread, also another than the
 * stream's. ZCS_AGAIN: the queue is full, or the memory overlaps that of a frame in flight; it stays the
 * caller's, as on any failure. */
zcs_status zcs_source_push(zcs_source *source, void *memory, const struct zcs_push_meta *meta,
                           zcs_release_fn release, void *user) ZCS_MUST_CHECK;

/* No more frames will come: the stream ends once the queue is empty. Any thread. */
void zcs_source_push_end(zcs_source *source);

#ifdef __cplusplus
}
#endif
#endif
