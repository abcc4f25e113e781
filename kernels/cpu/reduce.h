/* SPDX-License-Identifier: MIT */
/* Row functions of the reductions; kernels/sums.h has what is done with the sums. */
#ifndef ZCK_CPU_REDUCE_H
#define ZCK_CPU_REDUCE_H

#include "kernels/sums.h"
#include "kernels/cpu/table.h"
#include "kernels/cpu/variant.h"

#define ZCK_REDUCE_ROWS                                                                            \
    [ZCI_REDUCE_WB] = {ZCK_NAME(zck_reduce_wb_8), ZCK_NAME(zck_reduce_wb_16)},                     \
    [ZCI_REDUCE_RANGE] = {ZCK_NAME(zck_reduce_range_8), ZCK_NAME(zck_reduce_range_16)},            \
    [ZCI_REDUCE_DIGEST] = {ZCK_NAME(zck_reduce_digest_8), ZCK_NAME(zck_reduce_digest_16)}

#define ZCK_REDUCE_ROW(kind, bits)                                                                 \
    void ZCK_NAME(zck_reduce_##kind##_##bits)(const struct zci_reduce *reduce, const void *above,  \
                                              const void *row, uint32_t y, struct zci_sums *sums)
ZCK_REDUCE_ROW(wb, 8);
ZCK_REDUCE_ROW(wb, 16);
ZCK_REDUCE_ROW(range, 8);
ZCK_REDUCE_ROW(range, 16);
ZCK_REDUCE_ROW(digest, 8);
ZCK_REDUCE_ROW(digest, 16);

#endif
