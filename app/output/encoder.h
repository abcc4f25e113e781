/* SPDX-License-Identifier: MIT */
/* Output file formats, one encoder each: file name ending, accepted pictures, functions. */
#ifndef ZCAPP_OUTPUT_ENCODER_H
#define ZCAPP_OUTPUT_ENCODER_H

#include <stdio.h>

#include "app/output/picture.h"

/* A file is a header, then each frame in turn. Both functions may be called on any thread. They
 * return 0, or -1 with a reason in `why`, and then the file is unusable. Equal frames give equal
 * bytes. */
struct encoder {
    const char *name;
    const char *ending;
    int series;        /* 1: a file may hold several frames */
    unsigned channels; /* that a picture must have; 0: any number */
    /* NULL: the format has no file header */
    int (*head)(FILE *file, const struct zcs_frame *first, const struct encoder_options *options,
                char *why, size_t why_bytes);
    int (*frame)(FILE *file, const struct zcs_frame *frame, const struct encoder_options *options,
                 char *why, size_t why_bytes);
};

extern const struct encoder encoders[];
extern const unsigned encoder_count;

/* By the ending of `name`, in upper or lower case; NULL: no encoder has this ending. */
const struct encoder *encoder_of(const char *name);

#endif
