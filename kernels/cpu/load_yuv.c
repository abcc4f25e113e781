/* SPDX-License-Identifier: MIT */
/* Rows of Y'CbCr in all its layouts: a block of pixels is spread into one array for each component,
 * chroma replicated, and then converted. */
#include "kernels/cpu/load.h"

#include <string.h>

#include "kernels/load_pixel.h"

#define BLOCK 256 /* pixels; even */

struct block {
    uint16_t y[BLOCK], u[BLOCK], v[BLOCK];
};

static void convert8(const struct zci_yuv *yuv, const struct block *restrict b, uint32_t n,
                     uint8_t *restrict out)
{
    const struct zci_yuv k = *yuv;
    for (size_t i = 0; i < n; i++) {
        const uint32_t rgba = zck_yuv_to8(k, b->y[i], b->u[i], b->v[i]);
        memcpy(out + 4 * i, &rgba, sizeof rgba);
    }
}

static void convert16(const struct zci_yuv *yuv, const struct block *restrict b, uint32_t n,
                      uint16_t *restrict out)
{
    const struct zci_yuv k = *yuv;
    for (size_t i = 0; i < n; i++) {
        const uint64_t rgba = zck_yuv_to16(k, b->y[i], b->u[i], b->v[i]);
        memcpy(out + 4 * i, &rgba, sizeof rgba);
    }
}

/* n pixels of the row from pixel x on. */
static void convert(const struct zci_load *load, const struct block *b, uint32_t x, uint32_t n,
                    void *out)
{
    if (load->pixel.depth == 8)
        convert8(&load->yuv, b, n, (uint8_t *)out + 4 * (size_t)x);
    else
        convert16(&load->yuv, b, n, (uint16_t *)out + 4 * (size_t)x);
}

static uint32_t pixels_from(const struct zci_load *load, uint32_t x)
{
    return load->width - x < BLOCK ? load->width - x : BLOCK;
}

/* The spreads below write whole chroma pairs, so an odd last pixel fills one entry more. `wide` (10 bits
 * at the top of a word, else a byte) and the steps are constants of each caller's. */
static inline uint16_t sample(const uint8_t *p, size_t i, int wide)
{
    return wide ? (uint16_t)(zck_word(p[2 * i], p[2 * i + 1]) >> 6) : p[i];
}

static inline void spread_luma(const uint8_t *restrict p, uint32_t step, int wide, uint32_t n,
                               uint16_t *restrict y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = sample(p, step * i, wide);
}

static inline void spread_chroma(const uint8_t *restrict p, uint32_t step, int wide, uint32_t hsub,
                                 uint32_t n, uint16_t *restrict c)
{
    if (hsub == 1) {
        for (size_t i = 0; i < n; i++)
            c[i] = sample(p, step * i, wide);
        return;
    }
    for (size_t i = 0; i < (n + 1) / 2; i++)
        c[2 * i] = c[2 * i + 1] = sample(p, step * i, wide);
}

ZCK_LOAD(yuv422)
{
    const uint8_t *row = plane[0] + y * load->stride_bytes[0];
    const uint8_t *luma = row + (load->arg & 1), *chroma = row + !(load->arg & 1);
    const uint8_t *u = chroma + (load->arg & 2), *v = chroma + (~load->arg & 2);
    struct block b;
    for (uint32_t x = 0; x < load->width; x += BLOCK) {
        const uint32_t n = pixels_from(load, x);
        spread_luma(luma + 2 * (size_t)x, 2, 0, n, b.y);
        spread_chroma(u + 2 * (size_t)x, 4, 0, 2, n, b.u);
        spread_chroma(v + 2 * (size_t)x, 4, 0, 2, n, b.v);
        convert(load, &b, x, n, out);
    }
}

