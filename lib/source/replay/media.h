/* SPDX-License-Identifier: MIT */
/* One file or pipe of frames: its type, the image that it declares, and where its frames are.
 *
 *   open: type, declared image --> set_image: request merged, frames counted --> find, read ...
 *
 * The type is told by the first bytes, never by the name. */
#ifndef ZCI_SOURCE_REPLAY_MEDIA_H
#define ZCI_SOURCE_REPLAY_MEDIA_H

#include "core/zcr.h"
#include "source/replay/conversion.h"
#include "source/replay/reader.h"
#include "source/request.h"

/* What the first bytes of a file that cannot be decoded look like. */
struct zci_file_type {
    const char *name; /* "a JPEG"; NULL: unknown, perhaps raw frames */
    int is_text;      /* 1: printable text, which raw frames may look like too */
};

struct zci_media;

/* Bytes of a file of raw frames that are no pixels: before the first frame, and before and after
 * every frame. */
struct zci_framing {
    uint64_t offset;
    size_t header, footer;
};

static inline int zci_framing_is_set(const struct zci_framing *framing)
{
    return framing->offset != 0 || framing->header != 0 || framing->footer != 0;
}

/* A frame of the file: where its bytes are, and the sequence number and time recorded with it. */
struct zci_media_frame {
    uint64_t offset; /* in the file; of a pipe: the size of the header, which was read */
    size_t bytes;    /* in the file; 0: the frame is incomplete */
    int recorded;    /* `sequence` to `flags` are from a recording */
    uint64_t sequence;
    int64_t time_ns;
    enum zcs_clock clock;
    uint32_t flags;
};

/* Parses the header in `bytes` at `data`: returns its size; 0: it goes on beyond `bytes`; -1: `why`
 * says what is wrong. `*payload` is the number of bytes that follow it. */
typedef int (*zci_header_fn)(struct zci_media *m, const uint8_t *data, size_t bytes,
                             size_t *payload, char *why, size_t why_bytes);

struct zci_media_ops {
    const char *name; /* for messages: "Y4M" */
    int on_pipes;     /* 1: can be read from a pipe */
    /* Whether a file that starts with these bytes is of this type. */
    int (*is)(const uint8_t *data, size_t bytes);
    /* Fills in what the file declares. NULL: it declares nothing. Logged. */
    zcs_status (*open)(struct zci_media *m, int64_t deadline_ns);
    /* Called before `count` if the request says nothing of the rows: warns if those of the file
     * look different from m->image. NULL: the file declares them. Not for pipes. */
    void (*check_rows)(struct zci_media *m);
    /* Called when m->image is set: fills in `frames` and `trailing_bytes` of a file. Logged. */
    zcs_status (*count)(struct zci_media *m);
    /* Finds frame `n`. On a pipe that is the next frame, the same one until it is read. ZCS_EOF:
     * none. */
    zcs_status (*find)(struct zci_media *m, uint64_t n, int64_t deadline_ns,
                       struct zci_media_frame *out);
    /* Decodes the frame. NULL: its bytes are read and then converted. ZCS_ERR_FORMAT: corrupt;
     * logged as a warning, and the next frame may be good. */
    zcs_status (*read)(struct zci_media *m, struct zci_slot *slot);
    /* Parses the header before a frame; for zci_walk_count and zci_walk_find. */
    zci_header_fn frame_head;
};

#define ZCI_PROBE_BYTES 64u /* of the start of a file, to tell its type */

struct zci_media {
    const struct zci_media_ops *ops;
    const struct zci_log *log;
    struct zci_framing framing; /* set before zci_media_open; if it is set, the file is raw */
    struct zci_reader reader;
    struct zci_request declared; /* by the file; format NONE: nothing */
    struct zcs_image layout;     /* of a recording; else format NONE */
    /* 1, 2: bytes of a grey sample, which can be reinterpreted as another format; 0: not grey. */
    uint32_t code_bytes;
    uint32_t max; /* the maximum value in a PNM's header */
    uint32_t fps_num, fps_den;
    struct zci_file_type type; /* of a file that is read as raw: what it looks like */
    const char *note;          /* for the log, static; NULL: none */
    const char *interlaced;    /* of a Y4M: the order of the fields, static; NULL: not interlaced */
    char *source, *text;       /* of a recording; may be NULL */
    struct zcs_image image;    /* of the frames; set by zci_media_set_image and zci_media_match */
    enum zci_conversion conversion;
    uint64_t frames;              /* of a pipe: UINT64_MAX */
    int is_calculated;            /* `frames` is from the sizes: not each header was read */
    uint64_t trailing_bytes;      /* after the last whole frame */
    uint64_t unread_pictures;     /* of a PNG: in the file, but not read */
    uint64_t unused_bytes;        /* of a PNG: after the end of its first picture */
    uint64_t first;               /* offset of the first frame's header */
    uint64_t at_frame, at_offset; /* the frame that the header walk reads next, and its offset */
    int has_pipe_frame;           /* pipe_frame is valid */
    struct zci_media_frame pipe_frame; /* of a pipe: the frame whose header was read */
    uint64_t pipe_skip;             /* of a pipe: bytes before pipe_frame that are not read yet */
    struct zci_zcr_record *records; /* of a recording; else NULL */
};

/* Nothing open; what zci_media_close leaves. */
static inline struct zci_media zci_no_media(const struct zci_log *log,
                                            const struct zci_framing *framing)
{
    return (struct zci_media){.log = log, .framing = *framing, .reader = {.fd = -1, .log = log}};
}

/* Whether a file that starts with these bytes is of a type that states itself. */
int zci_media_is_known(const uint8_t *data, size_t bytes);

/* Opens the file or pipe `name`, which the caller keeps until close, and finds its type.
 * `is_stdin`: it is standard input, whatever its name. `raw`: a pipe is taken as raw frames without
 * a look. On failure, logged, the caller closes m all the same. */
zcs_status zci_media_open(struct zci_media *m, const char *name, int is_pipe, int is_stdin,
                          int raw);
void zci_media_close(struct zci_media *m);

/* Warns if a file read as raw frames looks like another type, or if a PNG has more than the picture
 * that is read. Call after zci_media_set_image. */
void zci_media_warn_type(const struct zci_media *m);

/* Logs the texts of a recording, line by line. */
void zci_media_log_texts(const struct zci_media *m);

/* Sets m->image and m->conversion from the declared image and the request, and counts the frames.
 * ZCS_ERR_ARG: they contradict each other; logged with both. */
zcs_status zci_media_set_image(struct zci_media *m, const struct zci_request *requested);

/* Sets the image of a further file, which must have the type and image of `first`, and counts its
 * frames. An empty file always matches; it has no frames. ZCS_ERR_FORMAT: logged with both. */
zcs_status zci_media_match(struct zci_media *m, const struct zci_media *first);

/* The size of a frame in the file, without the header before it. */
size_t zci_media_frame_bytes(const struct zci_media *m);

/* 1: the CPU decodes or converts frames in their slots. */
int zci_media_converts(const struct zci_media *m);

/* Reads the frame into the slot, and sets its host, path and cpu_bytes_copied. Returns what
 * zci_reader_read and ops->read return. */
zcs_status zci_media_read(struct zci_media *m, const struct zci_media_frame *frame,
                          int64_t deadline_ns, struct zci_slot *slot);

extern const struct zci_media_ops zci_media_raw, zci_media_vhdr, zci_media_y4m, zci_media_pnm,
    zci_media_zcr, zci_media_png;

#endif
