/* SPDX-License-Identifier: MIT */
/* CCM over a row of RGBA: a 3x3 matrix for each pixel. */
#include "kernels/cpu/ccm.h"

#include <string.h>

#include "kernels/ccm_pixel.h"

#define ROW(bits)                                                                                  \
    ZCK_CCM_ROW(bits)                                                                              \
    {                                                                                              \
        (void)dynamic, (void)tables, (void)y;                                                      \
        int32_t m[9];                                                                              \
        memcpy(m, op->u.ccm, sizeof m);                                                            \
        uint##bits##_t *to = out;                                                                  \
        if (in != out)                                                                             \
            memcpy(out, in, 4 * sizeof *to * (size_t)width);                                       \
        for (uint32_t x = 0; x < width; x++) {                                                     \
            uint##bits##_t *p = to + 4 * (size_t)x;                                                \
            const uint32_t r = p[0], g = p[1], b = p[2];                                           \
            p[0] = (uint##bits##_t)zck_ccm(m[0], m[1], m[2], r, g, b, ZCK_MAX(bits));              \
            p[1] = (uint##bits##_t)zck_ccm(m[3], m[4], m[5], r, g, b, ZCK_MAX(bits));              \
            p[2] = (uint##bits##_t)zck_ccm(m[6], m[7], m[8], r, g, b, ZCK_MAX(bits));              \
            p[3] = ZCK_MAX(bits);                                                                  \
        }                                                                                          \
    }

ROW(8)
ROW(16)
