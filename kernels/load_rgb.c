/* SPDX-License-Identifier: MIT */
/* Rows of RGB in all its orders and widths. */
#include "kernels/load.h"
#include "kernels/load_pixel.h"

static inline void put8(uint8_t *rgba, uint8_t r, uint8_t g, uint8_t b)
{
    rgba[0] = r;
    rgba[1] = g;
    rgba[2] = b;
    rgba[3] = 255;
}

static inline void put16(uint16_t *rgba, uint16_t r, uint16_t g, uint16_t b)
{
    rgba[0] = r;
    rgba[1] = g;
    rgba[2] = b;
    rgba[3] = 65535;
}

/* A pixel's 3 or 4 bytes as a number; `bytes` is a constant of each caller's. */
static inline uint32_t pixel_at(const uint8_t *row, size_t i, uint32_t bytes)
{
    const uint8_t *p = row + bytes * i;
    const uint32_t low = zck_word(p[0], p[1]) | (uint32_t)p[2] << 16;
    return bytes == 4 ? low | (uint32_t)p[3] << 24 : low;
}

static inline void bytes8(const struct zci_load *load, const uint8_t *restrict row, uint32_t bytes,
                          uint8_t *restrict out)
{
    const uint32_t width = load->width, arg = load->arg;
    for (size_t i = 0; i < width; i++) {
        const uint32_t p = pixel_at(row, i, bytes);
        put8(out + 4 * i, zck_rgb_byte(p, arg, 0), zck_rgb_byte(p, arg, 1),
             zck_rgb_byte(p, arg, 2));
    }
}

static inline void bytes16(const struct zci_load *load, const uint8_t *restrict row, uint32_t bytes,
                           uint16_t *restrict out)
{
    const uint32_t width = load->width, arg = load->arg;
    for (size_t i = 0; i < width; i++) {
        const uint32_t p = pixel_at(row, i, bytes);
        put16(out + 4 * i, zck_widen(zck_rgb_byte(p, arg, 0)), zck_widen(zck_rgb_byte(p, arg, 1)),
              zck_widen(zck_rgb_byte(p, arg, 2)));
    }
}

ZCK_LOAD(rgb24)
{
    const uint8_t *row = plane[0] + y * load->stride_bytes[0];
    if (load->pixel.depth == 8)
        bytes8(load, row, 3, out);
    else
        bytes16(load, row, 3, out);
}

ZCK_LOAD(rgb32)
{
    const uint8_t *row = plane[0] + y * load->stride_bytes[0];
    if (load->pixel.depth == 8)
        bytes8(load, row, 4, out);
    else
        bytes16(load, row, 4, out);
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
            put8(out8 + 4 * i, (uint8_t)zck_565(w, 0, 255), (uint8_t)zck_565(w, 1, 255),
                 (uint8_t)zck_565(w, 2, 255));
        }
        return;
    }
    for (size_t i = 0; i < width; i++) {
        const uint16_t w = word_at(row, i, big);
        put16(out16 + 4 * i, (uint16_t)zck_565(w, 0, 65535), (uint16_t)zck_565(w, 1, 65535),
              (uint16_t)zck_565(w, 2, 65535));
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
