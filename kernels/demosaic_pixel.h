/* SPDX-License-Identifier: MIT */
/* The missing colours of one Bayer sample from sums of its neighbours, for one pixel and for pairs;
 * and how edges are mirrored.
 *
 *   . . 2 . .     c   the sample itself
 *   . d 1 d .     d   sum of the four diagonal neighbours
 *   2 1 c 1 2     h1, v1, h2, v2   sums of the two neighbours left and right, above and below, at
 *   . d 1 d .                      distance 1 and 2
 *   . . 2 . .
 *
 * A sample that is not green lacks green (cross) and the opposite colour (diagonal). A green one
 * lacks the colour of its row's neighbours and that of its column's: along, with h and v exchanged
 * for the second.
 *
 * Malvar, He, Cutler: High-quality linear interpolation for demosaicing of Bayer-patterned color
 * images, ICASSP 2004, with the paper's eighths taken as sixteenths so that all coefficients are
 * whole. */
#ifndef ZCK_DEMOSAIC_PIXEL_H
#define ZCK_DEMOSAIC_PIXEL_H

#include <stdint.h>

#include "kernels/inline.h"

/* Index i of a row or column of n >= 2 samples, mirrored about the first and the last one as often
 * as necessary. The period is even, so a mirrored sample has the colour of the one that it
 * replaces. i is only a few samples outside, so the loop runs at most once except in tiny images; a
 * division would be slow on GPUs. */
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

/* The same arithmetic on two pixels at once. The two are two columns apart in a row, so they lack
 * the same colours.
 *
 * A word has two halves of 16 bits; the low half belongs to the left pixel. Words are added and
 * multiplied whole. Carries between the halves cancel as long as the total of each half is 0..65535
 * at the end. Totals of samples up to ZCK_PAIR_MAX lie in -12 * 1023 .. 28 * 1023: a bias keeps
 * them in that range, and without the bias they fit a signed 16-bit number.
 *
 * A result is in the low ZCK_PAIR_BITS of its half; above them the low half has bits of the other
 * one. */
#define ZCK_PAIR_MAX 1023u /* the greatest sample */
#define ZCK_PAIR_BITS 12u
#define ZCK_PAIR(v) ((uint32_t)(v)*0x10001u) /* v in both halves */

/* Four of the bytes of a, which are 0 .. 3, and b, 4 .. 7: a digit of `which` for each, the lowest
 * first. */
ZCK_INLINE uint32_t zck_bytes(uint32_t a, uint32_t b, uint32_t which)
{
#ifdef __CUDA_ARCH__
    return __byte_perm(a, b, which);
#else
    uint32_t out = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t from = which >> 4 * i & 7u;
        out |= ((from < 4 ? a : b) >> 8 * (from & 3u) & 255u) << 8 * i;
    }
    return out;
#endif
}

ZCK_INLINE uint32_t zck_pair_left(uint32_t pair)
{
    return pair & ((1u << ZCK_PAIR_BITS) - 1u);
}

ZCK_INLINE uint32_t zck_pair_right(uint32_t pair)
{
    return pair >> 16;
}

/* Each half minus `bias`, clamped to 0..max. bias is at least 1; the difference and `max` fit a
 * signed 16-bit number. */
ZCK_INLINE uint32_t zck_pair_clamp(uint32_t sum, uint32_t bias, uint32_t max)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    return __viaddmin_s16x2_relu(sum, ZCK_PAIR(65536u - bias), ZCK_PAIR(max));
#else
    const int32_t left = (int32_t)(sum & 65535u) - (int32_t)bias;
    const int32_t right = (int32_t)(sum >> 16) - (int32_t)bias;
    return (uint32_t)zck_clamp(left, (int32_t)max) | (uint32_t)zck_clamp(right, (int32_t)max) << 16;
#endif
}

/* zck_sixteenth: a total that is at most 16 * max before it is divided is at most max
 * afterwards. */
ZCK_INLINE uint32_t zck_pair_sixteenth(uint32_t sum, uint32_t bias, uint32_t max)
{
    return zck_pair_clamp(sum, bias - 8u, 16u * max) >> 4;
}

/* In eighths, because all its coefficients are even. */
ZCK_INLINE uint32_t zck_pair_cross(uint32_t c, uint32_t h1, uint32_t v1, uint32_t h2, uint32_t v2,
                                   uint32_t max)
{
    const uint32_t bias = 4096, less = ZCK_PAIR(bias) - h2 - v2;
    return zck_pair_clamp(2u * (2u * c + h1 + v1) + less, bias - 4u, 8u * max) >> 3;
}

