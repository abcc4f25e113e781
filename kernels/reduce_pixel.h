/* SPDX-License-Identifier: MIT */
/* What one pixel adds to a reduction. */
#ifndef ZCK_REDUCE_PIXEL_H
#define ZCK_REDUCE_PIXEL_H

#include <stdint.h>

#include "kernels/inline.h"

/* The digest of an image is the sum, modulo 2^64, of mix(place << 16 | value) over its samples, where
 *   place  = (y << 18 | x) << 2 | channel     x and y from 0; channel 0 but in RGBA: R 0, G 1, B 2
 *   mix(z) = z += 0x9E3779B97F4A7C15;  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
 *            z = (z ^ z >> 27) * 0x94D049BB133111EB;  z ^ z >> 31
 * (SplitMix64's finaliser: Steele, Lea, Flood 2014, doi:10.1145/2714064.2660195). Alpha is left out, and so
 * are stride and padding. A sum has no order, so any split over threads or devices gives the same. */
ZCK_INLINE uint64_t zck_digest(uint32_t x, uint32_t y, uint32_t channel, uint32_t value)
{
    uint64_t z = ((((uint64_t)y << 18 | x) << 2 | channel) << 16 | value) + 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* Samples up to this one count as unclipped: below full * 251 / 256, which is 98 %. */
ZCK_INLINE uint32_t zck_wb_limit(uint32_t max)
{
    return (max * 251u - 1u) / 256u;
}

/* All ones where none of four samples (three: give one twice) is clipped, else 0. */
ZCK_INLINE uint32_t zck_wb_mask(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t limit)
{
    const uint32_t ab = a > b ? a : b, cd = c > d ? c : d;
    const uint32_t max = ab > cd ? ab : cd;
    return max <= limit ? 0xffffffffu : 0u;
}

#endif
