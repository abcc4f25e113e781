/* SPDX-License-Identifier: MIT */
/* The rows of a picture as PNG stores them: packed, filtered, in strips. The filter is chosen per
 * strip. */
#include "app/output/png_rows.h"

#include <stdlib.h>
#include <string.h>

#include "app/output/deflate.h"

#define STRIP_BYTES (1u << 17) /* approximate: enough for codes of its own, fits in a cache */
#define SAMPLE_BYTES 24576u    /* maximum number of bytes per strip for the choice of its filter */
#define MARGIN 8               /* zeros before each row: the pixel left of the first one */
#define SLACK 8                /* bytes after each row: pixels are stored as whole words */

/* --- filters: loops that compilers vectorise --- */

static int distance(int a, int b)
{
    return a > b ? a - b : b - a;
}

static uint8_t paeth(int a, int b, int c)
{
    const int to_a = distance(b, c), to_b = distance(a, c), to_c = distance(a + b, 2 * c);
    const int min = to_b <= to_c ? b : c;
    return (uint8_t)(to_a <= to_b && to_a <= to_c ? a : min);
}

/* The first `left` bytes need no special case: the bytes before them are 0. */
void png_filter_row(uint8_t *restrict out, unsigned filter, const uint8_t *row,
                    const uint8_t *before, size_t bytes, size_t left)
{
    const uint8_t *beside = row - left, *across = before - left;
    switch (filter) {
    case 1:
        for (size_t i = 0; i < bytes; i++)
            out[i] = (uint8_t)(row[i] - beside[i]);
        break;
    case 2:
        for (size_t i = 0; i < bytes; i++)
            out[i] = (uint8_t)(row[i] - before[i]);
        break;
    case 3:
        for (size_t i = 0; i < bytes; i++)
            out[i] = (uint8_t)(row[i] - (uint8_t)((beside[i] + before[i]) >> 1));
        break;
    case 4:
        for (size_t i = 0; i < bytes; i++)
            out[i] = (uint8_t)(row[i] - paeth(beside[i], before[i], across[i]));
        break;
    default:
        memcpy(out, row, bytes);
    }
}

/* log2 in units of 1/4096, linear between powers of two; the error is at most 0.09. */
static uint64_t log2_4096(uint32_t value)
{
    uint32_t power = 0;
    while (value >> power > 1)
        power++;
    return power * 4096 + (uint32_t)(((uint64_t)value << 12 >> power) - 4096);
}

/* Bits that the best Huffman code would need, in units of 1/4096. */
static uint64_t cost(const uint8_t *data, size_t bytes)
{
    uint32_t counts[DEFLATE_LITERALS], total = 0;
    uint64_t sum = 0;
    const uint64_t extra = deflate_count(counts, data, bytes);
    for (unsigned s = 0; s < DEFLATE_LITERALS; s++) {
        if (counts[s] == 0)
            continue;
        sum += counts[s] * log2_4096(counts[s]);
        total += counts[s];
    }
    return extra * 4096 + total * log2_4096(total) - sum;
}

unsigned png_filter_best(uint8_t *scratch, const uint8_t *row, const uint8_t *before, size_t bytes,
                         size_t left)
{
    unsigned best = 0;
    uint64_t min = UINT64_MAX;
    for (unsigned filter = 0; filter < PNG_FILTERS; filter++) {
        png_filter_row(scratch, filter, row, before, bytes, left);
        const uint64_t now = cost(scratch, bytes);
        if (now < min) {
            min = now;
            best = filter;
        }
    }
    return best;
}

/* --- strips --- */

static size_t pitch(const struct png_strip *strip)
{
    return MARGIN + strip->row_bytes + SLACK;
}

/* Row 0 is the row above the strip. */
static uint8_t *row_of(struct png_strip *strip, uint32_t index)
{
    return strip->packed + index * pitch(strip) + MARGIN;
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

/* Stores all four samples of a pixel; the next pixel overwrites the fourth. */
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

/* Uses a section of the strip's middle row, a different section in each strip. */
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
