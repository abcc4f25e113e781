/* SPDX-License-Identifier: MIT */
/* Demosaicing of four neighbouring pixels from a tile of samples in shared memory. */
#ifndef ZCK_CUDA_STENCIL_CUH
#define ZCK_CUDA_STENCIL_CUH

#include "kernels/cuda/quad.cuh"
#include "kernels/demosaic_pixel.h"

#define ZCK_HALO 2u         /* rows above and below a tile, and used columns beside it */
#define ZCK_HALO_COLUMNS 4u /* columns beside a tile that are in memory */
#define ZCK_MIRRORED 8u     /* the minimal image width whose edges are mirrored within a tile */
#define ZCK_PITCH (ZCK_CUDA_TILE_WIDTH + 2 * ZCK_HALO_COLUMNS)

struct zck_samples {
    alignas(16) uint16_t at[ZCK_CUDA_TILE_HEIGHT + 2 * ZCK_HALO][ZCK_PITCH];
};

/* Columns 0 .. 7 of one row, as words. The four pixels are columns 2 .. 5. */
static __device__ __forceinline__ void load_row_words(const zck_samples &tile, uint32_t row,
                                                      uint32_t column, uint32_t (&words)[4])
{
    const uint32_t *from = (const uint32_t *)&tile.at[row][column];
    const uint2 middle = *(const uint2 *)(from + 2);
    words[0] = from[1];
    words[1] = middle.x;
    words[2] = middle.y;
    words[3] = from[4];
}

/* The samples around four pixels in each of two rows. Pixel k of row n is v[n + 2][k + 2]. */
struct zck_neighbors {
    int32_t v[6][8];
};

static __device__ __forceinline__ void load_neighbors(const zck_samples &tile, uint32_t row,
                                                      uint32_t column, zck_neighbors &a)
{
#pragma unroll
    for (int r = 0; r < 6; r++) {
        uint32_t words[4];
        load_row_words(tile, row + r, column, words);
#pragma unroll
        for (int i = 0; i < 8; i++)
            a.v[r][i] = (int32_t)(words[i / 2] >> 16 * (i % 2) & 65535u);
    }
}

/* The colours of a pixel: the non-green colour of its row, green, and the other one. */
struct zck_colors {
    int32_t own, green, other;
};

template <bool has_own>
static __device__ __forceinline__ zck_colors mhc(const zck_neighbors &a, int n, int k, int32_t max)
{
    const int32_t c = a.v[n + 2][k + 2];
    const int32_t h1 = a.v[n + 2][k + 1] + a.v[n + 2][k + 3],
                  h2 = a.v[n + 2][k] + a.v[n + 2][k + 4];
    const int32_t v1 = a.v[n + 1][k + 2] + a.v[n + 3][k + 2],
                  v2 = a.v[n + 0][k + 2] + a.v[n + 4][k + 2];
    const int32_t d = a.v[n + 1][k + 1] + a.v[n + 1][k + 3] + a.v[n + 3][k + 1] + a.v[n + 3][k + 3];
    zck_colors out;
    out.own = has_own ? c : zck_mhc_along(c, d, h1, h2, v2, max);
    out.green = has_own ? zck_mhc_cross(c, h1, v1, h2, v2, max) : c;
    out.other =
        has_own ? zck_mhc_diagonal(c, d, h2, v2, max) : zck_mhc_along(c, d, v1, v2, h2, max);
    return out;
}

template <bool has_own>
static __device__ __forceinline__ zck_colors bilinear(const zck_neighbors &a, int n, int k)
{
    const int32_t c = a.v[n + 2][k + 2];
    const int32_t h1 = a.v[n + 2][k + 1] + a.v[n + 2][k + 3],
                  v1 = a.v[n + 1][k + 2] + a.v[n + 3][k + 2];
    const int32_t d = a.v[n + 1][k + 1] + a.v[n + 1][k + 3] + a.v[n + 3][k + 1] + a.v[n + 3][k + 3];
    zck_colors out;
    out.own = has_own ? c : zck_bilinear_two(h1);
    out.green = has_own ? zck_bilinear_four(h1 + v1) : c;
    out.other = has_own ? zck_bilinear_four(d) : zck_bilinear_two(v1);
    return out;
}

/* `first`: pixel 0 of row 0 and pixel 1 of row 1 have their row's own colour; otherwise the
 * other two have it. `red`: row 0's own colour is red, and row 1's is blue. */
