/* SPDX-License-Identifier: MIT */
/* The multiplier of a scale, for the planner and for reductions on any device. */
#ifndef ZCI_CORE_SCALE_H
#define ZCI_CORE_SCALE_H

#include "core/plan.h"

/* Exact rounding half up, for span and max_out below 2^16: the multiplier exceeds max_out * 2^40 / span by
 * less than 1, so a product exceeds the true one by less than 2^16, which is 2^-24 of the result's unit;
 * the true result lies on a grid of 1 / (2 * span) > 2^-18, so the excess never carries it to a next step,
 * and being an excess it never drops an exact half. */
#ifdef __CUDACC__
__host__ __device__
#endif
    static inline struct zci_scale
    zci_scale_of(uint32_t sub, uint32_t span, uint32_t max_out)
{
    struct zci_scale scale;
    scale.sub = sub;
    scale.span = span;
    scale.mul = span == 0 ? 0 : (((uint64_t)max_out << 40) + span - 1) / span;
    return scale;
}

#endif
