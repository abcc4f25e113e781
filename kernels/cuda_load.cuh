/* SPDX-License-Identifier: MIT */
/* Four neighbouring pixels of a source row or of an image, into registers. */
#ifndef ZCK_CUDA_LOAD_CUH
#define ZCK_CUDA_LOAD_CUH

#include "kernels/cuda_wait.cuh"
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

static __device__ __forceinline__ const uint8_t *
plane_row(const zck_cuda_pass &p, const zck_view &v, uint32_t plane, uint32_t y)
{
    return v.in + p.load.offset_bytes[plane] + y * p.load.stride_bytes[plane];
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

static __device__ __forceinline__ uint32_t packed_at(const zck_cuda_pass &p, const zck_view &v,
                                                     uint32_t kind, const uint8_t *row, uint32_t x,
                                                     bool &missing)
{
    const zck_group g = zck_group_of(kind);
    const uint32_t n = x / g.pixels, rest = p.load.width % g.pixels;
    const uint32_t low_at = n < p.load.width / g.pixels
                                ? g.pixels
                                : zck_partial_low(g, p.load.width, rest, p.load.stride_bytes[0]);
    const uint32_t k = x % g.pixels;
    const uint8_t *group = row + (size_t)n * g.bytes, *low = group + low_at;
    const uint32_t high = byte_at(v, group + k, missing);
    const uint32_t first = byte_at(v, low + zck_low_first(g, k), missing);
    const uint32_t last = byte_at(v, low + zck_low_last(g, k), missing);
    return zck_clamp_code(zck_packed_code(g, k, high, first, last), zck_code_max(p.load.bits));
}

/* MONO and BAYER: the code at x, y. */
template <int unpack>
static __device__ __forceinline__ void load_one_code(const zck_cuda_pass &p, const zck_view &v,
                                                     uint32_t x, uint32_t y, zck_quad &q, int k,
                                                     bool &missing)
{
    const uint8_t *row = plane_row(p, v, 0, y);
    if (unpack == ZCI_UNPACK_U8) {
        q.c[0][k] = zck_clamp_code(byte_at(v, row + x, missing), zck_code_max(p.load.bits));
    } else if (unpack == ZCI_UNPACK_U16 || unpack == ZCI_UNPACK_U16BE) {
        const uint8_t b[2] = {(uint8_t)byte_at(v, row + 2 * x, missing),
                              (uint8_t)byte_at(v, row + 2 * x + 1, missing)};
        q.c[0][k] = code(p.load, word_at(b, 0, unpack == ZCI_UNPACK_U16BE));
    } else {
        q.c[0][k] = packed_at(p, v, unpack, row, x, missing);
    }
}

static __device__ __forceinline__ int32_t yuv_sample(const uint8_t *row, uint32_t i, bool wide)
{
    return wide ? (int32_t)(word_at(row, i, false) >> 6) : (int32_t)row[i];
}

template <int unpack>
static __device__ __forceinline__ void load_one_yuv(const zck_cuda_pass &p, const zck_view &view,
                                                    uint32_t x, uint32_t y, zck_quad &q, int k,
                                                    bool &missing)
{
    const zci_load &load = p.load;
    const uint8_t *row = plane_row(p, view, 0, y);
    const uint32_t arg = load.arg, cx = x / load.hsub, cy = y / load.vsub;
    if (unpack == ZCI_UNPACK_YUV422) {
        const uint8_t *chroma = row + !(arg & 1u) + x / 2 * 4;
        put_yuv(q, k, load, (int32_t)byte_at(view, row + 2 * x + (arg & 1u), missing),
                (int32_t)byte_at(view, chroma + (arg & 2u), missing),
                (int32_t)byte_at(view, chroma + (~arg & 2u), missing));
    } else if (unpack == ZCI_UNPACK_PLANAR8) {
        const uint32_t first = arg ? 2 : 1;
        put_yuv(q, k, load, row[x], plane_row(p, view, first, cy)[cx],
                plane_row(p, view, 3 - first, cy)[cx]);
    } else if (unpack == ZCI_UNPACK_PLANAR16) {
        const uint32_t first = arg ? 2 : 1;
        put_planar16(q, k, load, (uint16_t)word_at(row, x, false),
                     (uint16_t)word_at(plane_row(p, view, first, cy), cx, false),
                     (uint16_t)word_at(plane_row(p, view, 3 - first, cy), cx, false));
    } else {
        const bool wide = unpack == ZCI_UNPACK_SEMI10;
        const uint8_t *chroma = plane_row(p, view, 1, cy);
        const uint32_t u = 2 * cx + (arg ? 1 : 0), v = 2 * cx + (arg ? 0 : 1);
        put_yuv(q, k, load, yuv_sample(row, x, wide), yuv_sample(chroma, u, wide),
                yuv_sample(chroma, v, wide));
    }
}

template <int unpack>
static __device__ __forceinline__ void load_one_rgb(const zck_cuda_pass &p, const zck_view &view,
                                                    uint32_t x, uint32_t y, zck_quad &q, int k)
{
    const uint8_t *row = plane_row(p, view, 0, y);
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
static __device__ __forceinline__ void load_one_image(const zck_cuda_pass &p, const zck_view &v,
                                                      uint32_t x, uint32_t y, zck_quad &q, int k)
{
    const uint8_t *row = v.in + y * p.in_stride;
    if (p.loaded.layout != ZCI_RGBA)
        q.c[0][k] = p.loaded.depth == 8 ? row[x] : ((const uint16_t *)row)[x];
    else if (p.loaded.depth == 8)
        put_rgba8(q, k, ((const uint32_t *)row)[x]);
    else
        put_rgba16(q, k, ((const uint64_t *)row)[x]);
}

template <int unpack>
static __device__ __forceinline__ void load_one(const zck_cuda_pass &p, const zck_view &v,
                                                uint32_t x, uint32_t y, zck_quad &q, int k,
                                                bool &missing)
{
    if (unpack == ZCI_UNPACK_NONE)
        load_one_image(p, v, x, y, q, k);
    else if (unpack <= ZCI_UNPACK_P14)
        load_one_code<unpack>(p, v, x, y, q, k, missing);
    else if (unpack <= ZCI_UNPACK_PLANAR16)
        load_one_yuv<unpack>(p, v, x, y, q, k, missing);
    else
        load_one_rgb<unpack>(p, v, x, y, q, k);
}

static __device__ __forceinline__ void load_image_words(const zck_cuda_pass &p, const zck_view &v,
                                                        uint32_t x, uint32_t y, zck_quad &q)
{
    const uint8_t *at = v.in + y * p.in_stride + (size_t)x * pixel_bytes(p.loaded);
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

/* Columns x .. x + 3 of the window are there, in order, and begin where a group of pixels does. */
template <int unpack>
static __device__ __forceinline__ bool is_whole(const zci_window &w, int32_t x)
{
    const bool packed = unpack >= ZCI_UNPACK_P10 && unpack <= ZCI_UNPACK_P14;
    const uint32_t group = packed || unpack == ZCI_UNPACK_NONE ? 4
                           : unpack == ZCI_UNPACK_YUV422       ? 2
                                                               : 1;
    return x >= 0 && (uint32_t)x + 4 <= w.width && !w.flip_h && (w.x + (uint32_t)x) % group == 0;
}

/* Row y of the window. */
static __device__ __forceinline__ uint32_t source_row(const zci_window &w, uint32_t y)
{
    return w.y + (w.flip_v ? w.height - 1 - y : y);
}

/* Columns x .. x + 3 of row y of the window, mirrored about its edges, one by one. */
template <int unpack>
static __device__ __forceinline__ void load_each(const zck_cuda_pass &p, const zck_view &v,
                                                 int32_t x, uint32_t y, zck_quad &q, bool &missing)
{
    const zci_window &w = p.window;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const uint32_t m = w.width < 2 ? 0 : (uint32_t)zck_mirror(x + k, (int32_t)w.width);
        load_one<unpack>(p, v, w.x + (w.flip_h ? w.width - 1 - m : m), source_row(w, y), q, k,
                         missing);
    }
}

/* The same of an image, or of a source whose kernels do not look at words; x is a multiple of 4, y inside. */
template <int unpack>
static __device__ __forceinline__ void load_quad(const zck_cuda_pass &p, const zck_view &v,
                                                 int32_t x, uint32_t y, zck_quad &q)
{
    const zci_window &w = p.window;
    bool missing = false;
    if (unpack == ZCI_UNPACK_NONE && is_whole<unpack>(w, x))
        load_image_words(p, v, w.x + (uint32_t)x, source_row(w, y), q);
    else
        load_each<unpack>(p, v, x, y, q, missing);
}

#endif
