/* SPDX-License-Identifier: MIT */
/* What reductions add up: the neutral element, merging, and how sums become a frame's parameters. */
#ifndef ZCK_SUMS_H
#define ZCK_SUMS_H

#include "core/plan.h"
#include "core/scale.h"
#include "kernels/inline.h"

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

/* Gray-world. The gains that make all sums equal to green's, over the least of them, are
 * gain[c] = greatest sum / sum[c]: in Q12, rounded half up, below 16. A colour without any light cannot be
 * balanced and gets the greatest gain; without unclipped pixels, or in the dark, all gains are 1. */
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
    uint32_t shift = 0; /* room for Q12; sums that large lose nothing that a gain could show */
    while (max >> shift >> 51)
        shift++;
    for (int c = 0; c < 3; c++) {
        const uint64_t part = sum[c] >> shift;
        const uint64_t q12 = part ? (((max >> shift) << 12) + part / 2) / part : 65535;
        gain[c] = max == 0 ? 4096u : (uint32_t)(q12 < 65535 ? q12 : 65535);
    }
}

/* Fills what `reduce` makes and leaves the rest of `out` as it is. */
ZCK_INLINE void zci_sums_finish(const struct zci_reduce *reduce, const struct zci_sums *sums,
                                struct zci_dynamic *out)
{
    if (reduce->kind == ZCI_REDUCE_WB)
        zck_wb_gains(reduce, sums, out->gain);
    else if (reduce->kind == ZCI_REDUCE_RANGE)
        out->scale =
            zci_scale_of(sums->min, sums->max - sums->min, ZCK_MAX((uint32_t)reduce->pixel.depth));
    else
        out->digest = sums->digest;
}

#endif