/* 4 * less - less instead of 3 * less: both terms then share one addition. */
ZCK_INLINE uint32_t zck_pair_diagonal(uint32_t c, uint32_t d, uint32_t h2, uint32_t v2,
                                      uint32_t max)
{
    const uint32_t bias = 4096, less = ZCK_PAIR(bias) - h2 - v2;
    return zck_pair_sixteenth(4u * (3u * c + d + less) - less, 3u * bias, max);
}

ZCK_INLINE uint32_t zck_pair_along(uint32_t c, uint32_t d, uint32_t h1, uint32_t h2, uint32_t v2,
                                   uint32_t max)
{
    const uint32_t bias = 6144, more = 5u * c + ZCK_PAIR(bias);
    return zck_pair_sixteenth(2u * (more + 4u * h1 - d - h2) + v2, 2u * bias, max);
}

ZCK_INLINE uint32_t zck_pair_four(uint32_t sum)
{
    return (sum + ZCK_PAIR(2)) >> 2;
}

ZCK_INLINE uint32_t zck_pair_two(uint32_t sum)
{
    return (sum + ZCK_PAIR(1)) >> 1;
}

/* The samples around two rows of two pairs: v[r][i] has columns i and i + 2 of row r, and pair k of
 * row n, which are pixels k and k + 2, is v[n + 2][k + 2]. */
struct zck_pair_around {
    uint32_t v[6][6];
};

/* Columns 0 .. 7 of a row as they lie in memory, the even columns in the words' low halves. */
ZCK_INLINE void zck_pair_row(const uint32_t words[4], uint32_t v[6])
{
    for (int i = 0; i < 6; i++)
        v[i] = zck_bytes(words[i / 2], words[i / 2 + 1], i % 2 ? 0x7632 : 0x5410);
}

/* The colours of a pair: that of its row beside green, green, and the other one. */
struct zck_pair_colors {
    uint32_t own, green, other;
};

/* Of samples that have the row's own colour, or are green. */
ZCK_INLINE struct zck_pair_colors zck_pair_mhc(const struct zck_pair_around *a, int n, int k,
                                               int has_own, uint32_t max)
{
    const uint32_t *const r0 = a->v[n] + k, *const r1 = a->v[n + 1] + k,
                          *const r2 = a->v[n + 2] + k;
    const uint32_t *const r3 = a->v[n + 3] + k, *const r4 = a->v[n + 4] + k;
    const uint32_t c = r2[2], h1 = r2[1] + r2[3], h2 = r2[0] + r2[4];
    const uint32_t v1 = r1[2] + r3[2], v2 = r0[2] + r4[2];
    const uint32_t d = (r1[1] + r1[3]) + (r3[1] + r3[3]);
    struct zck_pair_colors out;
    out.own = has_own ? c : zck_pair_along(c, d, h1, h2, v2, max);
    out.green = has_own ? zck_pair_cross(c, h1, v1, h2, v2, max) : c;
    out.other =
        has_own ? zck_pair_diagonal(c, d, h2, v2, max) : zck_pair_along(c, d, v1, v2, h2, max);
    return out;
}

ZCK_INLINE struct zck_pair_colors zck_pair_bilinear(const struct zck_pair_around *a, int n, int k,
                                                    int has_own)
{
    const uint32_t *const r1 = a->v[n + 1] + k, *const r2 = a->v[n + 2] + k;
    const uint32_t *const r3 = a->v[n + 3] + k;
    const uint32_t c = r2[2], h1 = r2[1] + r2[3], v1 = r1[2] + r3[2];
    const uint32_t d = (r1[1] + r1[3]) + (r3[1] + r3[3]);
    struct zck_pair_colors out;
    out.own = has_own ? c : zck_pair_two(h1);
    out.green = has_own ? zck_pair_four(h1 + v1) : c;
    out.other = has_own ? zck_pair_four(d) : zck_pair_two(v1);
    return out;
}

/* The left and the right pixel as RGBA8, of samples up to 255; `red`: the row's own colour is red,
 * else blue. */
ZCK_INLINE void zck_pair_rgba8(struct zck_pair_colors pair, int red, uint32_t pixels[2])
{
    const uint32_t rb = zck_bytes(pair.own, pair.other, red ? 0x6240 : 0x2604);
    const uint32_t ga = pair.green | 0xff00ff00u;
    pixels[0] = zck_bytes(rb, ga, 0x5140);
    pixels[1] = zck_bytes(rb, ga, 0x7362);
}

#endif
