/* SPDX-License-Identifier: MIT */
/* The pixels of a result frame as encoders read them: rows, depth and channels. */
#ifndef ZCAPP_OUTPUT_PICTURE_H
#define ZCAPP_OUTPUT_PICTURE_H

#include <stddef.h>
#include <stdint.h>

#include "zcstream/frame.h"

/* 16-bit samples are in the machine's byte order. */
struct picture {
    const unsigned char *rows;
    size_t stride_bytes;
    uint32_t width, height;
    unsigned depth;    /* 8 or 16 */
    unsigned channels; /* 1, or 3: R, G, B and a fourth sample without meaning */
    size_t row_bytes;  /* without padding */
};

/* What encoders need to know beside the frame. */
struct encoder_options {
    /* 0: stored; 1: Huffman codes and runs; 2..8: zlib; 9: zlib, and the best filter for each row
     * instead of for each strip */
    unsigned png_level;
    const char *source;        /* the input's name */
    enum zcs_pixfmt format;    /* the input's */
    uint32_t fps_num, fps_den; /* the input's; 0/0: unknown */
};

/* Sets the layout; `rows` stays NULL. 0, or -1 if results never have this format. */
int picture_of_image(struct picture *out, const struct zcs_image *image);

/* 0, or -1 with a reason in `why`. */
int picture_of_frame(struct picture *out, const struct zcs_frame *frame, char *why,
                     size_t why_bytes);

/* 1 if the machine stores the high byte first. */
int picture_big_endian(void);

#endif
