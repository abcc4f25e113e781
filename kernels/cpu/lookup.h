/* SPDX-License-Identifier: MIT */
/* Row functions of TABLE. */
#ifndef ZCK_CPU_LOOKUP_H
#define ZCK_CPU_LOOKUP_H

#include "kernels/cpu/table.h"
#include "kernels/cpu/variant.h"

#define ZCK_LOOKUP_ROWS                                                                            \
    [ZCI_OP_TABLE] = {{ZCK_NAME(zck_lookup_8_8), ZCK_NAME(zck_lookup_8_16)},                       \
                      {ZCK_NAME(zck_lookup_16_8), ZCK_NAME(zck_lookup_16_16)}}

#define ZCK_LOOKUP_ROW(in_bits, out_bits)                                                          \
    void ZCK_NAME(zck_lookup_##in_bits##_##out_bits)(                                              \
        const struct zci_op *op, const struct zci_dynamic *dynamic,                                \
        const struct zci_table *tables, const void *in, void *out, uint32_t width, uint32_t y)
ZCK_LOOKUP_ROW(8, 8);
ZCK_LOOKUP_ROW(8, 16);
ZCK_LOOKUP_ROW(16, 8);
ZCK_LOOKUP_ROW(16, 16);

#endif
