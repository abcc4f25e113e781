/* SPDX-License-Identifier: MIT */
/* Row functions of the demosaicing stencils. */
#ifndef ZCK_CPU_DEMOSAIC_H
#define ZCK_CPU_DEMOSAIC_H

#include "kernels/cpu/table.h"
#include "kernels/cpu/variant.h"

#define ZCK_DEMOSAIC_ROWS                                                                          \
    [ZCI_STENCIL_BILINEAR] = {ZCK_NAME(zck_bilinear_8), ZCK_NAME(zck_bilinear_16)},                \
    [ZCI_STENCIL_MHC] = {ZCK_NAME(zck_mhc_8), ZCK_NAME(zck_mhc_16)}

#define ZCK_DEMOSAIC_ROW(method, bits)                                                             \
    void ZCK_NAME(zck_##method##_##bits)(const void *const rows[5], void *out, uint32_t width,     \
                                         uint32_t y, uint32_t cfa)
ZCK_DEMOSAIC_ROW(bilinear, 8);
ZCK_DEMOSAIC_ROW(bilinear, 16);
ZCK_DEMOSAIC_ROW(mhc, 8);
ZCK_DEMOSAIC_ROW(mhc, 16);

#endif
