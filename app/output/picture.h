/* SPDX-License-Identifier: MIT */
/* A result frame's pixels as encoders need them: rows, depth and channels. */
#ifndef ZCAPP_OUTPUT_PICTURE_H
#define ZCAPP_OUTPUT_PICTURE_H

#include <stddef.h>
#include <stdint.h>

#include "zcstream/frame.h"

/* Samples of 16 bits are in the machine's order. */
struct picture {
    const unsigned char *rows;
    size_t stride_bytes;
    uint32_t width, height;
    unsigned depth;    /* 8 or 16 */
    unsigned channels; /* 1, or 3: R, G, B and a fourth sample that says nothing */
    size_t row_bytes;  /* without padding */
};

/* The layout alone: `rows` stays NULL. 0, or -1 if results never look like that. */
int picture_of_image(struct picture *out, const struct zcs_image *image);

/* 0, or -1 with a reason in `why`. */
int picture_of_frame(struct picture *out, const struct zcs_frame *frame, char *why,
                     size_t why_bytes);

/* 1 where the machine stores the high byte first. */
int picture_big_endian(void);

#endif
