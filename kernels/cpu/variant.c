/* SPDX-License-Identifier: MIT */
/* The kernel table of one variant. */
#include "kernels/cpu/variant.h"

#define NAME(name) ZCK_NAME(zck_##name)
// clang-format off
#define BOTH(kind) {NAME(load_##kind), NAME(load_##kind)}
#define SAME(name) {{NAME(name##_8_8), NULL}, {NULL, NAME(name##_16_16)}}
#define EACH(name) {{NAME(name##_8_8), NAME(name##_8_16)}, {NAME(name##_16_8), NAME(name##_16_16)}}

static const struct zck_table table = {
    .name = ZCK_VARIANT_TEXT,
    .load = {
        [ZCI_UNPACK_U8] = {NAME(load_u8), NULL},
        [ZCI_UNPACK_U16] = BOTH(u16),
        [ZCI_UNPACK_U16BE] = BOTH(u16be),
        [ZCI_UNPACK_P10] = BOTH(p10),
        [ZCI_UNPACK_P12] = BOTH(p12),
        [ZCI_UNPACK_P14] = BOTH(p14),
        [ZCI_UNPACK_YUV422] = BOTH(yuv422),
        [ZCI_UNPACK_SEMI8] = BOTH(semi8),
        [ZCI_UNPACK_SEMI10] = BOTH(semi10),
        [ZCI_UNPACK_PLANAR8] = BOTH(planar8),
        [ZCI_UNPACK_PLANAR16] = BOTH(planar16),
        [ZCI_UNPACK_RGB24] = BOTH(rgb24),
        [ZCI_UNPACK_RGB32] = BOTH(rgb32),
        [ZCI_UNPACK_RGB565] = BOTH(rgb565),
        [ZCI_UNPACK_RGB565BE] = BOTH(rgb565be),
        [ZCI_UNPACK_RGBA64] = BOTH(rgba64),
    },
    .op = {
        [ZCI_OP_SCALE] = EACH(scale),
        [ZCI_OP_GAIN] = SAME(gain),
        [ZCI_OP_TABLE] = EACH(lookup),
        [ZCI_OP_CCM] = SAME(ccm),
        [ZCI_OP_GRAY] = SAME(gray),
    },
    .stencil = {
        [ZCI_STENCIL_BILINEAR] = {NAME(bilinear_8), NAME(bilinear_16)},
        [ZCI_STENCIL_MHC] = {NAME(mhc_8), NAME(mhc_16)},
    },
    .reduce = {
        [ZCI_REDUCE_WB] = {NAME(reduce_wb_8), NAME(reduce_wb_16)},
        [ZCI_REDUCE_RANGE] = {NAME(reduce_range_8), NAME(reduce_range_16)},
        [ZCI_REDUCE_DIGEST] = {NAME(reduce_digest_8), NAME(reduce_digest_16)},
    },
};
// clang-format on

const struct zck_table *ZCK_NAME(zck_table)(void)
{
    return &table;
}
