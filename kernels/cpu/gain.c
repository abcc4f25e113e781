/* SPDX-License-Identifier: MIT */
/* GAIN over a row: a factor for each colour, of a mosaic or of RGBA. */
#include "kernels/cpu/gain.h"

#include <string.h>

#include "kernels/gain_pixel.h"

/* The four factors of four samples from an x divisible by 4 on; alpha's is 1. */
static void pattern(const struct zci_op *op, const struct zci_dynamic *dynamic, uint32_t y,
                    uint32_t gain[4])
{
    const uint32_t *rgb = op->state >= 0 ? dynamic[op->state].gain : op->u.gain;
    for (uint32_t i = 0; i < 4; i++)
        if (op->in.layout == ZCI_RGBA)
            gain[i] = i < 3 ? rgb[i] : 4096u;
        else
            gain[i] = op->in.layout == ZCI_BAYER ? rgb[zck_cfa_color(i, y, op->in.cfa)] : rgb[1];
}

#define ROW(bits)                                                                                  \
    ZCK_GAIN_ROW(bits)                                                                             \
    {                                                                                              \
        (void)tables;                                                                              \
        uint32_t gain[4];                                                                          \
        pattern(op, dynamic, y, gain);                                                             \
        const size_t count = (op->in.layout == ZCI_RGBA ? 4 : 1) * (size_t)width;                  \
        uint##bits##_t *to = out;                                                                  \
        if (in != out)                                                                             \
            memcpy(out, in, count * sizeof *to);                                                   \
        const uint32_t a = gain[0], b = gain[1], c = gain[2], d = gain[3];                         \
        size_t i = 0;                                                                              \
        for (; i + 4 <= count; i += 4) {                                                           \
            to[i] = (uint##bits##_t)zck_gain(to[i], a, ZCK_MAX(bits));                             \
            to[i + 1] = (uint##bits##_t)zck_gain(to[i + 1], b, ZCK_MAX(bits));                     \
            to[i + 2] = (uint##bits##_t)zck_gain(to[i + 2], c, ZCK_MAX(bits));                     \
            to[i + 3] = (uint##bits##_t)zck_gain(to[i + 3], d, ZCK_MAX(bits));                     \
        }                                                                                          \
        for (; i < count; i++)                                                                     \
            to[i] = (uint##bits##_t)zck_gain(to[i], gain[i & 3], ZCK_MAX(bits));                   \
    }

ROW(8)
ROW(16)
