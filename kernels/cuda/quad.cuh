/* SPDX-License-Identifier: MIT */
/* Four neighbouring pixels in registers: loaded from a source or an image, stored into an image. */
#ifndef ZCK_CUDA_QUAD_CUH
#define ZCK_CUDA_QUAD_CUH

#include "kernels/cuda/wait.cuh"
#include "kernels/demosaic_pixel.h"
#include "kernels/load_pixel.h"

/* Four pixels: R, G, B. MONO and BAYER use c[0] only. */
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

template <int unpack> static constexpr __device__ bool is_yuv()
{
    return unpack >= ZCI_UNPACK_YUV422 && unpack <= ZCI_UNPACK_PLANAR16;
}

/* Columns x .. x + 3 are inside the window, not flipped, and begin a group of packed pixels. */
template <int unpack>
static __device__ __forceinline__ bool is_whole(const zci_load &load, const zci_window &w,
                                                int32_t x)
{
    const bool packed = unpack >= ZCI_UNPACK_P10 && unpack <= ZCI_UNPACK_P14;
    const uint32_t group = packed || unpack == ZCI_UNPACK_NONE ? 4
                           : is_yuv<unpack>()                  ? load.hsub
                                                               : 1;
    return x >= 0 && (uint32_t)x + 4 <= w.width && !w.flip_h &&
           ((w.x + (uint32_t)x) & (group - 1)) == 0;
}

/* The source row of row y of the window. */
static __device__ __forceinline__ uint32_t source_row(const zci_window &w, uint32_t y)
{
    return w.y + (w.flip_v ? w.height - 1 - y : y);
}

/* The source column of column x of the window, mirrored about its edges. */
static __device__ __forceinline__ uint32_t source_column(const zci_window &w, int32_t x)
{
    const uint32_t m = w.width < 2 ? 0 : (uint32_t)zck_mirror(x, (int32_t)w.width);
    return w.x + (w.flip_h ? w.width - 1 - m : m);
}

/* Columns x .. x + 3 of row y of the window, mirrored about its edges, one pixel at a time. */
template <int unpack>
static __device__ __forceinline__ void load_each(const zck_cuda_pass &p, const zck_view &v,
                                                 int32_t x, uint32_t y, zck_quad &q, bool &missing)
{
#pragma unroll
    for (int k = 0; k < 4; k++)
        load_one<unpack>(p, v, source_column(p.window, x + k), source_row(p.window, y), q, k,
                         missing);
}

/* The same for an image, or a source whose kernels do not use sentinel words. x is a multiple of
 * 4, y is inside. */
template <int unpack>
static __device__ __forceinline__ void load_quad(const zck_cuda_pass &p, const zck_view &v,
                                                 int32_t x, uint32_t y, zck_quad &q)
{
    const zci_window &w = p.window;
    bool missing = false;
    if (unpack == ZCI_UNPACK_NONE && is_whole<unpack>(p.load, w, x))
        load_image_words(p, v, w.x + (uint32_t)x, source_row(w, y), q);
    else
        load_each<unpack>(p, v, x, y, q, missing);
}

static __device__ __forceinline__ void store_mono(const zck_cuda_pass &p, uint8_t *row, uint32_t x,
                                                  const zck_quad &q)
{
    uint64_t four = 0;
    const uint32_t bits = p.pixel.depth;
#pragma unroll
    for (int k = 0; k < 4; k++)
        four |= x + k < p.width ? (uint64_t)q.c[0][k] << k * bits : 0;
    if (bits == 8)
        ((uint32_t *)row)[x / 4] = (uint32_t)four;
    else
        ((uint64_t *)row)[x / 4] = four;
}

static __device__ __forceinline__ void store_four(const zck_cuda_pass &p, uint8_t *row, uint32_t x,
                                                  const uint32_t (&v)[4])
{
    const uint32_t n = p.width - x;
    uint4 *to = (uint4 *)row + x / 4;
    if (x + 4 <= p.width)
        *to = make_uint4(v[0], v[1], v[2], v[3]);
    else if (x < p.width)
        *to = make_uint4(v[0], n > 1 ? v[1] : 0, n > 2 ? v[2] : 0, 0);
    else
        *to = make_uint4(0, 0, 0, 0);
}

/* The samples share no bits, so + is |. The compiler turns the addition into multiply-adds. */
static __device__ __forceinline__ void store_rgba8(const zck_cuda_pass &p, uint8_t *row, uint32_t x,
                                                   const zck_quad &q)
{
    uint32_t v[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        v[k] = q.c[0][k] + q.c[1][k] * 256u | q.c[2][k] << 16 | 255u << 24;
    store_four(p, row, x, v);
}

/* A thread has 32 bytes, in two stores. The threads of a warp exchange halves so that each store
 * of the warp writes 512 contiguous bytes. */
static __device__ __forceinline__ void store_rgba16(const zck_cuda_pass &p, uint8_t *row,
                                                    uint32_t x, const zck_quad &q)
{
    uint32_t v[8];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const uint64_t rgba = x + k < p.width ? zck_rgba16(q.c[0][k], q.c[1][k], q.c[2][k]) : 0;
        v[2 * k] = (uint32_t)rgba;
        v[2 * k + 1] = (uint32_t)(rgba >> 32);
    }
    const uint32_t lane = threadIdx.x % 32;
    const size_t begin = (size_t)(x - 4 * lane) * 8;
#pragma unroll
    for (uint32_t j = 0; j < 2; j++) {
        uint32_t w[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const uint32_t first = __shfl_sync(0xffffffffu, v[i], 16 * j + lane / 2);
            const uint32_t second = __shfl_sync(0xffffffffu, v[4 + i], 16 * j + lane / 2);
            w[i] = lane % 2 ? second : first;
        }
        const size_t at = begin + (32 * j + lane) * 16;
        if (at < p.out_stride)
            *(uint4 *)(row + at) = make_uint4(w[0], w[1], w[2], w[3]);
    }
}

/* By all threads of a warp; each has the 4 pixels to the right of the thread before. Pixels
 * beyond the width are written as 0, to the end of the row's stride. */
static __device__ __forceinline__ void store_quad(const zck_cuda_pass &p, uint8_t *out, uint32_t x,
                                                  uint32_t y, const zck_quad &q)
{
    const uint32_t stride = (uint32_t)p.out_stride; /* at most ZCS_MAX_DIMENSION pixels */
    uint8_t *row = out + (uint64_t)y * stride;
    if (p.finished) {
        if (x * 4 < stride)
            store_four(p, row, x, q.c[0]); /* the stencil has packed them */
    } else if (p.pixel.layout == ZCI_RGBA && p.pixel.depth == 16) {
        store_rgba16(p, row, x, q);
    } else if (x * pixel_bytes(p.pixel) < stride) {
        if (p.pixel.layout == ZCI_RGBA)
            store_rgba8(p, row, x, q);
        else
            store_mono(p, row, x, q);
    }
}

#endif
