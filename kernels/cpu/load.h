/* SPDX-License-Identifier: MIT */
/* The load rows of the kernel table: one function for each unpack kind, in the slot of each depth that
 * it fills. */
#ifndef ZCK_CPU_LOAD_H
#define ZCK_CPU_LOAD_H

#include "kernels/cpu/table.h"
#include "kernels/cpu/variant.h"

#define ZCK_LOAD(kind)                                                                             \
    void ZCK_NAME(zck_load_##kind)(const struct zci_load *load,                                    \
                                   const uint8_t *const plane[ZCS_MAX_PLANES], uint32_t y,         \
                                   void *out)

/* load_code.c and load_packed.c: codes; the depth follows from load->bits. */
ZCK_LOAD(u8);
ZCK_LOAD(u16);
ZCK_LOAD(u16be);
ZCK_LOAD(p10);
ZCK_LOAD(p12);
ZCK_LOAD(p14);
/* load_yuv.c and load_rgb.c: RGBA of load->pixel.depth. */
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

#define ZCK_LOAD_BOTH(kind)                                                                        \
    {                                                                                              \
        ZCK_NAME(zck_load_##kind), ZCK_NAME(zck_load_##kind)                                       \
    }

#define ZCK_LOAD_ROWS                                                                              \
    [ZCI_UNPACK_U8] = {ZCK_NAME(zck_load_u8), NULL}, [ZCI_UNPACK_U16] = ZCK_LOAD_BOTH(u16),        \
    [ZCI_UNPACK_U16BE] = ZCK_LOAD_BOTH(u16be), [ZCI_UNPACK_P10] = ZCK_LOAD_BOTH(p10),              \
    [ZCI_UNPACK_P12] = ZCK_LOAD_BOTH(p12), [ZCI_UNPACK_P14] = ZCK_LOAD_BOTH(p14),                  \
    [ZCI_UNPACK_YUV422] = ZCK_LOAD_BOTH(yuv422), [ZCI_UNPACK_SEMI8] = ZCK_LOAD_BOTH(semi8),        \
    [ZCI_UNPACK_SEMI10] = ZCK_LOAD_BOTH(semi10), [ZCI_UNPACK_PLANAR8] = ZCK_LOAD_BOTH(planar8),    \
    [ZCI_UNPACK_PLANAR16] = ZCK_LOAD_BOTH(planar16), [ZCI_UNPACK_RGB24] = ZCK_LOAD_BOTH(rgb24),    \
    [ZCI_UNPACK_RGB32] = ZCK_LOAD_BOTH(rgb32), [ZCI_UNPACK_RGB565] = ZCK_LOAD_BOTH(rgb565),        \
    [ZCI_UNPACK_RGB565BE] = ZCK_LOAD_BOTH(rgb565be), [ZCI_UNPACK_RGBA64] = ZCK_LOAD_BOTH(rgba64)

#endif
