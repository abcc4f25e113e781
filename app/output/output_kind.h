/* SPDX-License-Identifier: MIT */
/* The kinds of output files, a row each: what names they have, what they take, how they are written. */
#ifndef ZCAPP_OUTPUT_OUTPUT_KIND_H
#define ZCAPP_OUTPUT_OUTPUT_KIND_H

#include <stdio.h>

#include "app/output/picture.h"

struct output_style {
    unsigned
        png_level; /* 0: stored; 1: Huffman codes and runs; 2..8: zlib; 9: zlib, and the best of all
                           filters for each row rather than for a strip of them */
    const char *source;        /* the input's name */
    enum zcs_pixfmt format;    /* the input's */
    uint32_t fps_num, fps_den; /* the input's; 0/0: unknown */
};

/* A file is head, then frame for each frame in it. Both: any thread; 0, or -1 with a reason in `why`,
 * and the file is then not to be used. The same frames give the same bytes. */
struct output_kind {
    const char *name;
    const char *ending;
    int series;        /* 1: a file may hold more than one frame */
    unsigned channels; /* that a picture must have; 0: any */
    int (*head)(FILE *file, const struct zcs_frame *first, const struct output_style *style,
                char *why, size_t why_bytes); /* NULL: there is none */
    int (*frame)(FILE *file, const struct zcs_frame *frame, const struct output_style *style,
                 char *why, size_t why_bytes);
};

extern const struct output_kind output_kinds[];
extern const unsigned output_kind_count;

/* By the ending of `name`, in any case; NULL: none has it. */
const struct output_kind *output_kind_of(const char *name);

#endif
