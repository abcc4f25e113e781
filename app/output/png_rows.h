/* SPDX-License-Identifier: MIT */
/* The rows of a picture as PNG stores them: packed, filtered, in strips. The filter is chosen per
 * strip. */
#ifndef ZCAPP_OUTPUT_PNG_ROWS_H
#define ZCAPP_OUTPUT_PNG_ROWS_H

#include "app/output/picture.h"

#define PNG_FILTERS 5

/* The filters are PNG's: 0 none, 1 sub, 2 up, 3 average, 4 Paeth. `left` is the size of a pixel in
 * bytes, `before` the row above. Both rows have `left` bytes before their start: 0 at the picture's
 * left edge. `out` receives `bytes`. */
void png_filter_row(uint8_t *out, unsigned filter, const uint8_t *row, const uint8_t *before,
                    size_t bytes, size_t left);

/* The filter with the lowest entropy over these bytes; `scratch` has room for `bytes`. */
unsigned png_filter_best(uint8_t *scratch, const uint8_t *row, const uint8_t *before, size_t bytes,
                         size_t left);

struct png_strip {
    struct picture picture;
    size_t pixel_bytes, row_bytes; /* in the file, without the filter byte */
    uint32_t rows;                 /* in a strip; the last strip may have fewer */
    uint32_t next;                 /* first row of the next strip */
    uint8_t *packed; /* the row above, then the strip's rows; each with a margin before it */
    uint8_t *filtered;
};

/* `strip` is zeroed. 0, or -1: out of memory. Call png_strip_free in both cases. */
int png_strip_init(struct png_strip *strip, const struct picture *picture);
void png_strip_free(struct png_strip *strip);

/* The maximum size of a strip in bytes. */
size_t png_strip_max(const struct png_strip *strip);

/* Prepares the next strip in `filtered`, valid until the next call. Returns its size; 0: no strip
 * is left. */
size_t png_strip_next(struct png_strip *strip);

#endif
