/* SPDX-License-Identifier: MIT */
/* Row functions of CCM. */
#ifndef ZCK_CPU_CCM_H
#define ZCK_CPU_CCM_H

#include "kernels/cpu/table.h"
#include "kernels/cpu/variant.h"

#define ZCK_CCM_ROWS [ZCI_OP_CCM] = {{ZCK_NAME(zck_ccm_8), NULL}, {NULL, ZCK_NAME(zck_ccm_16)}}

#define ZCK_CCM_ROW(bits)                                                                          \
    void ZCK_NAME(zck_ccm_##bits)(const struct zci_op *op, const struct zci_dynamic *dynamic,      \
                                  const struct zci_table *tables, const void *in, void *out,       \
                                  uint32_t width, uint32_t y)
ZCK_CCM_ROW(8);
ZCK_CCM_ROW(16);

#endif
