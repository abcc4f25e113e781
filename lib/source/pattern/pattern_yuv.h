/* SPDX-License-Identifier: MIT */
/* The packers of Y'CbCr formats. */
#ifndef ZCI_SOURCE_PATTERN_PATTERN_YUV_H
#define ZCI_SOURCE_PATTERN_PATTERN_YUV_H

#include "source/pattern/pattern_pack.h"

/* Fills the coefficients of packer->image. */
void zci_packer_init_yuv(struct zci_packer *packer);

/* Luma of one colour as a code of 0 .. span, rounded half up. */
uint32_t zci_packer_luma(const struct zci_packer *packer, struct zci_rgb color, uint32_t span);

/* As zci_packer_rows, for packed 4:2:2 and for planar and semi-planar formats. */
void zci_packer_yuv422(struct zci_packer *packer, uint8_t *base, uint32_t x, uint32_t y,
                       uint32_t width, const struct zci_rgb *const rows[2]);
void zci_packer_planes(struct zci_packer *packer, uint8_t *base, uint32_t x, uint32_t y,
                       uint32_t width, const struct zci_rgb *const rows[2]);

#endif
