/* SPDX-License-Identifier: MIT */
/* The words of the source that hold four neighbouring pixels, and codes of them. */
#ifndef ZCK_CUDA_UNPACK_CUH
#define ZCK_CUDA_UNPACK_CUH

#include "kernels/cuda/load.cuh"

/* Of a row or column of pixels: that of its chroma. `by` is 1 or 2. */
static __device__ __forceinline__ uint32_t subsampled(uint32_t at, uint32_t by)
{
    return at >> (by - 1);
}

/* Planes that a pixel is made of. */
template <int unpack> static constexpr __device__ int planes_of()
{
    return unpack == ZCI_UNPACK_PLANAR8 || unpack == ZCI_UNPACK_PLANAR16 ? 3
           : unpack == ZCI_UNPACK_SEMI8 || unpack == ZCI_UNPACK_SEMI10   ? 2
                                                                         : 1;
}

/* The bytes of four pixels in a plane, of chroma the most that there can be: SEMI10 has one pair for two. */
template <int unpack> static constexpr __device__ int quad_bytes(int plane)
{
    const bool narrow = unpack == ZCI_UNPACK_U8 || unpack == ZCI_UNPACK_PLANAR8 ||
                        (unpack == ZCI_UNPACK_SEMI8 && plane == 0);
    return narrow                     ? 4
           : unpack == ZCI_UNPACK_P10 ? 5
           : unpack == ZCI_UNPACK_P12 ? 6
           : unpack == ZCI_UNPACK_P14 ? 7
                                      : 8;
}

/* Those of this source. */
template <int unpack>
static __device__ __forceinline__ uint32_t quad_bytes_of(const zci_load &load, int plane)
{
    const int max = quad_bytes<unpack>(plane);
    return plane == 0 || unpack == ZCI_UNPACK_SEMI10 ? max : subsampled(max, load.hsub);
}

/* The first byte of a plane's row that pixel `column` is made of. */
template <int unpack>
static __device__ __forceinline__ uint32_t byte_of(const zci_load &load, int plane, uint32_t column)
{
    if (unpack >= ZCI_UNPACK_P10 && unpack <= ZCI_UNPACK_P14) {
        const zck_group g = zck_group_of(unpack);
        return column / g.pixels * g.bytes + column % g.pixels;
    }
    const bool pairs = plane > 0 && planes_of<unpack>() == 2;
    const uint32_t bytes =
        (unpack == ZCI_UNPACK_U8 || unpack == ZCI_UNPACK_SEMI8 || unpack == ZCI_UNPACK_PLANAR8
             ? 1
             : 2) *
        (pairs ? 2 : 1);
    return bytes * (plane > 0 ? subsampled(column, load.hsub) : column);
}

/* Up to 8 bytes from any address on, as the words that hold them. */
struct zck_words {
    uint32_t word[3], off;
};

/* `bytes`, which are `most` at most. No branches, so that several of these are under way at once. */
static __device__ __forceinline__ zck_words fetch(const uint8_t *from, int max, uint32_t bytes,
                                                  bool wanted)
{
    zck_words w;
    w.off = (uint32_t)(uintptr_t)from & 3u;
    const uint32_t *at = (const uint32_t *)(from - w.off);
#pragma unroll
    for (int i = 0; i < 3; i++)
        w.word[i] = i * 4 < max + 3 ? word_if(at + i, wanted && w.off + bytes > i * 4u) : 0;
    return w;
}

static __device__ __forceinline__ bool is_missing(const zck_words &w, int max, uint32_t bytes,
                                                  uint32_t sentinel)
{
    bool missing = false;
#pragma unroll
    for (int i = 0; i < 3; i++)
        missing |= i * 4 < max + 3 && w.off + bytes > i * 4u && w.word[i] == sentinel;
    return missing;
}

/* The bytes from the first one on. */
static __device__ __forceinline__ uint64_t bytes_in(const zck_words &w)
{
    const uint32_t low = __funnelshift_r(w.word[0], w.word[1], w.off * 8);
    const uint32_t high = __funnelshift_r(w.word[1], w.word[2], w.off * 8);
    return (uint64_t)high << 32 | low;
}

template <int unpack>
static __device__ __forceinline__ void unpack_groups(const zci_load &load, uint64_t all,
                                                     zck_quad &q)
{
    const zck_group g = zck_group_of(unpack);
    uint8_t byte[8];
#pragma unroll
    for (int i = 0; i < 8; i++)
        byte[i] = (uint8_t)(all >> 8 * i);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const uint8_t *group = byte + k / (int)g.pixels * g.bytes;
        q.c[0][k] =
            zck_clamp_code(zck_packed(g, group, k % g.pixels, g.pixels), zck_code_max(load.bits));
    }
}

template <int unpack>
static __device__ __forceinline__ void unpack_codes(const zci_load &load, uint64_t all, zck_quad &q)
{
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const uint32_t word = (uint32_t)(all >> 16 * k) & 65535u;
        if (unpack == ZCI_UNPACK_U8)
            q.c[0][k] = zck_clamp_code((uint32_t)all >> 8 * k & 255u, zck_code_max(load.bits));
        else
            q.c[0][k] = code(load, unpack == ZCI_UNPACK_U16 ? word : __byte_perm(word, 0, 0x4401));
    }
}

/* Four codes of their words. */
template <int unpack>
static __device__ __forceinline__ void unpack_words(const zci_load &load, const zck_words (&w)[1],
                                                    zck_quad &q)
{
    if (unpack >= ZCI_UNPACK_P10)
        unpack_groups<unpack>(load, bytes_in(w[0]), q);
    else
        unpack_codes<unpack>(load, bytes_in(w[0]), q);
}

#endif
