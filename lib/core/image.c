/* SPDX-License-Identifier: MIT */
/* How an image lies in memory: strides, rows and planes of each format, the check of a layout, and
 * the load step that reads it. */
#include "core/format.h"

#include <assert.h>
#include <string.h>

#include "core/color.h"

static uint64_t ceil_div(uint64_t n, uint64_t by)
{
    return (n + by - 1) / by;
}

/* Bytes of a row of `width` samples of plane 0. */
static uint64_t first_row_bytes(uint8_t unpack, uint64_t width)
{
    switch ((enum zci_unpack)unpack) {
    case ZCI_UNPACK_U8:
    case ZCI_UNPACK_SEMI8:
    case ZCI_UNPACK_PLANAR8:
        return width;
    case ZCI_UNPACK_U16:
    case ZCI_UNPACK_U16BE:
    case ZCI_UNPACK_SEMI10:
    case ZCI_UNPACK_PLANAR16:
    case ZCI_UNPACK_RGB565:
    case ZCI_UNPACK_RGB565BE:
        return 2 * width;
    case ZCI_UNPACK_P10:
        return ceil_div(width * 10, 8);
    case ZCI_UNPACK_P12:
        return ceil_div(width * 12, 8);
    case ZCI_UNPACK_P14:
        return ceil_div(width * 14, 8);
    case ZCI_UNPACK_YUV422:
        return 4 * ceil_div(width, 2);
    case ZCI_UNPACK_RGB24:
        return 3 * width;
    case ZCI_UNPACK_RGB32:
        return 4 * width;
    case ZCI_UNPACK_RGBA64:
        return 8 * width;
    case ZCI_UNPACK_NONE:
    case ZCI_UNPACK_COUNT:
        break;
    }
    return 0;
}

static int is_semi(const struct zci_format *row)
{
    return row->info.planes == 2;
}

size_t zcs_image_min_stride(enum zcs_pixfmt format, uint32_t width, uint32_t plane)
{
    const struct zci_format *row = zci_format(format);
    if (!row || plane >= row->info.planes)
        return 0;
    if (plane == 0)
        return (size_t)first_row_bytes(row->unpack, width);
    const uint64_t samples = ceil_div(width, row->info.hsub) * (is_semi(row) ? 2 : 1);
    return (size_t)first_row_bytes(row->unpack, samples);
}

uint32_t zcs_image_rows(enum zcs_pixfmt format, uint32_t height, uint32_t plane)
{
    const struct zci_format *row = zci_format(format);
    if (!row || row->unpack == ZCI_UNPACK_NONE || plane >= row->info.planes)
        return 0;
    return plane == 0 ? height : (uint32_t)ceil_div(height, row->info.vsub);
}

static size_t chroma_stride(const struct zci_format *row, size_t first, size_t min)
{
    const size_t follows =
        is_semi(row) ? first * (row->info.hsub == 1 ? 2 : 1) : first / row->info.hsub;
    return follows > min ? follows : min;
}

static int size_in_range(uint32_t width, uint32_t height)
{
    return width >= 1 && width <= ZCS_MAX_DIMENSION && height >= 1 && height <= ZCS_MAX_DIMENSION;
}

/* The planes' strides and offsets; fails where the size does not fit size_t. */
static zcs_status lay_out(struct zcs_image *image, const struct zci_format *row)
{
    for (uint32_t p = 0; p < image->planes; p++) {
        const size_t min = zcs_image_min_stride(image->format, image->width, p);
        const uint32_t rows = zcs_image_rows(image->format, image->height, p);
        if (p > 0)
            image->stride_bytes[p] = chroma_stride(row, image->stride_bytes[0], min);
        if (image->stride_bytes[p] > (SIZE_MAX / 2 - image->size_bytes) / rows)
            return ZCS_ERR_ARG;
        image->offset_bytes[p] = image->size_bytes;
        image->size_bytes += image->stride_bytes[p] * rows;
    }
    return ZCS_OK;
}

