/* SPDX-License-Identifier: MIT */
/* TABLE over a row: each sample but alpha is replaced by its entry in a table. */
#include "kernels/cpu/lookup.h"

#include "kernels/inline.h"

#define ROW(in_bits, out_bits)                                                                     \
    ZCK_LOOKUP_ROW(in_bits, out_bits)                                                              \
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

ROW(8, 8)
ROW(8, 16)
ROW(16, 8)
ROW(16, 16)
