/* SPDX-License-Identifier: MIT */
/* The point operations over a row: SCALE, GAIN, TABLE, CCM and GRAY. */
#include "kernels/cpu/variant.h"

#include <string.h>

#include "kernels/point_pixel.h"

/* SCALE: a range of samples to the full range of a depth. */
static struct zci_scale scale_of(const struct zci_op *op, const struct zci_dynamic *dynamic)
{
    return op->state >= 0 ? dynamic[op->state].scale : op->u.scale;
}

/* Sets alpha, which the loop over all samples scaled with the others: that keeps this loop free of
 * branches. */
#define ALPHA(op, to, width, out_bits)                                                             \
    for (uint32_t x = 0; (op)->in.layout == ZCI_RGBA && x < (width); x++)                          \
    (to)[4 * (size_t)x + 3] = ZCK_MAX(out_bits)

/* Equal depths work in place, so that the compiler needs no alias check before the loop. */
#define SCALE_SAME(bits)                                                                           \
    ZCK_OP(scale, bits, bits)                                                                      \
    {                                                                                              \
        (void)tables, (void)y;                                                                     \
        const struct zci_scale s = scale_of(op, dynamic);                                          \
        const size_t count = (op->in.layout == ZCI_RGBA ? 4 : 1) * (size_t)width;                  \
        uint##bits##_t *to = out;                                                                  \
        if (in != out)                                                                             \
            memcpy(out, in, count * sizeof *to);                                                   \
        for (size_t i = 0; i < count; i++)                                                         \
            to[i] = (uint##bits##_t)zck_scale(to[i], s);                                           \
        ALPHA(op, to, width, bits);                                                                \
    }

#define SCALE_OTHER(in_bits, out_bits)                                                             \
    ZCK_OP(scale, in_bits, out_bits)                                                               \
    {                                                                                              \
        (void)tables, (void)y;                                                                     \
        const struct zci_scale s = scale_of(op, dynamic);                                          \
        const size_t count = (op->in.layout == ZCI_RGBA ? 4 : 1) * (size_t)width;                  \
        const uint##in_bits##_t *restrict from = in;                                               \
        uint##out_bits##_t *restrict to = out;                                                     \
        for (size_t i = 0; i < count; i++)                                                         \
            to[i] = (uint##out_bits##_t)zck_scale(from[i], s);                                     \
        ALPHA(op, to, width, out_bits);                                                            \
    }

SCALE_SAME(8)
SCALE_SAME(16)
SCALE_OTHER(8, 16)
SCALE_OTHER(16, 8)

/* GAIN: a factor for each colour of a mosaic or of RGBA. These are the factors of four samples in a
 * row, the first of which is at an x divisible by 4; alpha's factor is 1. */
static void gain_pattern(const struct zci_op *op, const struct zci_dynamic *dynamic, uint32_t y,
                         uint32_t gain[4])
{
    const uint32_t *rgb = op->state >= 0 ? dynamic[op->state].gain : op->u.gain;
    for (uint32_t i = 0; i < 4; i++)
        if (op->in.layout == ZCI_RGBA)
            gain[i] = i < 3 ? rgb[i] : 4096u;
        else
            gain[i] = op->in.layout == ZCI_BAYER ? rgb[zck_cfa_color(i, y, op->in.cfa)] : rgb[1];
}

#define GAIN(bits)                                                                                 \
    ZCK_OP(gain, bits, bits)                                                                       \
    {                                                                                              \
        (void)tables;                                                                              \
        uint32_t gain[4];                                                                          \
        gain_pattern(op, dynamic, y, gain);                                                        \
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

GAIN(8)
GAIN(16)

/* TABLE: each sample but alpha is replaced by its entry in a table. */
#define LOOKUP(in_bits, out_bits)                                                                  \
    ZCK_OP(lookup, in_bits, out_bits)                                                              \
    {                                                                                              \
        (void)dynamic, (void)y;                                                                    \
        const uint##out_bits##_t *table = tables[op->u.table].data;                                \
        const uint##in_bits##_t *from = in;                                                        \
        uint##out_bits##_t *to = out;                                                              \
        if (op->in.layout != ZCI_RGBA) {                                                           \
            for (uint32_t x = 0; x < width; x++)                                                   \
                to[x] = table[from[x]];                                                            \
            return;                                                                                \
        }                                                                                          \
        for (uint32_t x = 0; x < width; x++, from += 4, to += 4) {                                 \
            to[0] = table[from[0]];                                                                \
            to[1] = table[from[1]];                                                                \
            to[2] = table[from[2]];                                                                \
            to[3] = ZCK_MAX(out_bits);                                                             \
        }                                                                                          \
    }

LOOKUP(8, 8)
LOOKUP(8, 16)
LOOKUP(16, 8)
LOOKUP(16, 16)

/* CCM: a 3x3 matrix for each pixel of RGBA. */
#define CCM(bits)                                                                                  \
    ZCK_OP(ccm, bits, bits)                                                                        \
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

CCM(8)
CCM(16)

/* GRAY: RGBA to MONO. */
#define GRAY(bits)                                                                                 \
    ZCK_OP(gray, bits, bits)                                                                       \
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

GRAY(8)
GRAY(16)
