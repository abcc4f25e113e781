/* SPDX-License-Identifier: MIT */
/* Four pixels of Y'CbCr: their samples, by words or one by one, and R'G'B' of them. */
#ifndef ZCK_CUDA_YUV_CUH
#define ZCK_CUDA_YUV_CUH

#include "kernels/cuda/unpack.cuh"

/* As the source has them, the first pixel's lowest. */
struct zck_yuv {
    uint64_t y, u, v;
};

template <int unpack> static constexpr __device__ int sample_bits()
{
    return unpack == ZCI_UNPACK_SEMI10 || unpack == ZCI_UNPACK_PLANAR16 ? 16 : 8;
}

/* Of several: that of the chroma pairs, or that of U for 1 and of V for 2. */
template <int unpack>
static __device__ __forceinline__ uint32_t chroma_plane(const zci_load &load, uint32_t which)
{
    return planes_of<unpack>() == 3 && load.arg ? 3 - which : which;
}

/* Where U is in a pair of pixels' bytes, or a chroma pair's samples; that of V with `arg` the other way. */
template <int unpack> static __device__ __forceinline__ uint32_t chroma_place(uint32_t arg)
{
    return unpack == ZCI_UNPACK_YUV422 ? (~arg & 1u) + (arg & 2u) : arg;
}

template <int unpack> static __device__ __forceinline__ uint32_t other_order(uint32_t arg)
{
    return arg ^ (unpack == ZCI_UNPACK_YUV422 ? 2u : 1u);
}

/* Bytes picked from eight by the digits of `places`. */
static __device__ __forceinline__ uint32_t pick(uint64_t all, uint32_t places)
{
    return __byte_perm((uint32_t)all, (uint32_t)(all >> 32), places);
}

/* Words at 0 and 2 of four, each twice. */
static __device__ __forceinline__ uint64_t twice(uint64_t all)
{
    return (uint64_t)pick(all, 0x3232) << 32 | pick(all, 0x1010);
}

template <int unpack>
static __device__ __forceinline__ void
unpack_words(const zci_load &load, const zck_words (&w)[planes_of<unpack>()], zck_yuv &s)
{
    const bool each = load.hsub == 1;
    const uint32_t u = chroma_place<unpack>(load.arg);
    const uint32_t v = chroma_place<unpack>(other_order<unpack>(load.arg));
    s.y = bytes_in(w[0]);
    if constexpr (unpack == ZCI_UNPACK_YUV422) {
        s.u = pick(s.y, 0x4400 + 0x1111 * u);
        s.v = pick(s.y, 0x4400 + 0x1111 * v);
        s.y = pick(s.y, 0x6420 + 0x1111 * (load.arg & 1u));
    } else if constexpr (unpack == ZCI_UNPACK_SEMI8) {
        s.u = pick(bytes_in(w[1]), (each ? 0x6420 : 0x2200) + 0x1111 * u);
        s.v = pick(bytes_in(w[1]), (each ? 0x6420 : 0x2200) + 0x1111 * v);
    } else if constexpr (unpack == ZCI_UNPACK_SEMI10) {
        const uint64_t pairs = bytes_in(w[1]);
        const uint64_t low = pick(pairs, 0x5410), high = pick(pairs, 0x7632);
        s.u = twice(u ? high : low);
        s.v = twice(u ? low : high);
    } else if constexpr (unpack == ZCI_UNPACK_PLANAR8) {
        s.u = pick(bytes_in(w[1]), each ? 0x3210 : 0x1100);
        s.v = pick(bytes_in(w[2]), each ? 0x3210 : 0x1100);
    } else {
        s.u = each ? bytes_in(w[1]) : twice(bytes_in(w[1]));
        s.v = each ? bytes_in(w[2]) : twice(bytes_in(w[2]));
    }
}

/* Sample i of a row. */
template <int unpack>
static __device__ __forceinline__ uint64_t sample_at(const zck_view &v, const uint8_t *row,
                                                     uint32_t i, bool &missing)
{
    if (sample_bits<unpack>() == 8)
        return byte_at(v, row + i, missing);
    row += 2 * (size_t)i;
    const uint32_t low = byte_at(v, row, missing);
    return low | byte_at(v, row + 1, missing) << 8;
}

/* Columns x .. x + 3 of row y of the window, mirrored about its edges, one by one. */
template <int unpack>
static __device__ __forceinline__ void load_each(const zck_cuda_pass &p, const zck_view &view,
                                                 int32_t x, uint32_t y, zck_yuv &s, bool &missing)
{
    const zci_load &load = p.load;
    const int planes = planes_of<unpack>();
    const uint32_t u = chroma_place<unpack>(load.arg);
    const uint32_t v = chroma_place<unpack>(other_order<unpack>(load.arg));
    const uint32_t row = source_row(p.window, y), chroma_row = subsampled(row, load.vsub);
    const uint8_t *luma = plane_row(p, view, 0, row), *first = luma, *second = luma;
    if (planes > 1)
        first = second = plane_row(p, view, chroma_plane<unpack>(load, 1), chroma_row);
    if (planes > 2)
        second = plane_row(p, view, chroma_plane<unpack>(load, 2), chroma_row);
    s = {};
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        const uint32_t at = source_column(p.window, x + k), pair = subsampled(at, load.hsub);
        const int shift = k * sample_bits<unpack>();
        const uint32_t step = planes == 1 ? 4 : planes == 2 ? 2 : 1;
        const uint32_t y_at = planes == 1 ? 2 * at + (load.arg & 1u) : at;
        s.y |= sample_at<unpack>(view, luma, y_at, missing) << shift;
        s.u |= sample_at<unpack>(view, first, step * pair + (planes < 3 ? u : 0), missing) << shift;
        s.v |= sample_at<unpack>(view, second, step * pair + (planes < 3 ? v : 0), missing)
               << shift;
    }
}

/* Words with the code at the bottom. */
static __device__ __forceinline__ void put_wide(zck_quad &q, int k, const zci_load &load,
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

static __device__ __forceinline__ void put_narrow(zck_quad &q, int k, const zci_load &load,
                                                  int32_t y, int32_t u, int32_t v)
{
    if (load.pixel.depth == 8)
        put_rgba8(q, k, zck_yuv_to8(load.yuv, y, u, v));
    else
        put_rgba16(q, k, zck_yuv_to16(load.yuv, y, u, v));
}

template <int unpack>
static __device__ __forceinline__ void put_yuv(const zci_load &load, const zck_yuv &s, zck_quad &q)
{
    const int bits = sample_bits<unpack>(), down = unpack == ZCI_UNPACK_SEMI10 ? 6 : 0;
    const uint32_t mask = (1u << bits) - 1;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const uint32_t y = ((uint32_t)(s.y >> k * bits) & mask) >> down;
        const uint32_t u = ((uint32_t)(s.u >> k * bits) & mask) >> down;
        const uint32_t v = ((uint32_t)(s.v >> k * bits) & mask) >> down;
        if (unpack == ZCI_UNPACK_PLANAR16)
            put_wide(q, k, load, (uint16_t)y, (uint16_t)u, (uint16_t)v);
        else
            put_narrow(q, k, load, (int32_t)y, (int32_t)u, (int32_t)v);
    }
}

#endif
