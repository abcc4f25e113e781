/* SPDX-License-Identifier: MIT */
/* One file or pipe of frames: which kind it is, what it says of itself, and where its frames are.
 *
 *   open: kind, `says` --> the caller settles the image --> expect: `frames` --> find, read, find, read ...
 *
 * Kinds are told apart by the first bytes, never by the name. */
#ifndef ZCI_SOURCE_REPLAY_MEDIA_H
#define ZCI_SOURCE_REPLAY_MEDIA_H

#include "core/zcr.h"
#include "source/replay/foreign.h"
#include "source/replay/replay_read.h"
#include "source/request.h"

struct zci_media;

/* Where the next frame is, and what is recorded of it. */
struct zci_place {
    uint64_t offset; /* in the file; of a pipe: from the frame's header on */
    size_t bytes;    /* in the file; 0: the frame is not whole */
    int stamped;     /* `sequence` to `flags` are recorded */
    uint64_t sequence;
    int64_t time_ns;
    enum zcs_clock clock;
    uint32_t flags;
};

struct zci_media_ops {
    const char *name; /* for messages: "Y4M" */
    int on_pipes;     /* 1: can be read from a pipe */
    /* Whether `bytes` at a file's begin are this kind's. */
    int (*is)(const uint8_t *data, size_t bytes);
    /* Fills in what the file says. NULL: nothing. Logged. */
    zcs_status (*open)(struct zci_media *m, int64_t deadline_ns);
    /* The image is settled: fills in `frames` and `rest_bytes` of a file. Logged. */
    zcs_status (*count)(struct zci_media *m);
    /* Frame `n`; of a pipe the next one, the same until it was read. ZCS_EOF: there is none. */
    zcs_status (*find)(struct zci_media *m, uint64_t n, int64_t deadline_ns, struct zci_place *out);
    /* NULL: the bytes at the place, then what `fix` says. ZCS_ERR_FORMAT: not whole; logged as a
     * warning, and the next frame may be. */
    zcs_status (*read)(struct zci_media *m, struct zci_slot *slot);
    /* Of a PNM or a Y4M: the bytes before frame `n` at `data`; as zci_y4m_frame. `payload` gets those
     * behind. */
    int (*frame_head)(struct zci_media *m, const uint8_t *data, size_t bytes, size_t *payload,
                      char *why, size_t why_bytes);
};

/* What is done to the bytes of a frame once they are in its slot. */
enum zci_fix {
    ZCI_FIX_NONE,
    ZCI_FIX_SWAP,    /* big-endian words become little-endian */
    ZCI_FIX_SCALE8,  /* samples up to `max` become 0..255 */
    ZCI_FIX_SCALE16, /* big-endian words up to `max` become such up to 65535 */
    ZCI_FIX_EXPAND,  /* three big-endian words a pixel up to `max` become four little-endian ones */
    ZCI_FIX_GAPS,    /* numbers between the planes are closed up */
};

struct zci_media {
    const struct zci_media_ops *ops;
    const struct zci_log *log;
    struct zci_replay_reader reader;
    struct zci_request says; /* format NONE: nothing */
    struct zcs_image layout; /* a recording's own; else format NONE */
    uint32_t code_bytes;     /* 1, 2: bytes of samples that may be told to be other codes; 0: not */
    uint32_t max;            /* a PNM's greatest value */
    uint32_t fps_num, fps_den;
    struct zci_foreign foreign; /* of what is raw for want of a better word */
    const char *remark;         /* for the log, static; NULL: none */
    char *source, *text;        /* a recording's; may be NULL */
    struct zcs_image image;     /* settled */
    enum zci_fix fix;
    uint64_t frames;              /* of a pipe: UINT64_MAX */
    uint64_t rest_bytes;          /* behind the last whole frame */
    uint64_t first;               /* offset where the first frame's header begins */
    uint64_t at_frame, at_offset; /* the walk's place, from frame to frame */
    int placed;                   /* of a pipe: `place` is the frame to be read */
    struct zci_place place;
    struct zci_zcr_record *records; /* a recording's */
};

/* Nothing open; what zci_media_close leaves. */
static inline struct zci_media zci_no_media(const struct zci_log *log)
{
    return (struct zci_media){.log = log, .reader = {.fd = -1, .log = log}};
}

/* Opens the file or pipe `name`, which stays the caller's, and finds out its kind. `is_stdin`: standard input is it,
 * whatever its name. `raw`: a pipe is taken for raw frames without looking. On failure, logged, m is to be closed all the same. */
zcs_status zci_media_open(struct zci_media *m, const char *name, int is_pipe, int is_stdin,
                          int raw);
void zci_media_close(struct zci_media *m);

/* Warns where the settled file begins like one of another kind. */
void zci_media_doubt(const struct zci_media *m);

/* The image that frames of `m` have where `asked` is asked for; sets m->image and m->fix. A
 * contradiction is ZCS_ERR_ARG, logged with both. */
zcs_status zci_media_settle(struct zci_media *m, const struct zci_request *asked);

/* As that, to be the same kind with the same image as `first` has; an empty file always is, without frames.
 * ZCS_ERR_FORMAT: logged with both. */
zcs_status zci_media_follow(struct zci_media *m, const struct zci_media *first);

/* Bytes of one frame in the file, without headers before it. */
size_t zci_media_frame_bytes(const struct zci_media *m);

/* 1 where the CPU changes frames in their slots. */
int zci_media_touches(const struct zci_media *m);

/* The frame at `place` into the slot, its host, path and cpu_bytes_copied. As zci_replay_read, and
 * ZCS_ERR_FORMAT as ops->read. */
zcs_status zci_media_read(struct zci_media *m, const struct zci_place *place, int64_t deadline_ns,
                          struct zci_slot *slot);

extern const struct zci_media_ops zci_media_raw, zci_media_vhdr, zci_media_y4m, zci_media_pnm,
    zci_media_zcr, zci_media_png;

#endif
