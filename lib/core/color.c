/* SPDX-License-Identifier: MIT */
/* Color: V4L2's default rules, parsing, and the coefficients from Y'CbCr. */
#include "core/color.h"

#include <math.h>
#include <string.h>

#include "core/format.h"

/* Deep grey, Bayer and deep RGB come from sensors and are linear; formats made for display are not.
 * */
static enum zcs_transfer default_transfer(const struct zcs_pixfmt_info *info)
{
    const int deep = info->bits > 8 && info->model != ZCS_MODEL_YUV;
    return info->model == ZCS_MODEL_BAYER || deep ? ZCS_TRANSFER_LINEAR : ZCS_TRANSFER_SRGB;
}

struct zcs_color zci_color_resolve(enum zcs_pixfmt format, struct zcs_color wanted)
{
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(format);
    if (wanted.matrix == ZCS_MATRIX_AUTO)
        wanted.matrix = ZCS_MATRIX_BT601;
    if (wanted.range == ZCS_RANGE_AUTO)
        wanted.range = info && info->model == ZCS_MODEL_YUV ? ZCS_RANGE_LIMITED : ZCS_RANGE_FULL;
    if (wanted.transfer == ZCS_TRANSFER_AUTO)
        wanted.transfer = info ? default_transfer(info) : ZCS_TRANSFER_SRGB;
    return wanted;
}

int zci_color_in_range(const struct zcs_color *color)
{
    return (unsigned)color->matrix <= ZCS_MATRIX_BT2020 &&
           (unsigned)color->range <= ZCS_RANGE_FULL &&
           (unsigned)color->transfer <= ZCS_TRANSFER_POWER &&
           (color->transfer != ZCS_TRANSFER_POWER || color->gamma_milli > 0);
}

struct word {
    const char *text;
    int value;
};

static const struct word matrix_words[] = {
    {"bt601", ZCS_MATRIX_BT601}, {"bt709", ZCS_MATRIX_BT709}, {"bt2020", ZCS_MATRIX_BT2020}, {0}};
static const struct word range_words[] = {
    {"limited", ZCS_RANGE_LIMITED}, {"full", ZCS_RANGE_FULL}, {0}};
static const struct word transfer_words[] = {
    {"srgb", ZCS_TRANSFER_SRGB}, {"linear", ZCS_TRANSFER_LINEAR}, {0}};

/* If `text` begins with `key` and the rest up to `length` is one of `words`: its value, else 0. */
static int match(const char *text, size_t length, const char *key, const struct word *words)
{
    const size_t skip = strlen(key);
    if (length < skip || memcmp(text, key, skip) != 0)
        return 0;
    for (; words->text; words++)
        if (strlen(words->text) == length - skip &&
            memcmp(words->text, text + skip, length - skip) == 0)
            return words->value;
    return 0;
}

/* Takes one key=value. *seen has a bit for each key; a key that comes twice is an error. */
static int take_pair(const char *text, size_t length, struct zcs_color *color, unsigned *seen)
{
    const int matrix = match(text, length, "matrix=", matrix_words);
    const int range = match(text, length, "range=", range_words);
    const int transfer = match(text, length, "transfer=", transfer_words);
    const unsigned bit = (matrix ? 1u : 0u) | (range ? 2u : 0u) | (transfer ? 4u : 0u);
    if (bit == 0 || (*seen & bit))
        return 0;
    *seen |= bit;
    if (matrix)
        color->matrix = (enum zcs_matrix)matrix;
    if (range)
        color->range = (enum zcs_range)range;
    if (transfer)
        color->transfer = (enum zcs_transfer)transfer;
    return 1;
}

zcs_status zcs_color_parse(const char *text, struct zcs_color *color)
{
    if (!text || !color)
        return ZCS_ERR_ARG;
    struct zcs_color made = *color;
    unsigned seen = 0;
    for (;;) {
        const size_t length = strcspn(text, ",");
        if (!take_pair(text, length, &made, &seen))
            return ZCS_ERR_FORMAT;
        if (text[length] == '\0')
            break;
        text += length + 1;
    }
    *color = made;
    return ZCS_OK;
}

/* The weights of red and blue in luma. */
static void luma_weights(enum zcs_matrix matrix, double *kr, double *kb)
{
    switch (matrix) {
    case ZCS_MATRIX_BT709:
        *kr = 0.2126;
        *kb = 0.0722;
        return;
    case ZCS_MATRIX_BT2020:
        *kr = 0.2627;
        *kb = 0.0593;
        return;
    case ZCS_MATRIX_AUTO:
    case ZCS_MATRIX_BT601:
        break;
    }
    *kr = 0.299;
    *kb = 0.114;
}

/* The most fraction bits with which the largest coefficient at depth 16 (551) and the largest sum
 * at depth 8 (555) stay below 2^31. */
#define YUV_SHIFT 21

/* Deeper samples have smaller coefficients, which keep their precision with more fraction bits: the
 * largest stays below 2^31, sums need 64 bits. */
static uint32_t shift_of(uint32_t bits)
{
    return bits > 10 ? YUV_SHIFT + bits - 8 : YUV_SHIFT;
}

static int64_t fixed(double value, uint32_t shift)
{
    return llround(value * (double)(1 << shift));
}

struct zci_yuv zci_yuv_make(struct zcs_color color, uint32_t bits, uint32_t out_depth)
{
    const int limited = color.range != ZCS_RANGE_FULL;
    const double max_out = out_depth == 8 ? 255 : 65535;
    const double unit = (double)(1u << (bits - 8)), max_in = (double)((1u << bits) - 1);
    const double luma = max_out / (limited ? 219 * unit : max_in);
    const double chroma = max_out / (limited ? 224 * unit : max_in);
    double kr, kb;
    luma_weights(color.matrix, &kr, &kb);
    const double kg = 1 - kr - kb;
    const uint32_t shift = shift_of(bits);
    return (struct zci_yuv){
        .ky = fixed(luma, shift),
        .krv = fixed(chroma * 2 * (1 - kr), shift),
        .kgu = fixed(chroma * -2 * (1 - kb) * kb / kg, shift),
        .kgv = fixed(chroma * -2 * (1 - kr) * kr / kg, shift),
        .kbu = fixed(chroma * 2 * (1 - kb), shift),
        .half = (int64_t)1 << (shift - 1),
        .y_sub = limited ? (int32_t)(16 * unit) : 0,
        .c_sub = (int32_t)(128 * unit),
        .shift = shift,
    };
}
