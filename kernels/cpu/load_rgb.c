/* SPDX-License-Identifier: MIT */
/* Rows of RGB in all its orders and widths. */
#include "kernels/cpu/load.h"

#include <string.h>

#include "kernels/load_pixel.h"

static inline void put8(uint8_t *out, uint32_t r, uint32_t g, uint32_t b)
{
    const uint32_t rgba = zck_rgba8(r, g, b);
    memcpy(out, &rgba, sizeof rgba);
}

static inline void put16(uint16_t *out, uint64_t r, uint64_t g, uint64_t b)
{
    const uint64_t rgba = zck_rgba16(r, g, b);
    memcpy(out, &rgba, sizeof rgba);
}

#define BLOCK 256 /* pixels */

/* Bytes of pixels, apart by their place in the pixel; `bytes` is a constant of each caller's. */
static inline void split(const uint8_t *restrict row, uint32_t bytes, uint32_t n,
                         uint8_t part[restrict 4][BLOCK])
{
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < bytes; k++)
            part[k][i] = row[bytes * i + k];
}

static void join(const struct zci_load *load, uint8_t part[restrict 4][BLOCK], uint32_t x,
                 uint32_t n, void *out)
{
    const uint8_t *r = part[load->arg & 15], *g = part[load->arg >> 4 & 15];
    const uint8_t *b = part[load->arg >> 8 & 15];
    uint8_t *restrict out8 = (uint8_t *)out + 4 * (size_t)x;
    uint16_t *restrict out16 = (uint16_t *)out + 4 * (size_t)x;
    if (load->pixel.depth == 8) {
        for (size_t i = 0; i < n; i++)
            put8(out8 + 4 * i, r[i], g[i], b[i]);
        return;
    }
    for (size_t i = 0; i < n; i++)
        put16(out16 + 4 * i, zck_widen(r[i]), zck_widen(g[i]), zck_widen(b[i]));
}

static inline void rgb_bytes(const struct zci_load *load, const uint8_t *restrict row,
                             uint32_t bytes, void *out)
{
    for (uint32_t x = 0; x < load->width; x += BLOCK) {
        const uint32_t n = load->width - x < BLOCK ? load->width - x : BLOCK;
        uint8_t part[4][BLOCK];
        split(row + bytes * (size_t)x, bytes, n, part);
        join(load, part, x, n, out);
    }
}

ZCK_LOAD(rgb24)
{
    rgb_bytes(load, plane[0] + y * load->stride_bytes[0], 3, out);
}

ZCK_LOAD(rgb32)
{
    rgb_bytes(load, plane[0] + y * load->stride_bytes[0], 4, out);
}

/* `big` is a constant of each caller's. */
static inline uint16_t word_at(const uint8_t *row, size_t i, int big)
{
    const uint8_t a = row[2 * i], b = row[2 * i + 1];
    return big ? zck_word(b, a) : zck_word(a, b);
}

static inline void high_color(const struct zci_load *load, const uint8_t *restrict row, int big,
                              void *out)
{
    const uint32_t width = load->width;
    uint8_t *restrict out8 = out;
    uint16_t *restrict out16 = out;
    if (load->pixel.depth == 8) {
        for (size_t i = 0; i < width; i++) {
            const uint16_t w = word_at(row, i, big);
            put8(out8 + 4 * i, zck_565(w, 0, 255), zck_565(w, 1, 255), zck_565(w, 2, 255));
        }
        return;
    }
    for (size_t i = 0; i < width; i++) {
        const uint16_t w = word_at(row, i, big);
        put16(out16 + 4 * i, zck_565(w, 0, 65535), zck_565(w, 1, 65535), zck_565(w, 2, 65535));
    }
}

ZCK_LOAD(rgb565)
{
    high_color(load, plane[0] + y * load->stride_bytes[0], 0, out);
}

ZCK_LOAD(rgb565be)
{
    high_color(load, plane[0] + y * load->stride_bytes[0], 1, out);
}

ZCK_LOAD(rgba64)
{
    const uint8_t *restrict row = plane[0] + y * load->stride_bytes[0];
    const uint32_t width = load->width, arg = load->arg;
    const uint32_t r = arg & 15, g = arg >> 4 & 15, b = arg >> 8 & 15;
    uint8_t *restrict out8 = out;
    uint16_t *restrict out16 = out;
    if (load->pixel.depth == 8) {
        for (size_t i = 0; i < width; i++)
            put8(out8 + 4 * i, zck_narrow(word_at(row, 4 * i + r, 0)),
                 zck_narrow(word_at(row, 4 * i + g, 0)), zck_narrow(word_at(row, 4 * i + b, 0)));
        return;
    }
    for (size_t i = 0; i < width; i++)
        put16(out16 + 4 * i, word_at(row, 4 * i + r, 0), word_at(row, 4 * i + g, 0),
              word_at(row, 4 * i + b, 0));
}
