/* SPDX-License-Identifier: MIT */
/* GRAY over a row: RGBA to MONO. */
#include "kernels/cpu/gray.h"

#include "kernels/gray_pixel.h"

#define ROW(bits)                                                                                  \
    ZCK_GRAY_ROW(bits)                                                                             \
    {                                                                                              \
        (void)dynamic, (void)tables, (void)y;                                                      \
        const uint32_t wr = op->u.gray[0], wg = op->u.gray[1], wb = op->u.gray[2];                 \
        const uint##bits##_t *restrict from = in;                                                  \
        uint##bits##_t *restrict to = out;                                                         \
        for (uint32_t x = 0; x < width; x++) {                                                     \
            const uint##bits##_t *p = from + 4 * (size_t)x;                                        \
            to[x] = (uint##bits##_t)zck_gray(p[0], p[1], p[2], wr, wg, wb);                        \
        }                                                                                          \
    }

ROW(8)
ROW(16)
