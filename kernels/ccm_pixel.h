/* SPDX-License-Identifier: MIT */
/* One channel of a colour matrix in Q16: clamp((m0 * r + m1 * g + m2 * b + 2^15) >> 16). */
#ifndef ZCK_CCM_PIXEL_H
#define ZCK_CCM_PIXEL_H

#include <stdint.h>

#include "kernels/inline.h"

/* |m| is at most 2^20. The sum needs 39 bits; taken in two halves of the samples it needs 32 and gives the
 * same floor, since 256 * high + low, halved 16 times, is (high + (low >> 8)) >> 8. Shifts of negative
 * numbers are arithmetic in every compiler this is built with. */
ZCK_INLINE uint32_t zck_ccm(int32_t m0, int32_t m1, int32_t m2, uint32_t r, uint32_t g, uint32_t b,
                            uint32_t max)
{
    const int32_t high = m0 * (int32_t)(r >> 8) + m1 * (int32_t)(g >> 8) + m2 * (int32_t)(b >> 8);
    const int32_t low =
        m0 * (int32_t)(r & 255u) + m1 * (int32_t)(g & 255u) + m2 * (int32_t)(b & 255u) + 32768;
    return (uint32_t)zck_clamp((high + (low >> 8)) >> 8, (int32_t)max);
}

#endif
