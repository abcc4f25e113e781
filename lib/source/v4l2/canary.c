/* SPDX-License-Identifier: MIT */
/* Poison words at a few places of each plane's pixels, paddings left out. */
#include "source/v4l2/canary.h"

#include <string.h>

#define SPOTS 5u
#define WORD_BYTES 8u

static const uint8_t word[WORD_BYTES] = {0xa7, 0x3c, 0x5e, 0xd1, 0x1b, 0xf4, 0x69, 0x82};

/* Place of spot `i` in plane `p`: down the plane, from the rows' left to their right. */
static size_t spot_at(const struct zcs_image *image, uint32_t p, uint32_t i, size_t bytes)
{
    const size_t last_row = zcs_image_rows(image->format, image->height, p) - 1;
    const size_t last_byte = zcs_image_min_stride(image->format, image->width, p) - bytes;
    return image->offset_bytes[p] + last_row * i / (SPOTS - 1) * image->stride_bytes[p] +
           last_byte * i / (SPOTS - 1);
}

static size_t word_bytes(const struct zcs_image *image, uint32_t p)
{
    const size_t row = zcs_image_min_stride(image->format, image->width, p);
    return row < WORD_BYTES ? row : WORD_BYTES;
}

void zci_v4l2_canary_fill(const struct zci_v4l2_layout *layout, void *base)
{
    const struct zcs_image *image = &layout->image;
    for (uint32_t p = 0; p < image->planes; p++)
        for (uint32_t i = 0; i < SPOTS; i++) {
            const size_t bytes = word_bytes(image, p);
            memcpy((uint8_t *)base + spot_at(image, p, i, bytes), word, bytes);
        }
}

int zci_v4l2_canary_intact(const struct zci_v4l2_layout *layout, const void *base)
{
    const struct zcs_image *image = &layout->image;
    for (uint32_t p = 0; p < image->planes; p++) {
        const size_t bytes = word_bytes(image, p);
        uint32_t left = 0;
        for (uint32_t i = 0; i < SPOTS; i++)
            left += memcmp((const uint8_t *)base + spot_at(image, p, i, bytes), word, bytes) == 0;
        if (left == SPOTS)
            return 1;
    }
    return 0;
}
