/* SPDX-License-Identifier: MIT */
/* The missing colours of one Bayer sample from sums of its neighbours, and how edges are mirrored.
 *
 *   . . 2 . .     c   the sample itself
 *   . d 1 d .     d   sum of the four diagonal neighbours
 *   2 1 c 1 2     h1, v1, h2, v2   sums of the two neighbours left and right, above and below, at
 *   . d 1 d .                      distance 1 and 2
 *   . . 2 . .
 *
 * A sample that is not green lacks green (cross) and the opposite colour (diagonal). A green one lacks the
 * colour of its row's neighbours and that of its column's: along, with h and v exchanged for the second.
 *
 * Malvar, He, Cutler: High-quality linear interpolation for demosaicing of Bayer-patterned color images,
 * ICASSP 2004, with the paper's eighths taken as sixteenths so that all coefficients are whole. */
#ifndef ZCK_DEMOSAIC_PIXEL_H
#define ZCK_DEMOSAIC_PIXEL_H

#include <stdint.h>

#include "kernels/inline.h"

/* Index i of a row or column of n >= 2 samples, mirrored about the first and the last one, as often as it
 * takes. The period is even, so a mirrored sample has the colour of the one it stands for. Hardly any i is
 * more than a few samples outside, and GPUs divide slowly: one step at most but for tiny images. */
ZCK_INLINE int32_t zck_mirror(int32_t i, int32_t n)
{
    const int32_t period = 2 * (n - 1);
    int32_t m = i < 0 ? -i : i;
    while (m > period)
        m -= period;
    return m < n ? m : period - m;
}

ZCK_INLINE int32_t zck_sixteenth(int32_t sum, int32_t max)
{
    return zck_clamp((sum + 8) >> 4, max);
}

ZCK_INLINE int32_t zck_mhc_cross(int32_t c, int32_t h1, int32_t v1, int32_t h2, int32_t v2,
                                 int32_t max)
{
    return zck_sixteenth(8 * c + 4 * (h1 + v1) - 2 * (h2 + v2), max);
}

ZCK_INLINE int32_t zck_mhc_diagonal(int32_t c, int32_t d, int32_t h2, int32_t v2, int32_t max)
{
    return zck_sixteenth(12 * c + 4 * d - 3 * (h2 + v2), max);
}

ZCK_INLINE int32_t zck_mhc_along(int32_t c, int32_t d, int32_t h1, int32_t h2, int32_t v2,
                                 int32_t max)
{
    return zck_sixteenth(10 * c + 8 * h1 - 2 * d - 2 * h2 + v2, max);
}

ZCK_INLINE int32_t zck_bilinear_four(int32_t sum)
{
    return (sum + 2) >> 2;
}

ZCK_INLINE int32_t zck_bilinear_two(int32_t sum)
{
    return (sum + 1) >> 1;
}

#endif
