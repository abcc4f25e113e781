/* SPDX-License-Identifier: MIT */
/* The table of pixel formats, from formats.def, and the load step of an image. */
#ifndef ZCI_CORE_FORMAT_H
#define ZCI_CORE_FORMAT_H

#include "zcstream/format.h"
#include "core/plan.h"

struct zci_format {
    struct zcs_pixfmt_info info;
    uint8_t unpack; /* enum zci_unpack */
    uint16_t arg;   /* formats.def's last column */
};

/* NULL for ZCS_PIXFMT_NONE and numbers beyond the table. Any thread. */
const struct zci_format *zci_format(enum zcs_pixfmt format);

/* The format of an image of working pixels: GREY, Y16, S....8, S....16, RGBA32 or RGBA64. Any
 * thread. */
enum zcs_pixfmt zci_pixel_format(struct zci_pixel pixel);

/* The bytes of a row of plane `plane` that unpacking reads: the least stride, but whole groups of
 * packed formats where the stride has room for them. Any thread. */
size_t zci_image_row_bytes(const struct zcs_image *image, uint32_t plane);

/* The load step for an image: how its rows become working pixels. `image` passed zcs_image_check.
 * `depth` (8 or 16) is what YUV and RGB formats load to; MONO and BAYER load codes of 8 bits if
 * image->bits <= 8, else 16. */
void zci_load_make(struct zci_load *out, const struct zcs_image *image, uint32_t depth);

#endif
