/* SPDX-License-Identifier: MIT */
/* Where results go: a file each, one file for all of them, or standard output. */
#ifndef ZCAPP_OUTPUT_OUTPUT_H
#define ZCAPP_OUTPUT_OUTPUT_H

#include "app/output/retention.h"
#include "app/output/outfile.h"
#include "app/output/outname.h"
#include "app/output/encoder.h"

#define OUTPUT_BUFFER_BYTES (1u << 18) /* fewer writes than stdio's 4 KiB */

/* What -o says, taken apart. */
struct output_target {
    const char *text;           /* the caller's */
    const struct encoder *kind; /* NULL: no files */
    struct outname name;        /* unless to_stdout */
    int to_stdout;
    int single; /* 1: one file with the latest picture */
};

/* A name with an ending that encoders has, "-" (Y4M to standard output) or "none". 0, or -1 with a
 * reason in `why`. */
int output_parse(struct output_target *out, const char *text, char *why, size_t why_bytes);

/* Accepts a zeroed one. */
void output_finish(struct output_target *target);

/* 1 where all frames go into one file, in order, by one thread. */
int output_is_series(const struct output_target *target);

/* 0 if pictures like `image` can be written, or -1 with a reason in `why`. */
int output_check(const struct output_target *target, const struct zcs_image *image, char *why,
                 size_t why_bytes);

/* An open target. A file each: any thread. A series: one thread at a time. */
struct output {
    const struct output_target *target; /* must outlive it, as must the texts in `style` */
    struct encoder_options style;
    struct outfile series; /* `file` NULL: not begun */
    char *path;            /* of the series' present part */
    char *first;           /* of its first one */
    struct part part;
    retention *retention;       /* NULL: all files stay */
    struct retention_left left; /* once it is closed, if there was a limit */
    char *buffer;
    off_t whole_bytes; /* of the series up to the end of its last frame */
};

/* Writes one frame. A file of its own appears whole or not at all; a series appears at its end. 0,
 * or -1 with a line that names the file in `why`: nothing is left of this frame, and those before
 * it in the series are kept in its file. */
int output_write(struct output *output, uint64_t number, const struct zcs_frame *frame, char *why,
                 size_t why_bytes);

/* Files beyond the limit will be removed. 0, or -1 after one line of error. */
int output_set_retention(struct output *output, struct retention_limit limit,
                         struct console *console);

/* Ends the series' file, if one was begun; the next frame begins another. 0, or -1 as above. */
int output_part(struct output *output, char *why, size_t why_bytes);

/* Ends the series, if one was begun. 0, or -1 as above, and then no file. */
int output_close(struct output *output, char *why, size_t why_bytes);

#endif
