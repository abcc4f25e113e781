/* SPDX-License-Identifier: MIT */
/* A pixel's weighted mean in Q16. */
#ifndef ZCK_GRAY_PIXEL_H
#define ZCK_GRAY_PIXEL_H

#include <stdint.h>

#include "kernels/inline.h"

/* The weights add up to 2^16: white stays white, and the sum with its half fits 32 bits. */
ZCK_INLINE uint32_t zck_gray(uint32_t r, uint32_t g, uint32_t b, uint32_t wr, uint32_t wg,
                             uint32_t wb)
{
    return (wr * r + wg * g + wb * b + 32768u) >> 16;
}

#endif