template <bool first, bool is_mhc>
static __device__ __forceinline__ void demosaic(const zck_samples &tile, uint32_t row,
                                                uint32_t column, bool red, int32_t max,
                                                zck_quad (&q)[2])
{
    zck_neighbors a;
    load_neighbors(tile, row, column, a);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int n = i / 4, k = i % 4;
        const bool own = ((n + k) % 2 == 0) == first, swap = red == (n == 1);
        zck_colors c;
        if (is_mhc)
            c = own ? mhc<true>(a, n, k, max) : mhc<false>(a, n, k, max);
        else
            c = own ? bilinear<true>(a, n, k) : bilinear<false>(a, n, k);
        q[n].c[0][k] = (uint32_t)(swap ? c.other : c.own);
        q[n].c[1][k] = (uint32_t)c.green;
        q[n].c[2][k] = (uint32_t)(swap ? c.own : c.other);
    }
}

static __device__ __forceinline__ void put_pair(const zck_pair_colors &pair, bool red, int k,
                                                zck_quad &q)
{
    const uint32_t rgb[3] = {red ? pair.own : pair.other, pair.green, red ? pair.other : pair.own};
#pragma unroll
    for (int c = 0; c < 3; c++) {
        q.c[c][k] = zck_pair_left(rgb[c]);
        q.c[c][k + 2] = zck_pair_right(rgb[c]);
    }
}

/* An uninitialized register: setting values that are never read to zero would take time. */
static __device__ __forceinline__ uint32_t undefined_value(void)
{
    uint32_t v;
    asm("" : "=r"(v));
    return v;
}

static __device__ __forceinline__ void put_packed(const zck_pair_colors &pair, bool red, int k,
                                                  zck_quad &q)
{
    uint32_t pixels[2];
    zck_pair_rgba8(pair, red, pixels);
    q.c[0][k] = pixels[0];
    q.c[0][k + 2] = pixels[1];
#pragma unroll
    for (int c = 1; c < 3; c++)
        q.c[c][k] = q.c[c][k + 2] = undefined_value();
}

/* The same for samples up to ZCK_PAIR_MAX: pixels 0 and 2, and 1 and 3, are computed as pairs. */
template <bool first, bool is_mhc>
static __device__ __forceinline__ void demosaic_pairs(const zck_cuda_pass &p,
                                                      const zck_samples &tile, uint32_t row,
                                                      uint32_t column, bool red, zck_quad (&q)[2])
{
    zck_pair_around a;
#pragma unroll
    for (int r = 0; r < 6; r++) {
        uint32_t words[4];
        load_row_words(tile, row + r, column, words);
        zck_pair_row(words, a.v[r]);
    }
    zck_pair_colors c[2][2];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int n = i / 2, k = i % 2;
        const bool own = (n == k) == first;
        c[n][k] =
            is_mhc ? zck_pair_mhc(&a, n, k, own, p.stencil_max) : zck_pair_bilinear(&a, n, k, own);
    }
    if (p.finished) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            put_packed(c[i / 2][i % 2], red == (i / 2 == 0), i % 2, q[i / 2]);
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++)
            put_pair(c[i / 2][i % 2], red == (i / 2 == 0), i % 2, q[i / 2]);
    }
}

template <bool first>
static __device__ __forceinline__ void stencil_rows(const zck_cuda_pass &p, const zck_samples &tile,
                                                    uint32_t row, uint32_t column, bool red,
                                                    zck_quad (&q)[2])
{
    const bool is_mhc = p.stencil == ZCI_STENCIL_MHC;
    if (p.stencil_max <= ZCK_PAIR_MAX && is_mhc)
        demosaic_pairs<first, true>(p, tile, row, column, red, q);
    else if (p.stencil_max <= ZCK_PAIR_MAX)
        demosaic_pairs<first, false>(p, tile, row, column, red, q);
    else if (is_mhc)
        demosaic<first, true>(tile, row, column, red, (int32_t)p.stencil_max, q);
    else
        demosaic<first, false>(tile, row, column, red, (int32_t)p.stencil_max, q);
}

/* The four pixels that begin at `row` and `column` of the tile, in the even row y of the image,
 * and the four below them. If pass.finished, the pixels are packed in c[0], and the rest of q is
 * undefined. */
static __device__ __forceinline__ void stencil_quads(const zck_cuda_pass &p,
                                                     const zck_samples &tile, uint32_t row,
                                                     uint32_t column, uint32_t y, zck_quad (&q)[2])
{
    const uint32_t cfa = p.loaded.cfa;
    const bool red = ((y ^ (cfa >> 1)) & 1u) == 0;
    if (((red ? cfa : cfa ^ 1u) & 1u) == 0)
        stencil_rows<true>(p, tile, row, column, red, q);
    else
        stencil_rows<false>(p, tile, row, column, red, q);
}

#endif