zcs_status zcs_image_init(struct zcs_image *out, enum zcs_pixfmt format, uint32_t width,
                          uint32_t height, size_t stride_bytes)
{
    const struct zci_format *row = zci_format(format);
    if (!out || !row || !size_in_range(width, height))
        return ZCS_ERR_ARG;
    if (row->unpack == ZCI_UNPACK_NONE)
        return ZCS_ERR_UNSUPPORTED;
    const size_t min = zcs_image_min_stride(format, width, 0);
    if (stride_bytes != 0 && stride_bytes < min)
        return ZCS_ERR_FORMAT;
    struct zcs_image image = {.format = format,
                              .width = width,
                              .height = height,
                              .planes = row->info.planes,
                              .stride_bytes = {stride_bytes ? stride_bytes : min},
                              .bits = row->info.bits};
    image.color = zci_color_resolve(format, image.color);
    const zcs_status status = lay_out(&image, row);
    if (status == ZCS_OK)
        *out = image;
    return status;
}

size_t zci_image_row_bytes(const struct zcs_image *image, uint32_t plane)
{
    const struct zci_format *row = zci_format(image->format);
    const size_t min = zcs_image_min_stride(image->format, image->width, plane);
    if (row->unpack < ZCI_UNPACK_P10 || row->unpack > ZCI_UNPACK_P14)
        return min;
    const uint32_t pixels = row->unpack == ZCI_UNPACK_P12 ? 2 : 4;
    const size_t whole =
        (size_t)first_row_bytes(row->unpack, ceil_div(image->width, pixels) * pixels);
    return image->stride_bytes[plane] >= whole ? whole : min;
}

static int plane_fits(const struct zcs_image *image, uint32_t plane)
{
    const size_t stride = image->stride_bytes[plane], offset = image->offset_bytes[plane];
    const size_t min = zcs_image_min_stride(image->format, image->width, plane);
    const size_t before = zcs_image_rows(image->format, image->height, plane) - 1;
    const size_t last = zci_image_row_bytes(image, plane);
    if (stride < min || offset > image->size_bytes || last > image->size_bytes - offset)
        return 0;
    return before == 0 || stride <= (image->size_bytes - offset - last) / before;
}

static int samples_in_range(const struct zcs_image *image, const struct zci_format *row)
{
    const int words = row->unpack == ZCI_UNPACK_U16 || row->unpack == ZCI_UNPACK_U16BE;
    if (image->bits < 1 || image->bits > row->info.bits)
        return 0;
    return words ? image->shift <= 16 - image->bits : image->shift == 0;
}

zcs_status zcs_image_check(const struct zcs_image *image)
{
    const struct zci_format *row = image ? zci_format(image->format) : NULL;
    if (!row || !size_in_range(image->width, image->height))
        return ZCS_ERR_ARG;
    if (row->unpack == ZCI_UNPACK_NONE)
        return ZCS_ERR_UNSUPPORTED;
    if (image->planes != row->info.planes || image->size_bytes > SIZE_MAX / 2 ||
        !samples_in_range(image, row) || !zci_color_in_range(&image->color))
        return ZCS_ERR_ARG;
    for (uint32_t p = 0; p < image->planes; p++)
        if (!plane_fits(image, p))
            return ZCS_ERR_FORMAT;
    return ZCS_OK;
}

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
    /* Entries of planes that the format does not have were not checked; they stay 0. */
    memcpy(out->stride_bytes, image->stride_bytes, row->info.planes * sizeof *out->stride_bytes);
    memcpy(out->offset_bytes, image->offset_bytes, row->info.planes * sizeof *out->offset_bytes);
    if (row->info.model == ZCS_MODEL_YUV)
        out->yuv =
            zci_yuv_make(zci_color_resolve(image->format, image->color), row->info.bits, depth);
}

/* A decimal number of 1..ZCS_MAX_DIMENSION at *text, which then points behind it; 0 if there is
 * none. */
static uint32_t take_dimension(const char **text)
{
    uint32_t value = 0;
    while (**text >= '0' && **text <= '9') {
        value = value * 10 + (uint32_t)(**text - '0');
        if (value > ZCS_MAX_DIMENSION)
            return 0;
        ++*text;
    }
    return value;
}

zcs_status zcs_size_parse(const char *text, uint32_t *width, uint32_t *height)
{
    if (!text || !width || !height)
        return ZCS_ERR_ARG;
    const uint32_t w = take_dimension(&text);
    if (w == 0 || *text++ != 'x')
        return ZCS_ERR_FORMAT;
    const uint32_t h = take_dimension(&text);
    if (h == 0 || *text != '\0')
        return ZCS_ERR_FORMAT;
    *width = w;
    *height = h;
    return ZCS_OK;
}
