/* SPDX-License-Identifier: MIT */
/* A picture's pixels as IDAT chunks: filtered strips, coded, written by libpng. */
#ifndef ZCAPP_OUTPUT_PNG_IDAT_H
#define ZCAPP_OUTPUT_PNG_IDAT_H

#include <png.h>
#include <zlib.h>

#include "app/output/png_strip.h"

struct png_idat {
    struct png_strip strip;
    uint8_t *out;
    size_t out_bytes;
    z_stream zlib; /* of levels that look for repetitions */
    int zlib_open;
};

/* `level` is 1 to 8. 0, or -1: out of memory. png_idat_free takes both. Zeroed before. */
int png_idat_init(struct png_idat *idat, const struct picture *picture, unsigned level);
void png_idat_free(struct png_idat *idat);

/* All chunks; libpng jumps when it fails. */
void png_idat_write(struct png_idat *idat, png_structp png);

#endif
