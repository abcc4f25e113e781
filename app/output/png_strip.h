/* SPDX-License-Identifier: MIT */
/* A picture's rows as PNG has them, packed and filtered, a strip of rows at a time. */
#ifndef ZCAPP_OUTPUT_PNG_STRIP_H
#define ZCAPP_OUTPUT_PNG_STRIP_H

#include "app/output/picture.h"

struct png_strip {
    struct picture picture;
    size_t pixel_bytes, row_bytes; /* in the file, without the filter's byte */
    uint32_t rows;                 /* of a strip; the last one may have fewer */
    uint32_t next;                 /* the row that the next strip begins with */
    uint8_t *packed; /* the row above, then the strip's; each with a margin before it */
    uint8_t *filtered;
};

/* 0, or -1: out of memory. png_strip_free takes both. Zeroed before. */
int png_strip_init(struct png_strip *strip, const struct picture *picture);
void png_strip_free(struct png_strip *strip);

/* The most bytes that a strip has. */
size_t png_strip_max(const struct png_strip *strip);

/* The next strip's bytes, in `filtered` until the next call; 0: there is no further one. */
size_t png_strip_next(struct png_strip *strip);

#endif
