/* SPDX-License-Identifier: MIT */
/* Row functions of GAIN. */
#ifndef ZCK_CPU_GAIN_H
#define ZCK_CPU_GAIN_H

#include "kernels/cpu/table.h"
#include "kernels/cpu/variant.h"

#define ZCK_GAIN_ROWS [ZCI_OP_GAIN] = {{ZCK_NAME(zck_gain_8), NULL}, {NULL, ZCK_NAME(zck_gain_16)}}

#define ZCK_GAIN_ROW(bits)                                                                         \
    void ZCK_NAME(zck_gain_##bits)(const struct zci_op *op, const struct zci_dynamic *dynamic,     \
                                   const struct zci_table *tables, const void *in, void *out,      \
                                   uint32_t width, uint32_t y)
ZCK_GAIN_ROW(8);
ZCK_GAIN_ROW(16);

#endif
