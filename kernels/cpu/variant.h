/* SPDX-License-Identifier: MIT */
/* The row functions of one variant: how their names are made, and their declarations. Every
 * external symbol of kernels/cpu is spelt ZCK_NAME(...), which appends _scalar, _base or _v3. */
#ifndef ZCK_CPU_VARIANT_H
#define ZCK_CPU_VARIANT_H

#include "kernels/cpu/table.h"

#define ZCK_GLUE2_(name, variant) name##_##variant
#define ZCK_GLUE_(name, variant) ZCK_GLUE2_(name, variant)
#define ZCK_NAME(name) ZCK_GLUE_(name, ZCK_VARIANT)
#define ZCK_TEXT2_(x) #x
#define ZCK_TEXT_(x) ZCK_TEXT2_(x)
#define ZCK_VARIANT_TEXT ZCK_TEXT_(ZCK_VARIANT)

/* The heads of the row functions, for their declarations and their definitions; table.h has the
 * types. */
#define ZCK_LOAD(kind)                                                                             \
    void ZCK_NAME(zck_load_##kind)(const struct zci_load *load,                                    \
                                   const uint8_t *const plane[ZCS_MAX_PLANES], uint32_t y,         \
                                   void *out)
#define ZCK_OP(kind, in_bits, out_bits)                                                            \
    void ZCK_NAME(zck_##kind##_##in_bits##_##out_bits)(                                            \
        const struct zci_op *op, const struct zci_dynamic *dynamic,                                \
        const struct zci_table *tables, const void *in, void *out, uint32_t width, uint32_t y)
#define ZCK_DEMOSAIC(method, bits)                                                                 \
    void ZCK_NAME(zck_##method##_##bits)(const void *const rows[5], void *out, uint32_t width,     \
                                         uint32_t y, uint32_t cfa)
#define ZCK_REDUCE(kind, bits)                                                                     \
    void ZCK_NAME(zck_reduce_##kind##_##bits)(const struct zci_reduce *reduce, const void *above,  \
                                              const void *row, uint32_t y, struct zci_sums *sums)

/* load.c: sensor codes, whose depth follows from load->bits ... */
ZCK_LOAD(u8);
ZCK_LOAD(u16);
ZCK_LOAD(u16be);
ZCK_LOAD(p10);
ZCK_LOAD(p12);
ZCK_LOAD(p14);
/* ... and Y'CbCr and RGB to RGBA of load->pixel.depth. */
ZCK_LOAD(yuv422);
ZCK_LOAD(semi8);
ZCK_LOAD(semi10);
ZCK_LOAD(planar8);
ZCK_LOAD(planar16);
ZCK_LOAD(rgb24);
ZCK_LOAD(rgb32);
ZCK_LOAD(rgb565);
ZCK_LOAD(rgb565be);
ZCK_LOAD(rgba64);

/* point.c */
ZCK_OP(scale, 8, 8);
ZCK_OP(scale, 8, 16);
ZCK_OP(scale, 16, 8);
ZCK_OP(scale, 16, 16);
ZCK_OP(gain, 8, 8);
ZCK_OP(gain, 16, 16);
ZCK_OP(lookup, 8, 8);
ZCK_OP(lookup, 8, 16);
ZCK_OP(lookup, 16, 8);
ZCK_OP(lookup, 16, 16);
ZCK_OP(ccm, 8, 8);
ZCK_OP(ccm, 16, 16);
ZCK_OP(gray, 8, 8);
ZCK_OP(gray, 16, 16);

/* demosaic.c */
ZCK_DEMOSAIC(bilinear, 8);
ZCK_DEMOSAIC(bilinear, 16);
ZCK_DEMOSAIC(mhc, 8);
ZCK_DEMOSAIC(mhc, 16);

/* reduce.c */
ZCK_REDUCE(wb, 8);
ZCK_REDUCE(wb, 16);
ZCK_REDUCE(range, 8);
ZCK_REDUCE(range, 16);
ZCK_REDUCE(digest, 8);
ZCK_REDUCE(digest, 16);

#endif
