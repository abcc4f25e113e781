/* SPDX-License-Identifier: MIT */
/* Packs colours into pixel formats, correctly rounded. Grey formats get the luma by the matrix of
 * the image, Bayer formats the channel of each cell. Subsampled chroma is that of the mean colour
 * of its group, of the pixels inside the picture. Alpha and filler bytes are full. If the stride of
 * a row ends inside a group of a packed Bayer or grey format, bytes without room are left out. */
#ifndef ZCI_SOURCE_PATTERN_PACKER_H
#define ZCI_SOURCE_PATTERN_PACKER_H

#include "zcstream/format.h"
#include "core/format.h"
#include "source/pattern/picture.h"

/* The denominator of kr, kg and kb: Y = (kr R + kg G + kb B) / ZCI_LUMA_ONE. */
#define ZCI_LUMA_ONE 10000u

struct zci_ycc {
    uint16_t y, u, v;
};

struct zci_packer {
    struct zcs_image image;
    const struct zci_format *format;
    uint32_t kr, kg, kb;
    uint32_t y_sub, y_span; /* the code of black; white's minus black's */
    uint32_t c_sub, c_span; /* the code of zero chroma; the maximum chroma code minus the minimum */
    uint32_t max;           /* maximum code */
    struct zci_rgb last;    /* the last converted colour; equal colours often follow each other */
    struct zci_ycc last_ycc;
};

/* `image` passed zcs_image_check. */
void zci_packer_init(struct zci_packer *packer, const struct zcs_image *image);

/* Packs `width` pixels from x on: rows[0] into row y, and rows[1] into row y + 1, NULL if row y is
 * the last. y is even, x a multiple of 4, and so is the width unless the row ends there. */
void zci_packer_rows(struct zci_packer *packer, uint8_t *base, uint32_t x, uint32_t y,
                     uint32_t width, const struct zci_rgb *const rows[2]);

#endif