static inline void semi(const struct zci_load *load, const uint8_t *const plane[ZCS_MAX_PLANES],
                        uint32_t y, int wide, void *out)
{
    const size_t bytes = wide ? 2 : 1;
    const uint8_t *luma = plane[0] + y * load->stride_bytes[0];
    const uint8_t *chroma = plane[1] + y / load->vsub * load->stride_bytes[1];
    const uint8_t *u = chroma + (load->arg ? bytes : 0), *v = chroma + (load->arg ? 0 : bytes);
    struct block b;
    for (uint32_t x = 0; x < load->width; x += BLOCK) {
        const uint32_t n = pixels_from(load, x);
        const size_t pairs = x / load->hsub * 2 * bytes;
        spread_luma(luma + x * bytes, 1, wide, n, b.y);
        spread_chroma(u + pairs, 2, wide, load->hsub, n, b.u);
        spread_chroma(v + pairs, 2, wide, load->hsub, n, b.v);
        convert(load, &b, x, n, out);
    }
}

ZCK_LOAD(semi8)
{
    semi(load, plane, y, 0, out);
}

ZCK_LOAD(semi10)
{
    semi(load, plane, y, 1, out);
}

/* Words with the code at the bottom; what is above the greatest is clamped, so that sums stay in range. */
static inline void spread_words(const uint8_t *restrict p, uint32_t hsub, uint16_t max, uint32_t n,
                                uint16_t *restrict c)
{
    if (hsub == 1) {
        for (size_t i = 0; i < n; i++)
            c[i] = zck_clamp_code(zck_word(p[2 * i], p[2 * i + 1]), max);
        return;
    }
    for (size_t i = 0; i < (n + 1) / 2; i++)
        c[2 * i] = c[2 * i + 1] = zck_clamp_code(zck_word(p[2 * i], p[2 * i + 1]), max);
}

static void convert_wide8(const struct zci_yuv *yuv, const struct block *restrict b, uint32_t n,
                          uint8_t *restrict out)
{
    const struct zci_yuv k = *yuv;
    for (size_t i = 0; i < n; i++) {
        const uint32_t rgba = zck_yuv_wide_to8(k, b->y[i], b->u[i], b->v[i]);
        memcpy(out + 4 * i, &rgba, sizeof rgba);
    }
}

ZCK_LOAD(planar16)
{
    const uint32_t first = load->arg ? 2 : 1, c_row = y / load->vsub;
    const uint16_t max = zck_code_max(load->bits);
    const uint8_t *luma = plane[0] + y * load->stride_bytes[0];
    const uint8_t *u = plane[first] + c_row * load->stride_bytes[first];
    const uint8_t *v = plane[3 - first] + c_row * load->stride_bytes[3 - first];
    struct block b;
    for (uint32_t x = 0; x < load->width; x += BLOCK) {
        const uint32_t n = pixels_from(load, x);
        const size_t chroma = 2 * (size_t)(x / load->hsub);
        spread_words(luma + 2 * (size_t)x, 1, max, n, b.y);
        spread_words(u + chroma, load->hsub, max, n, b.u);
        spread_words(v + chroma, load->hsub, max, n, b.v);
        if (load->pixel.depth == 8)
            convert_wide8(&load->yuv, &b, n, (uint8_t *)out + 4 * (size_t)x);
        else
            convert16(&load->yuv, &b, n, (uint16_t *)out + 4 * (size_t)x);
    }
}

ZCK_LOAD(planar8)
{
    const uint32_t first = load->arg ? 2 : 1, c_row = y / load->vsub;
    const uint8_t *luma = plane[0] + y * load->stride_bytes[0];
    const uint8_t *u = plane[first] + c_row * load->stride_bytes[first];
    const uint8_t *v = plane[3 - first] + c_row * load->stride_bytes[3 - first];
    struct block b;
    for (uint32_t x = 0; x < load->width; x += BLOCK) {
        const uint32_t n = pixels_from(load, x);
        spread_luma(luma + x, 1, 0, n, b.y);
        spread_chroma(u + x / load->hsub, 1, 0, load->hsub, n, b.u);
        spread_chroma(v + x / load->hsub, 1, 0, load->hsub, n, b.v);
        convert(load, &b, x, n, out);
    }
}
