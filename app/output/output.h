/* SPDX-License-Identifier: MIT */
/* Output of results: to a file per frame, one file for all frames, or standard output. */
#ifndef ZCAPP_OUTPUT_OUTPUT_H
#define ZCAPP_OUTPUT_OUTPUT_H

#include "app/output/encoder.h"
#include "app/output/outfile.h"
#include "app/output/outname.h"
#include "app/output/retention.h"

#define OUTPUT_BUFFER_BYTES (1u << 18) /* fewer writes than stdio's 4 KiB */

/* The parsed argument of -o. */
struct output_target {
    const char *text;           /* borrowed */
    const struct encoder *kind; /* NULL: no files */
    struct outname name;        /* unless to_stdout */
    int to_stdout;
    int single; /* 1: one file with the latest picture */
};

/* Accepts a name with the ending of an encoder, "-" (Y4M to standard output) or "none". 0, or -1
 * with a reason in `why`. */
int output_parse(struct output_target *out, const char *text, char *why, size_t why_bytes);

/* Accepts a zeroed one. */
void output_finish(struct output_target *target);

/* 1 if one thread writes all frames into one file, in order. */
int output_is_series(const struct output_target *target);

/* 0 if the target accepts pictures like `image`, or -1 with a reason in `why`. */
int output_check(const struct output_target *target, const struct zcs_image *image, char *why,
                 size_t why_bytes);

/* An open target. With a file per frame any thread may use it; a series takes one thread at a
 * time. */
struct output {
    const struct output_target *target; /* must outlive the output, as must the texts in `style` */
    struct encoder_options style;
    struct outfile series; /* `file` NULL: not begun */
    char *path;            /* of the current part of the series */
    char *first;           /* of the first part */
    struct part part;
    retention *retention;       /* NULL: keep all files */
    struct retention_left left; /* set by output_close if there is a limit */
    char *buffer;
    off_t whole_bytes; /* of the series, up to the end of its last complete frame */
};

/* Writes one frame. A file of a single frame appears complete or not at all; a series appears at
 * its end. 0, or -1 with a line that names the file in `why`: then the file of a series keeps the
 * earlier frames, and nothing of this one. */
int output_write(struct output *output, uint64_t number, const struct zcs_frame *frame, char *why,
                 size_t why_bytes);

/* Sets a limit beyond which files are removed. 0, or -1 after one error line. */
int output_set_retention(struct output *output, struct retention_limit limit,
                         struct console *console);

/* Completes the file of a series, if begun; the next frame begins another part. 0; -1 as above; or
 * 1: the file is complete, but in another place, which `why` tells. */
int output_part(struct output *output, char *why, size_t why_bytes);

/* Completes a series, if begun. Returns as output_part. After -1 there is no file. */
int output_close(struct output *output, char *why, size_t why_bytes);

#endif
