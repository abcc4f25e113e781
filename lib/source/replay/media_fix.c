/* SPDX-License-Identifier: MIT */
/* Putting frames right in their slots: byte order, range, a fourth sample, gaps. */
#include "source/replay/media_fix.h"

#include <string.h>

#include "core/vhdr.h"

size_t zci_fix_file_bytes(enum zci_fix fix, const struct zcs_image *image)
{
    if (fix == ZCI_FIX_EXPAND)
        return image->size_bytes / 4 * 3;
    if (fix == ZCI_FIX_GAPS)
        return image->size_bytes + (image->planes - 1) * (size_t)ZCI_VHDR_NEXT_BYTES;
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

/* round(v * most / max), kept in range. */
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

/* From the last pixel on, so that none is overwritten before it was read. */
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

static void close_gaps(uint8_t *data, const struct zcs_image *image)
{
    for (uint32_t p = 1; p < image->planes; p++) {
        const size_t end = p + 1 < image->planes ? image->offset_bytes[p + 1] : image->size_bytes;
        memmove(data + image->offset_bytes[p],
                data + image->offset_bytes[p] + p * (size_t)ZCI_VHDR_NEXT_BYTES,
                end - image->offset_bytes[p]);
    }
}

void zci_fix_apply(enum zci_fix fix, const struct zcs_image *image, uint32_t full, uint8_t *data)
{
    switch (fix) {
    case ZCI_FIX_SWAP:
        swap_words(data, image->size_bytes);
        break;
    case ZCI_FIX_SCALE8:
        scale_bytes(data, image->size_bytes, full);
        break;
    case ZCI_FIX_SCALE16:
        scale_words(data, image->size_bytes, full);
        break;
    case ZCI_FIX_EXPAND:
        expand(data, image->size_bytes / 8, full);
        break;
    case ZCI_FIX_GAPS:
        close_gaps(data, image);
        break;
    case ZCI_FIX_NONE:
        break;
    }
}
