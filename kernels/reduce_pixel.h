/* SPDX-License-Identifier: MIT */
/* Reductions: what one pixel adds, the neutral element, merging, and how sums become a frame's
 * parameters. */
#ifndef ZCK_REDUCE_PIXEL_H
#define ZCK_REDUCE_PIXEL_H

#include "core/plan.h"
#include "kernels/inline.h"

/* The digest of an image is the sum, modulo 2^64, of mix(place << 16 | value) over its samples,
 * where
 *   place  = (y << 18 | x) << 2 | channel     x and y from 0; channel 0 but in RGBA: R 0, G 1, B 2
 *   mix(z) = z += 0x9E3779B97F4A7C15;  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
 *            z = (z ^ z >> 27) * 0x94D049BB133111EB;  z ^ z >> 31
 * (SplitMix64's finaliser: Steele, Lea, Flood 2014, doi:10.1145/2714064.2660195). Alpha, stride and
 * padding do not count. A sum has no order, so any split over threads or devices gives the
 * same digest. */
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

ZCK_INLINE void zci_sums_init(struct zci_sums *sums)
{
    sums->sum[0] = sums->sum[1] = sums->sum[2] = 0;
    sums->count = 0;
    sums->digest = 0;
    sums->min = UINT32_MAX;
    sums->max = 0;
}

/* Any order, any grouping: the same result. */
ZCK_INLINE void zci_sums_merge(struct zci_sums *into, const struct zci_sums *from)
{
    for (int c = 0; c < 3; c++)
        into->sum[c] += from->sum[c];
    into->count += from->count;
    into->digest += from->digest;
    into->min = from->min < into->min ? from->min : into->min;
    into->max = from->max > into->max ? from->max : into->max;
}

/* Gray-world. The gains that make all sums equal to green's, over the least of them, are gain[c]
 * = greatest sum / sum[c]: in Q12, rounded half up, below 16. A colour whose sum is 0 cannot be
 * balanced and gets the greatest gain. Without unclipped pixels, or in the dark, all gains are
 * 1. */
ZCK_INLINE void zck_wb_gains(const struct zci_reduce *reduce, const struct zci_sums *sums,
                             uint32_t gain[3])
{
    /* A Bayer cell has two greens. */
    const uint64_t times = reduce->pixel.layout == ZCI_BAYER ? 2 : 1;
    uint64_t sum[3], max = 0;
    for (int c = 0; c < 3; c++) {
        sum[c] = sums->sum[c] * (c == 1 ? 1 : times);
        max = sum[c] > max ? sum[c] : max;
    }
    uint32_t shift = 0; /* makes room for Q12; the bits lost cannot change a gain */
    while (max >> shift >> 51)
        shift++;
    for (int c = 0; c < 3; c++) {
        const uint64_t part = sum[c] >> shift;
        const uint64_t q12 = part ? (((max >> shift) << 12) + part / 2) / part : 65535;
        gain[c] = max == 0 ? 4096u : (uint32_t)(q12 < 65535 ? q12 : 65535);
    }
}

/* Sets the member of `out` that `reduce` computes and leaves the others as they are. */
ZCK_INLINE void zci_sums_finish(const struct zci_reduce *reduce, const struct zci_sums *sums,
                                struct zci_dynamic *out)
{
    if (reduce->kind == ZCI_REDUCE_WB)
        zck_wb_gains(reduce, sums, out->gain);
    else if (reduce->kind == ZCI_REDUCE_RANGE)
        out->scale = zci_scale_make(sums->min, sums->max - sums->min,
                                    ZCK_MAX((uint32_t)reduce->pixel.depth));
    else
        out->digest = sums->digest;
}

#endif
