/* SPDX-License-Identifier: MIT */
/* Packs pixels into every format: Y'CbCr, grey, Bayer and R'G'B'. */
#include "source/pattern/packer.h"

#include <string.h>

/* Sets the coefficients of packer->image. */
static void init_yuv(struct zci_packer *packer)
{
    const struct zcs_color *color = &packer->image.color;
    packer->kr = color->matrix == ZCS_MATRIX_BT709    ? 2126
                 : color->matrix == ZCS_MATRIX_BT2020 ? 2627
                                                      : 2990;
    packer->kb = color->matrix == ZCS_MATRIX_BT709    ? 722
                 : color->matrix == ZCS_MATRIX_BT2020 ? 593
                                                      : 1140;
    packer->kg = ZCI_LUMA_ONE - packer->kr - packer->kb;
    const int full = color->range == ZCS_RANGE_FULL;
    const uint32_t unit = (packer->max + 1) / 256;
    packer->y_sub = full ? 0 : 16 * unit;
    packer->y_span = full ? packer->max : 219 * unit;
    packer->c_sub = 128 * unit;
    packer->c_span = full ? packer->max : 224 * unit;
}

/* The sum of `n` colours. */
struct sum {
    int64_t r, g, b, n;
};

/* The sum of the lumas, times ZCI_LUMA_ONE. */
static int64_t luma_sum(const struct zci_packer *packer, const struct sum *s)
{
    return packer->kr * s->r + packer->kg * s->g + packer->kb * s->b;
}

/* round(sub + span * numerator / denominator), half up, clamped to the maximum code. */
static uint16_t code(const struct zci_packer *packer, uint32_t sub, uint32_t span,
                     int64_t numerator, int64_t denominator)
{
    const int64_t value =
        (2 * sub * denominator + 2 * span * numerator + denominator) / (2 * denominator);
    return (uint16_t)(value > packer->max ? packer->max : value);
}

/* A colour difference goes from -(1 - k) to 1 - k; scaled by 1 / (2 (1 - k)) to half the span. */
static uint16_t chroma(const struct zci_packer *packer, const struct sum *s, int64_t channel,
                       uint32_t k)
{
    const int64_t difference = channel * ZCI_LUMA_ONE - luma_sum(packer, s);
    const int64_t max = 2 * (int64_t)(ZCI_LUMA_ONE - k) * 65535 * s->n;
    return code(packer, packer->c_sub, packer->c_span, difference, max);
}

static struct zci_ycc convert(const struct zci_packer *packer, const struct sum *s)
{
    return (struct zci_ycc){
        .y = code(packer, packer->y_sub, packer->y_span, luma_sum(packer, s),
                  (int64_t)ZCI_LUMA_ONE * 65535 * s->n),
        .u = chroma(packer, s, s->b, packer->kb),
        .v = chroma(packer, s, s->r, packer->kr),
    };
}

static int same(struct zci_rgb a, struct zci_rgb b)
{
    return a.r == b.r && a.g == b.g && a.b == b.b;
}

static struct zci_ycc convert_one(struct zci_packer *packer, struct zci_rgb color)
{
    if (!same(color, packer->last)) {
        const struct sum s = {color.r, color.g, color.b, 1};
        packer->last = color;
        packer->last_ycc = convert(packer, &s);
    }
    return packer->last_ycc;
}

/* The mean of the group of `across` pixels from i on in both rows; rows[1] may be NULL. */
static struct zci_ycc convert_group(struct zci_packer *packer, const struct zci_rgb *const rows[2],
                                    uint32_t i, uint32_t across)
{
    const struct zci_rgb first = rows[0][i];
    struct sum s = {0};
    int alike = 1;
    for (int row = 0; row < 2; row++)
        for (uint32_t k = 0; rows[row] != NULL && k < across; k++) {
            const struct zci_rgb color = rows[row][i + k];
            alike &= same(color, first);
            s.r += color.r;
            s.g += color.g;
            s.b += color.b;
            s.n++;
        }
    return alike ? convert_one(packer, first) : convert(packer, &s);
}

