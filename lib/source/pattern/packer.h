/* SPDX-License-Identifier: MIT */
/* Colours packed into the formats, correctly rounded. Grey formats get the luma of the image's matrix,
 * Bayer formats the channel of each cell, subsampled chroma that of the mean colour of the pixels of its
 * group which lie in the picture. Alpha and filler bytes are full. Where a row's stride ends within a
 * group of a packed Bayer or grey format, what has no room is left out. */
#ifndef ZCI_SOURCE_PATTERN_PACKER_H
#define ZCI_SOURCE_PATTERN_PACKER_H

#include "zcstream/format.h"
#include "core/format.h"
#include "source/pattern/picture.h"

/* Y = (kr R + kg G + kb B) / ZCI_LUMA_ONE of the image's matrix. */
#define ZCI_LUMA_ONE 10000u

struct zci_ycc {
    uint16_t y, u, v;
};

struct zci_packer {
    struct zcs_image image;
    const struct zci_format *format;
    uint32_t kr, kg, kb;
    uint32_t y_sub, y_span; /* the code of black, and from there to white's */
    uint32_t c_sub,
        c_span;          /* the code of no colour, and from the least chroma's to the greatest's */
    uint32_t max;        /* greatest code */
    struct zci_rgb last; /* colours come in runs: the last one converted, and its codes */
    struct zci_ycc last_ycc;
};

/* `image` passed zcs_image_check. */
void zci_packer_init(struct zci_packer *packer, const struct zcs_image *image);

/* Packs `width` pixels from x on of row y into rows[0] and of row y + 1 into rows[1], NULL where the
 * picture ends with row y. y is even, x a multiple of 4, and so is width unless the row ends with it. */
void zci_packer_rows(struct zci_packer *packer, uint8_t *base, uint32_t x, uint32_t y,
                     uint32_t width, const struct zci_rgb *const rows[2]);

#endif
