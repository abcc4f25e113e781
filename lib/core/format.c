/* SPDX-License-Identifier: MIT */
/* The table of pixel formats, and finding a row by number, fourcc or text. */
#include "core/format.h"

#include <string.h>

#define BYTE(text, i) ((uint32_t)(unsigned char)(text)[i])
#define FOURCC(text)                                                                               \
    (BYTE(text, 0) | BYTE(text, 1) << 8 | BYTE(text, 2) << 16 | BYTE(text, 3) << 24)

/* A fourcc that is not readable as it is is displayed by its id: "Y10 " as Y10, big-endian Y16 (bit
 * 31 set) as Y16_BE. */
#define DISPLAYED(id, text) (BYTE(text, 3) == ' ' || BYTE(text, 3) > 127 ? #id : text)

#define ZCS_FORMAT(id, text, model_, unpack_, bits_, planes_, buffers_, hsub_, vsub_, arg_)        \
    [ZCS_PIXFMT_##id] = {                                                                          \
        .info = {.name = DISPLAYED(id, text),                                                      \
                 .v4l2_name = #id,                                                                 \
                 .fourcc = FOURCC(text),                                                           \
                 .model = ZCS_MODEL_##model_,                                                      \
                 .bits = bits_,                                                                    \
                 .planes = planes_,                                                                \
                 .buffers = buffers_,                                                              \
                 .hsub = hsub_,                                                                    \
                 .vsub = vsub_},                                                                   \
        .unpack = ZCI_UNPACK_##unpack_,                                                            \
        .arg = arg_,                                                                               \
    },
static const struct zci_format formats[ZCS_PIXFMT_COUNT] = {
#include "zcstream/formats.def"
};
#undef ZCS_FORMAT

const struct zci_format *zci_format(enum zcs_pixfmt format)
{
    const unsigned n = (unsigned)format;
    return n > ZCS_PIXFMT_NONE && n < ZCS_PIXFMT_COUNT ? &formats[n] : NULL;
}

const struct zcs_pixfmt_info *zcs_pixfmt_info(enum zcs_pixfmt format)
{
    const struct zci_format *row = zci_format(format);
    return row ? &row->info : NULL;
}

enum zcs_pixfmt zcs_pixfmt_from_fourcc(uint32_t fourcc)
{
    for (unsigned i = 1; i < ZCS_PIXFMT_COUNT; i++)
        if (formats[i].info.fourcc == fourcc)
            return (enum zcs_pixfmt)i;
    return ZCS_PIXFMT_NONE;
}

/* The number of a text of 1 to 4 characters, padded with spaces as V4L2 does; 0 for other texts. */
static uint32_t fourcc_of(const char *text)
{
    char padded[5] = "    ";
    const size_t length = strlen(text);
    if (length < 1 || length > 4)
        return 0;
    memcpy(padded, text, length);
    return FOURCC(padded);
}

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static int same_name(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

static enum zcs_pixfmt from_name(const char *text)
{
    for (unsigned i = 1; i < ZCS_PIXFMT_COUNT; i++)
        if (same_name(formats[i].info.v4l2_name, text))
            return (enum zcs_pixfmt)i;
    return ZCS_PIXFMT_NONE;
}

zcs_status zcs_pixfmt_parse(const char *text, enum zcs_pixfmt *out)
{
    if (!text || !out)
        return ZCS_ERR_ARG;
    enum zcs_pixfmt found = zcs_pixfmt_from_fourcc(fourcc_of(text));
    if (found == ZCS_PIXFMT_NONE)
        found = from_name(text);
    if (found == ZCS_PIXFMT_NONE)
        return ZCS_ERR_FORMAT;
    *out = found;
    return ZCS_OK;
}

enum zcs_pixfmt zci_pixel_format(struct zci_pixel pixel)
{
    const int deep = pixel.depth == 16;
    if (pixel.layout == ZCI_MONO)
        return deep ? ZCS_PIXFMT_Y16 : ZCS_PIXFMT_GREY;
    if (pixel.layout == ZCI_RGBA)
        return deep ? ZCS_PIXFMT_RGBA64 : ZCS_PIXFMT_RGBA32;
    return (enum zcs_pixfmt)((deep ? ZCS_PIXFMT_SRGGB16 : ZCS_PIXFMT_SRGGB8) + pixel.cfa);
}