/* The luma of a colour as a code of 0..span, rounded half up. */
static uint32_t luma_code(const struct zci_packer *packer, struct zci_rgb color, uint32_t span)
{
    const struct sum s = {color.r, color.g, color.b, 1};
    return code(packer, 0, span, luma_sum(packer, &s), (int64_t)ZCI_LUMA_ONE * 65535);
}

/* The last pixel of an odd width fills its group alone. */
static void pack_yuv422(struct zci_packer *packer, uint8_t *base, uint32_t x, uint32_t y,
                        uint32_t width, const struct zci_rgb *const rows[2])
{
    const uint32_t chroma_first = packer->format->arg & 1, swap = packer->format->arg & 2;
    for (uint32_t row = 0; row < 2 && rows[row] != NULL; row++) {
        const struct zci_rgb *const line[2] = {rows[row], NULL};
        uint8_t *out = base + packer->image.offset_bytes[0] +
                       (y + row) * packer->image.stride_bytes[0] + (size_t)x * 2;
        for (uint32_t i = 0; i < width; i += 2, out += 4) {
            const uint32_t across = i + 1 < width ? 2 : 1;
            const struct zci_ycc group = convert_group(packer, line, i, across);
            out[chroma_first] = (uint8_t)convert_one(packer, rows[row][i]).y;
            out[chroma_first + 2] = (uint8_t)convert_one(packer, rows[row][i + across - 1]).y;
            out[1 - chroma_first] = (uint8_t)(swap ? group.v : group.u);
            out[3 - chroma_first] = (uint8_t)(swap ? group.u : group.v);
        }
    }
}

/* Stores a code as one byte, or as a word, in its upper or lower bits. */
static void put(const struct zci_packer *packer, uint8_t *plane, size_t index, uint16_t value)
{
    const int top = packer->format->unpack == ZCI_UNPACK_SEMI10;
    if (!top && packer->format->unpack != ZCI_UNPACK_PLANAR16) {
        plane[index] = (uint8_t)value;
        return;
    }
    const uint32_t word = (uint32_t)value << (top ? 16 - packer->format->info.bits : 0);
    plane[2 * index] = (uint8_t)word;
    plane[2 * index + 1] = (uint8_t)(word >> 8);
}

static void put_chroma(const struct zci_packer *packer, uint8_t *base, uint32_t x, uint32_t y,
                       struct zci_ycc group)
{
    const struct zcs_image *image = &packer->image;
    const uint16_t first = packer->format->arg ? group.v : group.u;
    const uint16_t second = packer->format->arg ? group.u : group.v;
    uint8_t *row = base + image->offset_bytes[1] + y * image->stride_bytes[1];
    if (image->planes == 2) {
        put(packer, row, 2 * (size_t)x, first);
        put(packer, row, 2 * (size_t)x + 1, second);
        return;
    }
    put(packer, row, x, first);
    put(packer, base + image->offset_bytes[2] + y * image->stride_bytes[2], x, second);
}

static void pack_planes(struct zci_packer *packer, uint8_t *base, uint32_t x, uint32_t y,
                        uint32_t width, const struct zci_rgb *const rows[2])
{
    const struct zcs_image *image = &packer->image;
    const uint32_t hsub = packer->format->info.hsub, vsub = packer->format->info.vsub;
    for (uint32_t row = 0; row < 2 && rows[row] != NULL; row++) {
        uint8_t *luma = base + image->offset_bytes[0] + (y + row) * image->stride_bytes[0];
        for (uint32_t i = 0; i < width; i++)
            put(packer, luma, (size_t)x + i, convert_one(packer, rows[row][i]).y);
        if (row % vsub != 0)
            continue;
        const struct zci_rgb *const group[2] = {rows[row], vsub == 2 ? rows[1] : NULL};
        for (uint32_t i = 0; i < width; i += hsub) {
            const uint32_t across = width - i < hsub ? width - i : hsub;
            put_chroma(packer, base, (x + i) / hsub, (y + row) / vsub,
                       convert_group(packer, group, i, across));
        }
    }
}

