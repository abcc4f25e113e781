/* SPDX-License-Identifier: MIT */
/* PNG's five filters of a row, and which of them suits rows best. */
#ifndef ZCAPP_OUTPUT_PNG_FILTER_H
#define ZCAPP_OUTPUT_PNG_FILTER_H

#include <stddef.h>
#include <stdint.h>

#define PNG_FILTERS 5

/* The filters are PNG's: 0 none, 1 sub, 2 up, 3 average, 4 Paeth. `left` is the bytes of a pixel, `before`
 * the row above; both rows have bytes at -left too, 0 where a picture begins. `out` gets `bytes`. */
void png_filter_row(uint8_t *out, unsigned filter, const uint8_t *row, const uint8_t *before,
                    size_t bytes, size_t left);

/* The filter with the least entropy over these bytes; `scratch` has room for them. */
unsigned png_filter_best(uint8_t *scratch, const uint8_t *row, const uint8_t *before, size_t bytes,
                         size_t left);

#endif
