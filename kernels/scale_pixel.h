/* SPDX-License-Identifier: MIT */
/* One sample through a SCALE: (clamp(v - sub, 0, span) * mul + 2^39) >> 40. */
#ifndef ZCK_SCALE_PIXEL_H
#define ZCK_SCALE_PIXEL_H

#include "core/plan.h"
#include "kernels/inline.h"

/* In 32 bits, which is four times as many lanes: the product's bits from 32 up are below 2^24 because
 * the result is below 2^16, and half of the last place is a multiple of 2^32. */
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

#endif
