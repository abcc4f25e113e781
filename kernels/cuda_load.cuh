/* SPDX-License-Identifier: MIT */
/* Four neighbouring pixels of a source row or of an image, into registers. */
#ifndef ZCK_CUDA_LOAD_CUH
#define ZCK_CUDA_LOAD_CUH

#include "kernels/cuda_pass.h"
#include "kernels/demosaic_pixel.h"
#include "kernels/load_pixel.h"

/* Four pixels: R, G, B; MONO and BAYER have c[0] only. */
struct zck_quad {
    uint32_t c[3][4];
};

static __device__ __forceinline__ uint32_t pixel_bytes(zci_pixel pixel)
{
    return (pixel.layout == ZCI_RGBA ? 4u : 1u) * (pixel.depth / 8u);
}

static __device__ __forceinline__ void put_rgba8(zck_quad &q, int k, uint32_t rgba)
{
    q.c[0][k] = rgba & 255u;
    q.c[1][k] = rgba >> 8 & 255u;
    q.c[2][k] = rgba >> 16 & 255u;
}

static __device__ __forceinline__ void put_rgba16(zck_quad &q, int k, uint64_t rgba)
{
    q.c[0][k] = (uint32_t)rgba & 65535u;
    q.c[1][k] = (uint32_t)rgba >> 16;
    q.c[2][k] = (uint32_t)(rgba >> 32) & 65535u;
}

static __device__ __forceinline__ void put_yuv(zck_quad &q, int k, const zci_load &load, int32_t y,
                                               int32_t u, int32_t v)
{
    if (load.pixel.depth == 8)
        put_rgba8(q, k, zck_yuv_to8(load.yuv, y, u, v));
    else
        put_rgba16(q, k, zck_yuv_to16(load.yuv, y, u, v));
}

/* Words with the code at the bottom. */
static __device__ __forceinline__ void put_planar16(zck_quad &q, int k, const zci_load &load,
                                                    uint16_t y, uint16_t u, uint16_t v)
{
    const uint16_t max = zck_code_max(load.bits);
    const int32_t cy = zck_clamp_code(y, max), cu = zck_clamp_code(u, max);
    const int32_t cv = zck_clamp_code(v, max);
    if (load.pixel.depth == 8)
        put_rgba8(q, k, zck_yuv_wide_to8(load.yuv, cy, cu, cv));
    else
        put_rgba16(q, k, zck_yuv_to16(load.yuv, cy, cu, cv));
}

/* Up to 8 bytes from any address on, which lie in memory with the words that hold them. */
template <int bytes> static __device__ __forceinline__ uint64_t gather(const uint8_t *from)
{
    const uint32_t off = (uint32_t)(uintptr_t)from & 3u;
    const uint32_t *word = (const uint32_t *)(from - off);
    uint32_t a = word[0], b = bytes + off > 4 ? word[1] : 0;
    if (off != 0) {
        const uint32_t c = bytes + off > 8 ? word[2] : 0;
        a = __funnelshift_r(a, b, off * 8);
        b = __funnelshift_r(b, c, off * 8);
    }
    return (uint64_t)b << 32 | a;
}

static __device__ __forceinline__ const uint8_t *plane_row(const zck_cuda_pass &p, uint32_t plane,
                                                           uint32_t y)
{
    return p.in + p.load.offset_bytes[plane] + y * p.load.stride_bytes[plane];
}

static __device__ __forceinline__ uint32_t word_at(const uint8_t *row, uint32_t i, bool big)
{
    const uint8_t a = row[2 * i], b = row[2 * i + 1];
    return big ? zck_word(b, a) : zck_word(a, b);
}

static __device__ __forceinline__ uint32_t code(const zci_load &load, uint32_t word)
{
    return zck_clamp_code((uint16_t)(word >> load.shift), zck_code_max(load.bits));
}

static __device__ __forceinline__ uint32_t packed_at(const zck_cuda_pass &p, uint32_t kind,
                                                     const uint8_t *row, uint32_t x)
{
    const zck_group g = zck_group_of(kind);
    const uint32_t n = x / g.pixels, rest = p.load.width % g.pixels;
    const uint32_t low_at = n < p.load.width / g.pixels
                                ? g.pixels
                                : zck_partial_low(g, p.load.width, rest, p.load.stride_bytes[0]);
    return zck_clamp_code(zck_packed(g, row + (size_t)n * g.bytes, x % g.pixels, low_at),
                          zck_code_max(p.load.bits));
}

/* MONO and BAYER: the code at x, y. */
template <int unpack>
static __device__ __forceinline__ void load_one_code(const zck_cuda_pass &p, uint32_t x, uint32_t y,
                                                     zck_quad &q, int k)
{
    const uint8_t *row = plane_row(p, 0, y);
    if (unpack == ZCI_UNPACK_U8)
        q.c[0][k] = zck_clamp_code(row[x], zck_code_max(p.load.bits));
    else if (unpack == ZCI_UNPACK_U16 || unpack == ZCI_UNPACK_U16BE)
        q.c[0][k] = code(p.load, word_at(row, x, unpack == ZCI_UNPACK_U16BE));
    else
        q.c[0][k] = packed_at(p, unpack, row, x);
}

