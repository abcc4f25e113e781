/* SPDX-License-Identifier: MIT */
/* A result frame as a PNG: the pixels as they lie in the frame, and chunks that tell the truth. */
#ifndef ZCAPP_PNG_H
#define ZCAPP_PNG_H

#include <stdio.h>

#include "zcstream/frame.h"

struct png_style {
    unsigned level;     /* 0: stored; 1: run lengths after the AVG filter; 2..8: deflate after it;
                                9: deflate after the best of all filters */
    const char *source; /* the input's name */
    enum zcs_pixfmt format; /* the input's */
};

/* Any thread. 0, or -1 with a reason in `why`; the file is then not to be used. The same frame gives the
 * same bytes. */
int png_of_frame(FILE *file, const struct zcs_frame *frame, const struct png_style *style,
                 char *why, size_t why_bytes);

#endif
