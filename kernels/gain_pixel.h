/* SPDX-License-Identifier: MIT */
/* One sample through a GAIN in Q12, and which colour a Bayer sample has. */
#ifndef ZCK_GAIN_PIXEL_H
#define ZCK_GAIN_PIXEL_H

#include "core/plan.h"
#include "kernels/inline.h"

/* `gain` is below 2^16 and v at most 2^16 - 1: the product and its half fit 32 bits. */
ZCK_INLINE uint32_t zck_gain(uint32_t v, uint32_t gain, uint32_t max)
{
    const uint32_t product = (v * gain + 2048u) >> 12;
    return product < max ? product : max;
}

/* 0 red, 1 green, 2 blue at x, y of a mosaic whose red lies at `cfa`. */
ZCK_INLINE uint32_t zck_cfa_color(uint32_t x, uint32_t y, uint32_t cfa)
{
    return ((x ^ cfa) & 1u) + ((y ^ (cfa >> 1)) & 1u);
}

#endif
