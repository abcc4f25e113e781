/* SPDX-License-Identifier: MIT */
/* The load step over a row: the bytes of every source format to working pixels. Loops without
 * branches vectorise: parameters called constant below are constants in every call, and inlining
 * removes their branches. */
#include "kernels/cpu/variant.h"

#include <string.h>

#include "kernels/load_pixel.h"

#define BLOCK 256 /* pixels that are split into components at once; even */

ZCK_LOAD(u8)
{
    const uint8_t *restrict row = plane[0] + y * load->stride_bytes[0];
    const uint8_t max = (uint8_t)zck_code_max(load->bits);
    const uint32_t width = load->width;
    uint8_t *restrict codes = out;
    for (size_t i = 0; i < width; i++)
        codes[i] = row[i] < max ? row[i] : max;
}

/* `big` is constant. */
static inline uint16_t code_at(const uint8_t *row, size_t i, int big, uint32_t shift, uint16_t max)
{
    const uint8_t a = row[2 * i], b = row[2 * i + 1];
    const uint16_t word = big ? zck_word(b, a) : zck_word(a, b);
    return zck_clamp_code((uint16_t)(word >> shift), max);
}

static inline void words(const struct zci_load *load, const uint8_t *restrict row, int big,
                         void *out)
{
    const uint16_t max = zck_code_max(load->bits);
    const uint32_t width = load->width, shift = load->shift;
    if (load->pixel.depth == 8) {
        uint8_t *restrict codes = out;
        for (size_t i = 0; i < width; i++)
            codes[i] = (uint8_t)code_at(row, i, big, shift, max);
    } else {
        uint16_t *restrict codes = out;
        for (size_t i = 0; i < width; i++)
            codes[i] = code_at(row, i, big, shift, max);
    }
}

ZCK_LOAD(u16)
{
    words(load, plane[0] + y * load->stride_bytes[0], 0, out);
}

ZCK_LOAD(u16be)
{
    words(load, plane[0] + y * load->stride_bytes[0], 1, out);
}

static inline void put(void *out, uint32_t depth, size_t i, uint16_t code)
{
    if (depth == 8)
        ((uint8_t *)out)[i] = (uint8_t)code;
    else
        ((uint16_t *)out)[i] = code;
}

/* `kind` and `depth` are constant. */
static inline void groups(const struct zci_load *load, const uint8_t *restrict row, uint32_t kind,
                          uint32_t depth, void *restrict out)
{
    const struct zck_group g = zck_group_of(kind);
    const uint32_t whole = load->width / g.pixels, rest = load->width % g.pixels;
    const uint16_t max = zck_code_max(load->bits);
    size_t i = 0;
    for (uint32_t n = 0; n < whole; n++, row += g.bytes)
        for (uint32_t k = 0; k < g.pixels; k++)
            put(out, depth, i++, zck_clamp_code(zck_packed(g, row, k, g.pixels), max));
    const uint32_t low_at = zck_partial_low(g, load->width, rest, load->stride_bytes[0]);
    for (uint32_t k = 0; k < rest; k++)
        put(out, depth, i++, zck_clamp_code(zck_packed(g, row, k, low_at), max));
}

static inline void unpack(const struct zci_load *load, const uint8_t *row, uint32_t kind, void *out)
{
    if (load->pixel.depth == 8)
        groups(load, row, kind, 8, out);
    else
        groups(load, row, kind, 16, out);
}

ZCK_LOAD(p10)
{
    unpack(load, plane[0] + y * load->stride_bytes[0], ZCI_UNPACK_P10, out);
}

ZCK_LOAD(p12)
{
    unpack(load, plane[0] + y * load->stride_bytes[0], ZCI_UNPACK_P12, out);
}

ZCK_LOAD(p14)
{
    unpack(load, plane[0] + y * load->stride_bytes[0], ZCI_UNPACK_P14, out);
}

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

/* Splits pixels into one array for each byte; `bytes` is constant. */
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

/* `big` is constant. */
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

/* Y'CbCr: a block of pixels is spread into one array for each component, with chroma replicated,
 * and then converted. Whole chroma pairs are written, so an odd last pixel fills one entry more.
 * `wide` (1: 10 bits at the top of a word; 0: a byte) and the steps are constant. */
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

/* Words with the code in the low bits. Greater codes are clamped, so that sums stay in range. */
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
