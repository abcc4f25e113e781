/* SPDX-License-Identifier: MIT */
/* The pixels of a result frame as encoders read them: rows, depth and channels. */
#include "app/output/picture.h"

#include <stdio.h>
#include <string.h>

int picture_of_image(struct picture *out, const struct zcs_image *image)
{
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(image->format);
    if (info == NULL || image->format == ZCS_PIXFMT_Y16_BE || (info->bits != 8 && info->bits != 16))
        return -1;
    const int rgba = image->format == ZCS_PIXFMT_RGBA32 || image->format == ZCS_PIXFMT_RGBA64;
    if (!rgba && info->model != ZCS_MODEL_MONO && info->model != ZCS_MODEL_BAYER)
        return -1;
    *out = (struct picture){
        .stride_bytes = image->stride_bytes[0],
        .width = image->width,
        .height = image->height,
        .depth = info->bits,
        .channels = rgba ? 3 : 1,
        .row_bytes = zcs_image_min_stride(image->format, image->width, 0),
    };
    return 0;
}

int picture_of_frame(struct picture *out, const struct zcs_frame *frame, char *why,
                     size_t why_bytes)
{
    if (frame->host == NULL || picture_of_image(out, &frame->image) != 0) {
        snprintf(why, why_bytes, "no picture that the CPU can read");
        return -1;
    }
    out->rows = (const unsigned char *)frame->host + frame->image.offset_bytes[0];
    return 0;
}

int picture_big_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}