static __device__ __forceinline__ int32_t yuv_sample(const uint8_t *row, uint32_t i, bool wide)
{
    return wide ? (int32_t)(word_at(row, i, false) >> 6) : (int32_t)row[i];
}

template <int unpack>
static __device__ __forceinline__ void load_one_yuv(const zck_cuda_pass &p, uint32_t x, uint32_t y,
                                                    zck_quad &q, int k)
{
    const zci_load &load = p.load;
    const uint8_t *row = plane_row(p, 0, y);
    const uint32_t arg = load.arg, cx = x / load.hsub, cy = y / load.vsub;
    if (unpack == ZCI_UNPACK_YUV422) {
        const uint8_t *chroma = row + !(arg & 1u) + x / 2 * 4;
        put_yuv(q, k, load, row[2 * x + (arg & 1u)], chroma[arg & 2u], chroma[~arg & 2u]);
    } else if (unpack == ZCI_UNPACK_PLANAR8) {
        const uint32_t first = arg ? 2 : 1;
        put_yuv(q, k, load, row[x], plane_row(p, first, cy)[cx], plane_row(p, 3 - first, cy)[cx]);
    } else if (unpack == ZCI_UNPACK_PLANAR16) {
        const uint32_t first = arg ? 2 : 1;
        put_planar16(q, k, load, (uint16_t)word_at(row, x, false),
                     (uint16_t)word_at(plane_row(p, first, cy), cx, false),
                     (uint16_t)word_at(plane_row(p, 3 - first, cy), cx, false));
    } else {
        const bool wide = unpack == ZCI_UNPACK_SEMI10;
        const uint8_t *chroma = plane_row(p, 1, cy);
        const uint32_t u = 2 * cx + (arg ? 1 : 0), v = 2 * cx + (arg ? 0 : 1);
        put_yuv(q, k, load, yuv_sample(row, x, wide), yuv_sample(chroma, u, wide),
                yuv_sample(chroma, v, wide));
    }
}

template <int unpack>
static __device__ __forceinline__ void load_one_rgb(const zck_cuda_pass &p, uint32_t x, uint32_t y,
                                                    zck_quad &q, int k)
{
    const uint8_t *row = plane_row(p, 0, y);
    const bool deep = p.load.pixel.depth != 8;
    const uint32_t bytes = unpack == ZCI_UNPACK_RGB24 ? 3 : 4;
#pragma unroll
    for (int c = 0; c < 3; c++) {
        const uint32_t place = p.load.arg >> 4 * c & 15u;
        if (unpack == ZCI_UNPACK_RGBA64) {
            const uint16_t v = (uint16_t)word_at(row, 4 * x + place, false);
            q.c[c][k] = deep ? v : zck_narrow(v);
        } else if (unpack == ZCI_UNPACK_RGB565 || unpack == ZCI_UNPACK_RGB565BE) {
            const uint32_t word = word_at(row, x, unpack == ZCI_UNPACK_RGB565BE);
            q.c[c][k] = zck_565((uint16_t)word, c, deep ? 65535 : 255);
        } else {
            const uint8_t v = row[(size_t)bytes * x + place];
            q.c[c][k] = deep ? zck_widen(v) : v;
        }
    }
}

/* A pixel of an earlier pass's image. */
static __device__ __forceinline__ void load_one_image(const zck_cuda_pass &p, uint32_t x,
                                                      uint32_t y, zck_quad &q, int k)
{
    const uint8_t *row = p.in + y * p.in_stride;
    if (p.loaded.layout != ZCI_RGBA)
        q.c[0][k] = p.loaded.depth == 8 ? row[x] : ((const uint16_t *)row)[x];
    else if (p.loaded.depth == 8)
        put_rgba8(q, k, ((const uint32_t *)row)[x]);
    else
        put_rgba16(q, k, ((const uint64_t *)row)[x]);
}

template <int unpack>
static __device__ __forceinline__ void load_one(const zck_cuda_pass &p, uint32_t x, uint32_t y,
                                                zck_quad &q, int k)
{
    if (unpack == ZCI_UNPACK_NONE)
        load_one_image(p, x, y, q, k);
    else if (unpack <= ZCI_UNPACK_P14)
        load_one_code<unpack>(p, x, y, q, k);
    else if (unpack <= ZCI_UNPACK_PLANAR16)
        load_one_yuv<unpack>(p, x, y, q, k);
    else
        load_one_rgb<unpack>(p, x, y, q, k);
}

/* Pixels x .. x + 3 of a row with at least that many. False: their bytes do not lie so that words can be
 * read; nothing was loaded then. */
