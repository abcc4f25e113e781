/* SPDX-License-Identifier: MIT */
/* Fills the load step from a format's row and an image's layout. */
#include "core/load.h"

#include <assert.h>
#include <string.h>

#include "core/color.h"
#include "core/format.h"

static struct zci_pixel pixel_of(const struct zci_format *row, uint32_t bits, uint32_t depth)
{
    const uint8_t code_depth = bits <= 8 ? 8 : 16;
    if (row->info.model == ZCS_MODEL_MONO)
        return (struct zci_pixel){.layout = ZCI_MONO, .depth = code_depth};
    if (row->info.model == ZCS_MODEL_BAYER)
        return (struct zci_pixel){ZCI_BAYER, code_depth, (uint8_t)row->arg};
    return (struct zci_pixel){.layout = ZCI_RGBA, .depth = (uint8_t)depth};
}

void zci_load_make(struct zci_load *out, const struct zcs_image *image, uint32_t depth)
{
    const struct zci_format *row = zci_format(image->format);
    assert(row && row->unpack != ZCI_UNPACK_NONE);
    *out = (struct zci_load){
        .unpack = row->unpack,
        .bits = (uint8_t)image->bits,
        .shift = (uint8_t)image->shift,
        .hsub = (uint8_t)row->info.hsub,
        .vsub = (uint8_t)row->info.vsub,
        .arg = row->arg,
        .pixel = pixel_of(row, image->bits, depth),
        .width = image->width,
        .height = image->height,
    };
    /* Those of planes that the format does not have are not checked, and stay 0. */
    memcpy(out->stride_bytes, image->stride_bytes, row->info.planes * sizeof *out->stride_bytes);
    memcpy(out->offset_bytes, image->offset_bytes, row->info.planes * sizeof *out->offset_bytes);
    if (row->info.model == ZCS_MODEL_YUV)
        out->yuv =
            zci_yuv_make(zci_color_resolve(image->format, image->color), row->info.bits, depth);
}
