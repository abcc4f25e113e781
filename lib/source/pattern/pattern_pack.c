/* SPDX-License-Identifier: MIT */
/* The packers of grey, Bayer and R'G'B' formats, and the choice of a format's packer. */
#include "source/pattern/pattern_pack.h"

#include <string.h>

#include "source/pattern/pattern_yuv.h"

void zci_packer_init(struct zci_packer *packer, const struct zcs_image *image)
{
    *packer = (struct zci_packer){.image = *image, .format = zci_format(image->format)};
    packer->max = (1u << packer->format->info.bits) - 1;
    zci_packer_init_yuv(packer);
    /* Black, so that the memory of the last colour holds from the first pixel on. */
    packer->last_ycc.y = (uint16_t)packer->y_sub;
    packer->last_ycc.u = packer->last_ycc.v = (uint16_t)packer->c_sub;
}

/* round(value * max / 65535) */
static uint32_t scaled(uint32_t value, uint32_t max)
{
    return (uint32_t)(((uint64_t)value * max * 2 + 65535) / (2 * 65535));
}

/* The code of one cell of a grey or Bayer row. */
static uint32_t sample(const struct zci_packer *packer, struct zci_rgb color, uint32_t x,
                       uint32_t y)
{
    if (packer->format->info.model == ZCS_MODEL_MONO)
        return zci_packer_luma(packer, color, packer->max);
    const uint32_t from_red = ((x & 1) | (y & 1) << 1) ^ packer->format->arg;
    const uint32_t value = from_red == 0 ? color.r : from_red == 3 ? color.b : color.g;
    return scaled(value, packer->max);
}

/* High bytes of the group at pixel x: those of a whole group, unless it is a row's last, partial one and
 * the stride has no room for whole groups. The low bits follow them in either case. */
static uint32_t high_bytes(const struct zcs_image *image, uint32_t x, uint32_t pixels,
                           uint32_t bytes)
{
    const uint32_t left = image->width - x;
    const size_t whole = ((size_t)image->width + pixels - 1) / pixels * bytes;
    return left < pixels && image->stride_bytes[0] < whole ? left : pixels;
}

/* A row of groups: the high bytes of `pixels` samples, then the low bits of all, the first sample's
 * lowest. */
static void pack_groups(struct zci_packer *packer, uint8_t *row, uint32_t x, uint32_t y,
                        uint32_t width, const struct zci_rgb *colors)
{
    const uint32_t low_bits = packer->format->info.bits - 8;
    const uint32_t pixels = low_bits == 4 ? 2 : 4, bytes = pixels + pixels * low_bits / 8;
    for (uint32_t i = 0; i < width; i += pixels) {
        const uint32_t high = high_bytes(&packer->image, x + i, pixels, bytes);
        uint8_t *group = row + (size_t)(x + i) / pixels * bytes;
        uint32_t low = 0;
        memset(group, 0, high);
        for (uint32_t k = 0; k < pixels && i + k < width; k++) {
            const uint32_t value = sample(packer, colors[i + k], x + i + k, y);
            group[k] = (uint8_t)(value >> low_bits);
            low |= (value & ((1u << low_bits) - 1)) << (k * low_bits);
        }
        for (uint32_t k = 0; k < (high * low_bits + 7) / 8; k++)
            group[high + k] = (uint8_t)(low >> 8 * k);
    }
}

static void pack_words(struct zci_packer *packer, uint8_t *row, uint32_t x, uint32_t y,
                       uint32_t width, const struct zci_rgb *colors)
{
    const uint32_t low = packer->format->unpack == ZCI_UNPACK_U16BE;
    for (uint32_t i = 0; i < width; i++) {
        const uint32_t value = sample(packer, colors[i], x + i, y);
        uint8_t *out = row + 2 * ((size_t)x + i);
        out[low] = (uint8_t)value;
        out[1 - low] = (uint8_t)(value >> 8);
    }
}