template <int unpack>
static __device__ __forceinline__ bool load_words(const zck_cuda_pass &p, uint32_t x, uint32_t y,
                                                  zck_quad &q)
{
    const uint8_t *row = plane_row(p, 0, y);
    if (unpack == ZCI_UNPACK_U8) {
        const uint32_t four = (uint32_t)gather<4>(row + x);
#pragma unroll
        for (int k = 0; k < 4; k++)
            q.c[0][k] = zck_clamp_code(four >> 8 * k & 255u, zck_code_max(p.load.bits));
        return true;
    }
    if (unpack == ZCI_UNPACK_U16 || unpack == ZCI_UNPACK_U16BE) {
        const uint64_t four = gather<8>(row + 2 * (size_t)x);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const uint32_t word = (uint32_t)(four >> 16 * k) & 65535u;
            const bool big = unpack == ZCI_UNPACK_U16BE;
            q.c[0][k] = code(p.load, big ? __byte_perm(word, 0, 0x4401) : word);
        }
        return true;
    }
    if (unpack == ZCI_UNPACK_YUV422 && x % 2 == 0) {
        const uint64_t four = gather<8>(row + 2 * (size_t)x);
        const uint32_t luma = p.load.arg & 1u ? 8 : 0, chroma = 8 - luma;
        const uint32_t u = chroma + 8 * (p.load.arg & 2u), v = chroma + 8 * (~p.load.arg & 2u);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const uint32_t pair = (uint32_t)(four >> 32 * (k / 2));
            put_yuv(q, k, p.load, pair >> (16 * (k % 2) + luma) & 255u, pair >> u & 255u,
                    pair >> v & 255u);
        }
        return true;
    }
    return false;
}

/* The same for whole groups of packed codes; x is a multiple of 4. */
template <int unpack>
static __device__ __forceinline__ void load_groups(const zck_cuda_pass &p, uint32_t x, uint32_t y,
                                                   zck_quad &q)
{
    const zck_group g = zck_group_of(unpack);
    const int bytes = unpack == ZCI_UNPACK_P10 ? 5 : unpack == ZCI_UNPACK_P12 ? 6 : 7;
    const uint64_t all = gather<bytes>(plane_row(p, 0, y) + (size_t)(x / 4) * bytes);
    uint8_t b[8];
#pragma unroll
    for (int i = 0; i < 8; i++)
        b[i] = (uint8_t)(all >> 8 * i);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const int group = k / (int)g.pixels;
        q.c[0][k] = zck_clamp_code(zck_packed(g, b + group * g.bytes, k % g.pixels, g.pixels),
                                   zck_code_max(p.load.bits));
    }
}

static __device__ __forceinline__ void load_image_words(const zck_cuda_pass &p, uint32_t x,
                                                        uint32_t y, zck_quad &q)
{
    const uint8_t *at = p.in + y * p.in_stride + (size_t)x * pixel_bytes(p.loaded);
    if (p.loaded.layout != ZCI_RGBA) {
        const bool deep = p.loaded.depth != 8;
        const uint64_t four = deep ? *(const uint64_t *)at : *(const uint32_t *)at;
#pragma unroll
        for (int k = 0; k < 4; k++)
            q.c[0][k] = (uint32_t)(four >> (deep ? 16 : 8) * k) & (deep ? 65535u : 255u);
    } else if (p.loaded.depth == 8) {
        const uint4 four = *(const uint4 *)at;
        put_rgba8(q, 0, four.x);
        put_rgba8(q, 1, four.y);
        put_rgba8(q, 2, four.z);
        put_rgba8(q, 3, four.w);
    } else {
#pragma unroll
        for (int k = 0; k < 4; k++)
            put_rgba16(q, k, ((const uint64_t *)at)[k]);
    }
}

/* Columns x .. x + 3 of row y of the window, mirrored about its edges; x is a multiple of 4, y inside. */
template <int unpack>
static __device__ __forceinline__ void load_quad(const zck_cuda_pass &p, int32_t x, uint32_t y,
                                                 zck_quad &q)
{
    const zci_window &w = p.window;
    const uint32_t row = w.y + (w.flip_v ? w.height - 1 - y : y);
    const uint32_t column = w.x + (uint32_t)x;
    const bool whole = x >= 0 && (uint32_t)x + 4 <= w.width && !w.flip_h;
    if (whole && unpack == ZCI_UNPACK_NONE && column % 4 == 0)
        return load_image_words(p, column, row, q);
    if (whole && unpack >= ZCI_UNPACK_P10 && unpack <= ZCI_UNPACK_P14 && column % 4 == 0)
        return load_groups<unpack>(p, column, row, q);
    if (whole && unpack != ZCI_UNPACK_NONE && load_words<unpack>(p, column, row, q))
        return;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const uint32_t m = w.width < 2 ? 0 : (uint32_t)zck_mirror(x + k, (int32_t)w.width);
        load_one<unpack>(p, w.x + (w.flip_h ? w.width - 1 - m : m), row, q, k);
    }
}

#endif
