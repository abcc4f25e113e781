/* SPDX-License-Identifier: MIT */
/* Strips of rows: bytes in PNG's order, behind the filter that suits the strip. */
#include "app/output/png_strip.h"

#include <stdlib.h>
#include <string.h>

#include "app/output/png_filter.h"

#define STRIP_BYTES                                                                                \
    (1u << 17) /* about as many: enough for a code of its own, few enough for a cache */
#define SAMPLE_BYTES 24576u /* of a strip, at most, by which its filter is chosen */
#define MARGIN 8            /* before each row, zeros: the pixel left of the first one */
#define SLACK 8             /* behind each row: pixels are stored as whole words */

static size_t pitch(const struct png_strip *strip)
{
    return MARGIN + strip->row_bytes + SLACK;
}

/* 0 is the row above the strip. */
static uint8_t *row_of(struct png_strip *strip, uint32_t place)
{
    return strip->packed + place * pitch(strip) + MARGIN;
}

int png_strip_init(struct png_strip *strip, const struct picture *picture)
{
    strip->picture = *picture;
    strip->pixel_bytes = picture->channels * picture->depth / 8;
    strip->row_bytes = strip->pixel_bytes * picture->width;
    const size_t rows = STRIP_BYTES / (strip->row_bytes + 1);
    strip->rows = rows < 1 ? 1 : rows < picture->height ? (uint32_t)rows : picture->height;
    strip->packed = calloc(strip->rows + (size_t)1, pitch(strip));
    strip->filtered = malloc(png_strip_max(strip));
    return strip->packed != NULL && strip->filtered != NULL ? 0 : -1;
}

void png_strip_free(struct png_strip *strip)
{
    free(strip->packed);
    free(strip->filtered);
    *strip = (struct png_strip){0};
}

size_t png_strip_max(const struct png_strip *strip)
{
    return strip->rows * (strip->row_bytes + 1);
}

/* Three of four samples: whole pixels are stored, and the next one covers the fourth. */
static void pack_rgb8(uint8_t *out, const uint8_t *in, uint32_t width)
{
    for (uint32_t x = 0; x < width; x++, out += 3, in += 4)
        memcpy(out, in, 4);
}

static uint64_t swapped(uint64_t words)
{
    const uint64_t low = UINT64_C(0x00ff00ff00ff00ff);
    return (words & low) << 8 | (words >> 8 & low);
}

static void pack_rgb16(uint8_t *out, const uint8_t *in, uint32_t width, int swap)
{
    for (uint32_t x = 0; x < width; x++, out += 6, in += 8) {
        uint64_t pixel;
        memcpy(&pixel, in, sizeof pixel);
        pixel = swap ? swapped(pixel) : pixel;
        memcpy(out, &pixel, sizeof pixel);
    }
}

static void pack_gray16(uint8_t *out, const uint8_t *in, uint32_t width)
{
    for (uint32_t x = 0; x < width; x++, out += 2, in += 2) {
        uint16_t sample;
        memcpy(&sample, in, sizeof sample);
        sample = (uint16_t)(sample << 8 | sample >> 8);
        memcpy(out, &sample, sizeof sample);
    }
}

static void pack(const struct png_strip *strip, uint8_t *out, const uint8_t *in)
{
    const uint32_t width = strip->picture.width;
    const int swap = !picture_big_endian();
    if (strip->picture.channels == 3 && strip->picture.depth == 8)
        pack_rgb8(out, in, width);
    else if (strip->picture.channels == 3)
        pack_rgb16(out, in, width, swap);
    else if (strip->picture.depth == 16 && swap)
        pack_gray16(out, in, width);
    else
        memcpy(out, in, strip->row_bytes);
    memset(out + strip->row_bytes, 0, SLACK);
}

/* By a part of the strip's middle row, another part in each strip. */
static unsigned choose_filter(struct png_strip *strip, uint32_t rows)
{
    const size_t pixels = SAMPLE_BYTES / strip->pixel_bytes;
    const size_t width = strip->picture.width, count = width < pixels ? width : pixels;
    const size_t from =
        (strip->next / strip->rows * pixels % (width - count + 1)) * strip->pixel_bytes;
    return png_filter_best(strip->filtered, row_of(strip, rows / 2 + 1) + from,
                           row_of(strip, rows / 2) + from, count * strip->pixel_bytes,
                           strip->pixel_bytes);
}

size_t png_strip_next(struct png_strip *strip)
{
    const struct picture *picture = &strip->picture;
    const uint32_t left = picture->height - strip->next;
    const uint32_t rows = left < strip->rows ? left : strip->rows;
    uint8_t *out = strip->filtered;
    if (rows == 0)
        return 0;
    for (uint32_t y = 0; y < rows; y++)
        pack(strip, row_of(strip, y + 1),
             picture->rows + (strip->next + y) * picture->stride_bytes);
    const unsigned filter = choose_filter(strip, rows);
    for (uint32_t y = 0; y < rows; y++, out += strip->row_bytes) {
        *out++ = (uint8_t)filter;
        png_filter_row(out, filter, row_of(strip, y + 1), row_of(strip, y), strip->row_bytes,
                       strip->pixel_bytes);
    }
    memcpy(row_of(strip, 0), row_of(strip, rows), strip->row_bytes);
    strip->next += rows;
    return rows * (strip->row_bytes + 1);
}