/* round(value * max / 65535) */
static uint32_t scaled(uint32_t value, uint32_t max)
{
    return (uint32_t)(((uint64_t)value * max * 2 + 65535) / (2 * 65535));
}

/* The code of pixel (x, y) in a grey or Bayer format. */
static uint32_t sample(const struct zci_packer *packer, struct zci_rgb color, uint32_t x,
                       uint32_t y)
{
    if (packer->format->info.model == ZCS_MODEL_MONO)
        return luma_code(packer, color, packer->max);
    const uint32_t from_red = ((x & 1) | (y & 1) << 1) ^ packer->format->arg;
    const uint32_t value = from_red == 0 ? color.r : from_red == 3 ? color.b : color.g;
    return scaled(value, packer->max);
}

/* The number of high bytes in the group at pixel x: those of a whole group, except in a partial
 * group at the end of a row whose stride has no room for more. The low bits follow them. */
static uint32_t high_bytes(const struct zcs_image *image, uint32_t x, uint32_t pixels,
                           uint32_t bytes)
{
    const uint32_t left = image->width - x;
    const size_t whole = ((size_t)image->width + pixels - 1) / pixels * bytes;
    return left < pixels && image->stride_bytes[0] < whole ? left : pixels;
}

/* Packs a row in groups: the high bytes of `pixels` samples, then their low bits, those of the
 * first sample lowest. */
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

/* Samples of one or two bytes, in the order of `arg` of formats.def. A fourth sample is full. */
static void pack_rgb(struct zci_packer *packer, uint8_t *row, uint32_t x, uint32_t y,
                     uint32_t width, const struct zci_rgb *colors)
{
    (void)y;
    const uint32_t arg = packer->format->arg;
    const uint32_t position[3] = {arg & 15, arg >> 4 & 15, arg >> 8 & 15};
    const uint32_t samples = packer->format->unpack == ZCI_UNPACK_RGB24 ? 3 : 4;
    const uint32_t bytes = packer->format->unpack == ZCI_UNPACK_RGBA64 ? 2 : 1;
    for (uint32_t i = 0; i < width; i++) {
        const uint32_t value[3] = {colors[i].r, colors[i].g, colors[i].b};
        uint8_t *out = row + ((size_t)x + i) * samples * bytes;
        memset(out, 255, (size_t)samples * bytes);
        for (uint32_t c = 0; c < 3; c++) {
            const uint32_t scaled_value = scaled(value[c], packer->max);
            out[position[c] * bytes] = (uint8_t)scaled_value;
            if (bytes == 2)
                out[position[c] * 2 + 1] = (uint8_t)(scaled_value >> 8);
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

void zci_packer_init(struct zci_packer *packer, const struct zcs_image *image)
{
    *packer = (struct zci_packer){.image = *image, .format = zci_format(image->format)};
    packer->max = (1u << packer->format->info.bits) - 1;
    init_yuv(packer);
    /* The cached conversion is that of black. */
    packer->last_ycc.y = (uint16_t)packer->y_sub;
    packer->last_ycc.u = packer->last_ycc.v = (uint16_t)packer->c_sub;
}

void zci_packer_rows(struct zci_packer *packer, uint8_t *base, uint32_t x, uint32_t y,
                     uint32_t width, const struct zci_rgb *const rows[2])
{
    const struct zcs_image *image = &packer->image;
    if (packer->format->unpack == ZCI_UNPACK_YUV422) {
        pack_yuv422(packer, base, x, y, width, rows);
    } else if (packer->format->info.model == ZCS_MODEL_YUV) {
        pack_planes(packer, base, x, y, width, rows);
    } else {
        const pack_row_fn pack = row_packers[packer->format->unpack];
        for (uint32_t row = 0; row < 2 && rows[row] != NULL; row++)
            pack(packer, base + image->offset_bytes[0] + (y + row) * image->stride_bytes[0], x,
                 y + row, width, rows[row]);
    }
}
