/* SPDX-License-Identifier: MIT */
/* The point operations on one pixel: SCALE, GAIN, CCM and GRAY; and which colour a Bayer sample
 * has. */
#ifndef ZCK_POINT_PIXEL_H
#define ZCK_POINT_PIXEL_H

#include "core/plan.h"
#include "kernels/inline.h"

/* SCALE: (clamp(v - sub, 0, span) * mul + 2^39) >> 40, computed with 32-bit numbers, which gives
 * four times as many vector lanes. It is exact: the bits of the product from 32 up are below 2^24
 * because the result is below 2^16, and half of the last place is a multiple of 2^32. */
ZCK_INLINE uint32_t zck_scale(uint32_t v, struct zci_scale s)
{
    const uint32_t high = (uint32_t)(s.mul >> 32);
#ifdef __CUDA_ARCH__
    const uint32_t min = v > s.sub ? v - s.sub : 0, in_span = min < s.span ? min : s.span;
    return (in_span * high + __umulhi(in_span, (uint32_t)s.mul) + 128u) >> 8;
#else
    const uint32_t middle = (uint32_t)(s.mul >> 16) & 0xffffu;
    const uint32_t low = (uint32_t)s.mul & 0xffffu;
    const uint32_t above = v > s.sub ? v - s.sub : 0;
    const uint32_t d = above < s.span ? above : s.span;
    const uint32_t top = d * high + ((d * middle + ((d * low) >> 16)) >> 16);
    return (top + 128u) >> 8;
#endif
}

/* GAIN in Q12. `gain` is below 2^16 and v at most 2^16 - 1: the product and its half fit 32
 * bits. */
ZCK_INLINE uint32_t zck_gain(uint32_t v, uint32_t gain, uint32_t max)
{
    const uint32_t product = (v * gain + 2048u) >> 12;
    return product < max ? product : max;
}

/* The colour at x, y of a mosaic whose red lies at `cfa`: 0 red, 1 green, 2 blue. */
ZCK_INLINE uint32_t zck_cfa_color(uint32_t x, uint32_t y, uint32_t cfa)
{
    return ((x ^ cfa) & 1u) + ((y ^ (cfa >> 1)) & 1u);
}

/* One channel of CCM in Q16: clamp((m0 * r + m1 * g + m2 * b + 2^15) >> 16).
 *
 * |m| is at most 2^20, so that the sum needs 39 bits. Split into the high and the low bytes of the
 * samples it needs 32 bits and gives the same floor: (256 * high + low) >> 16 is (high + (low >>
 * 8)) >> 8. Right shifts of negative numbers are arithmetic in every supported compiler. */
ZCK_INLINE uint32_t zck_ccm(int32_t m0, int32_t m1, int32_t m2, uint32_t r, uint32_t g, uint32_t b,
                            uint32_t max)
{
    const int32_t high = m0 * (int32_t)(r >> 8) + m1 * (int32_t)(g >> 8) + m2 * (int32_t)(b >> 8);
    const int32_t low =
        m0 * (int32_t)(r & 255u) + m1 * (int32_t)(g & 255u) + m2 * (int32_t)(b & 255u) + 32768;
    return (uint32_t)zck_clamp((high + (low >> 8)) >> 8, (int32_t)max);
}

/* GRAY: the weighted mean of a pixel in Q16. The weights add up to 2^16: white stays white, and the
 * sum with its half fits 32 bits. */
ZCK_INLINE uint32_t zck_gray(uint32_t r, uint32_t g, uint32_t b, uint32_t wr, uint32_t wg,
                             uint32_t wb)
{
    return (wr * r + wg * g + wb * b + 32768u) >> 16;
}

#endif
