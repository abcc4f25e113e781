/* SPDX-License-Identifier: MIT */
/* Conversions of the bytes of a file's frame to those of its image, in place. */
#include "source/replay/conversion.h"

#include <string.h>

static size_t bytes_411(const struct zcs_image *image)
{
    const size_t width = image->width, height = image->height;
    return width * height + 2 * ((width + 3) / 4) * height;
}

size_t zci_conversion_file_bytes(enum zci_conversion fix, const struct zcs_image *image)
{
    if (fix == ZCI_CONVERT_411)
        return bytes_411(image);
    if (fix == ZCI_CONVERT_DROP_ALPHA)
        return image->size_bytes / 3 * 4;
    if (fix == ZCI_CONVERT_EXPAND)
        return image->size_bytes / 4 * 3;
    if (fix == ZCI_CONVERT_GAPS)
        return image->size_bytes + (image->planes - 1) * (size_t)ZCI_PLANE_HEADER_BYTES;
    return image->size_bytes;
}

static void swap_words(uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i + 1 < bytes; i += 2) {
        const uint8_t first = data[i];
        data[i] = data[i + 1];
        data[i + 1] = first;
    }
}

/* round(v * max / full), clamped to max. */
static uint32_t scaled(uint32_t v, uint32_t full, uint32_t max)
{
    const uint32_t value = v < full ? v : full;
    return (uint32_t)(((uint64_t)value * max * 2 + full) / (2 * (uint64_t)full));
}

static void scale_bytes(uint8_t *data, size_t bytes, uint32_t full)
{
    uint8_t table[256];
    for (uint32_t v = 0; v < 256; v++)
        table[v] = (uint8_t)scaled(v, full, 255);
    for (size_t i = 0; i < bytes; i++)
        data[i] = table[data[i]];
}

static void scale_words(uint8_t *data, size_t bytes, uint32_t full)
{
    for (size_t i = 0; i + 1 < bytes; i += 2) {
        const uint32_t word = scaled((uint32_t)data[i] << 8 | data[i + 1], full, 65535);
        data[i] = (uint8_t)(word >> 8);
        data[i + 1] = (uint8_t)word;
    }
}

/* Backwards, because the output is larger than the input and overwrites it. */
static void expand(uint8_t *data, size_t pixels, uint32_t full)
{
    for (size_t i = pixels; i-- > 0;) {
        uint32_t word[4] = {0, 0, 0, 65535};
        for (size_t c = 0; c < 3; c++)
            word[c] =
                scaled((uint32_t)data[6 * i + 2 * c] << 8 | data[6 * i + 2 * c + 1], full, 65535);
        for (size_t c = 0; c < 4; c++) {
            data[8 * i + 2 * c] = (uint8_t)word[c];
            data[8 * i + 2 * c + 1] = (uint8_t)(word[c] >> 8);
        }
    }
}

static void remove_plane_headers(uint8_t *data, const struct zcs_image *image)
{
    for (uint32_t p = 1; p < image->planes; p++) {
        const size_t end = p + 1 < image->planes ? image->offset_bytes[p + 1] : image->size_bytes;
        memmove(data + image->offset_bytes[p],
                data + image->offset_bytes[p] + p * (size_t)ZCI_PLANE_HEADER_BYTES,
                end - image->offset_bytes[p]);
    }
}

/* Backwards, because the output is larger than the input and overwrites it. */
static void expand_411(uint8_t *data, const struct zcs_image *image)
{
    const size_t luma = (size_t)image->width * image->height;
    const size_t in_file = ((size_t)image->width + 3) / 4, width = ((size_t)image->width + 1) / 2;
    for (size_t p = 3; p-- > 1;)
        for (size_t y = image->height; y-- > 0;) {
            const uint8_t *from = data + luma + ((p - 1) * image->height + y) * in_file;
            uint8_t *to = data + image->offset_bytes[p] + y * image->stride_bytes[p];
            for (size_t x = width; x-- > 0;)
                to[x] = from[x / 2];
        }
}

/* Limited range and chroma double. Luma in full range gets the nearest of v * 1023 / 511. */
static void widen_9_bits(uint8_t *data, const struct zcs_image *image)
{
    const size_t full = image->color.range == ZCS_RANGE_FULL ? image->offset_bytes[1] : 0;
    for (size_t i = 0; i + 1 < image->size_bytes; i += 2) {
        const uint32_t v = (uint32_t)data[i] | (uint32_t)data[i + 1] << 8;
        const uint32_t code = v < 511 ? v : 511;
        const uint32_t out = 2 * code + (i < full && code >= 256);
        data[i] = (uint8_t)out;
        data[i + 1] = (uint8_t)(out >> 8);
    }
}

void zci_convert(enum zci_conversion fix, const struct zcs_image *image, uint32_t full,
                 uint8_t *data)
{
    switch (fix) {
    case ZCI_CONVERT_SWAP:
        swap_words(data, image->size_bytes);
        break;
    case ZCI_CONVERT_SCALE8:
        scale_bytes(data, image->size_bytes, full);
        break;
    case ZCI_CONVERT_SCALE16:
        scale_words(data, image->size_bytes, full);
        break;
    case ZCI_CONVERT_EXPAND:
        expand(data, image->size_bytes / 8, full);
        break;
    case ZCI_CONVERT_GAPS:
        remove_plane_headers(data, image);
        break;
    case ZCI_CONVERT_411:
        expand_411(data, image);
        break;
    case ZCI_CONVERT_9_BITS:
        widen_9_bits(data, image);
        break;
    case ZCI_CONVERT_DROP_ALPHA:
    case ZCI_CONVERT_NONE:
        break;
    }
}
