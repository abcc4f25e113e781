/* SPDX-License-Identifier: MIT */
/* SCALE over a row: a range of samples to the full range of a depth. */
#include "kernels/cpu/scale.h"

#include <string.h>

#include "kernels/scale_pixel.h"

static struct zci_scale scale_of(const struct zci_op *op, const struct zci_dynamic *dynamic)
{
    return op->state >= 0 ? dynamic[op->state].scale : op->u.scale;
}

/* Alpha is scaled with the others and put right afterwards: that keeps the first loop free of branches. */
#define ALPHA(op, to, width, out_bits)                                                             \
    for (uint32_t x = 0; (op)->in.layout == ZCI_RGBA && x < (width); x++)                          \
    (to)[4 * (size_t)x + 3] = ZCK_MAX(out_bits)

/* Equal depths work in place, so that no alias checks stand before the loop. */
#define SAME(bits)                                                                                 \
    ZCK_SCALE_ROW(bits, bits)                                                                      \
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

#define OTHER(in_bits, out_bits)                                                                   \
    ZCK_SCALE_ROW(in_bits, out_bits)                                                               \
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

SAME(8)
SAME(16)
OTHER(8, 16)
OTHER(16, 8)