static void pack_bytes(struct zci_packer *packer, uint8_t *row, uint32_t x, uint32_t y,
                       uint32_t width, const struct zci_rgb *colors)
{
    for (uint32_t i = 0; i < width; i++)
        row[x + i] = (uint8_t)sample(packer, colors[i], x + i, y);
}

/* Samples of one or two bytes, where formats.def's arg says; the fourth of a pixel of four is full. */
static void pack_rgb(struct zci_packer *packer, uint8_t *row, uint32_t x, uint32_t y,
                     uint32_t width, const struct zci_rgb *colors)
{
    (void)y;
    const uint32_t arg = packer->format->arg;
    const uint32_t place[3] = {arg & 15, arg >> 4 & 15, arg >> 8 & 15};
    const uint32_t samples = packer->format->unpack == ZCI_UNPACK_RGB24 ? 3 : 4;
    const uint32_t bytes = packer->format->unpack == ZCI_UNPACK_RGBA64 ? 2 : 1;
    for (uint32_t i = 0; i < width; i++) {
        const uint32_t value[3] = {colors[i].r, colors[i].g, colors[i].b};
        uint8_t *out = row + ((size_t)x + i) * samples * bytes;
        memset(out, 255, (size_t)samples * bytes);
        for (uint32_t c = 0; c < 3; c++) {
            const uint32_t scaled_value = scaled(value[c], packer->max);
            out[place[c] * bytes] = (uint8_t)scaled_value;
            if (bytes == 2)
                out[place[c] * 2 + 1] = (uint8_t)(scaled_value >> 8);
        }
    }
}

static void pack_565(struct zci_packer *packer, uint8_t *row, uint32_t x, uint32_t y,
                     uint32_t width, const struct zci_rgb *colors)
{
    (void)y;
    const uint32_t low = packer->format->unpack == ZCI_UNPACK_RGB565BE;
    for (uint32_t i = 0; i < width; i++) {
        const uint32_t word =
            scaled(colors[i].r, 31) << 11 | scaled(colors[i].g, 63) << 5 | scaled(colors[i].b, 31);
        uint8_t *out = row + 2 * ((size_t)x + i);
        out[low] = (uint8_t)word;
        out[1 - low] = (uint8_t)(word >> 8);
    }
}

typedef void (*pack_row_fn)(struct zci_packer *packer, uint8_t *row, uint32_t x, uint32_t y,
                            uint32_t width, const struct zci_rgb *colors);

static const pack_row_fn row_packers[ZCI_UNPACK_COUNT] = {
    [ZCI_UNPACK_U8] = pack_bytes,     [ZCI_UNPACK_U16] = pack_words,
    [ZCI_UNPACK_U16BE] = pack_words,  [ZCI_UNPACK_P10] = pack_groups,
    [ZCI_UNPACK_P12] = pack_groups,   [ZCI_UNPACK_P14] = pack_groups,
    [ZCI_UNPACK_RGB24] = pack_rgb,    [ZCI_UNPACK_RGB32] = pack_rgb,
    [ZCI_UNPACK_RGBA64] = pack_rgb,   [ZCI_UNPACK_RGB565] = pack_565,
    [ZCI_UNPACK_RGB565BE] = pack_565,
};

void zci_packer_rows(struct zci_packer *packer, uint8_t *base, uint32_t x, uint32_t y,
                     uint32_t width, const struct zci_rgb *const rows[2])
{
    const struct zcs_image *image = &packer->image;
    if (packer->format->unpack == ZCI_UNPACK_YUV422) {
        zci_packer_yuv422(packer, base, x, y, width, rows);
    } else if (packer->format->info.model == ZCS_MODEL_YUV) {
        zci_packer_planes(packer, base, x, y, width, rows);
    } else {
        const pack_row_fn pack = row_packers[packer->format->unpack];
        for (uint32_t row = 0; row < 2 && rows[row] != NULL; row++)
            pack(packer, base + image->offset_bytes[0] + (y + row) * image->stride_bytes[0], x,
                 y + row, width, rows[row]);
    }
}
