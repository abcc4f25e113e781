/* SPDX-License-Identifier: MIT */
/* Row functions of GRAY. */
#ifndef ZCK_CPU_GRAY_H
#define ZCK_CPU_GRAY_H

#include "kernels/cpu/table.h"
#include "kernels/cpu/variant.h"

#define ZCK_GRAY_ROWS [ZCI_OP_GRAY] = {{ZCK_NAME(zck_gray_8), NULL}, {NULL, ZCK_NAME(zck_gray_16)}}

#define ZCK_GRAY_ROW(bits)                                                                         \
    void ZCK_NAME(zck_gray_##bits)(const struct zci_op *op, const struct zci_dynamic *dynamic,     \
                                   const struct zci_table *tables, const void *in, void *out,      \
                                   uint32_t width, uint32_t y)
ZCK_GRAY_ROW(8);
ZCK_GRAY_ROW(16);

#endif
