/* SPDX-License-Identifier: MIT */
/* Demosaicing of four neighbouring pixels from a tile of samples in shared memory. */
#ifndef ZCK_CUDA_STENCIL_CUH
#define ZCK_CUDA_STENCIL_CUH

#include "kernels/cuda_load.cuh"

#define ZCK_HALO 2u         /* rows above and below, and columns that are used */
#define ZCK_HALO_COLUMNS 4u /* columns left and right that are there */
#define ZCK_PITCH (ZCK_CUDA_TILE_WIDTH + 2 * ZCK_HALO_COLUMNS)

struct zck_samples {
    alignas(16) uint16_t at[ZCK_CUDA_TILE_HEIGHT + 2 * ZCK_HALO][ZCK_PITCH];
};

/* The samples around four pixels in each of two rows: pixel k's own in row n is v[n + 2][k + 2]. */
struct zck_around {
    int32_t v[6][8];
};

static __device__ __forceinline__ void look_around(const zck_samples &tile, uint32_t row,
                                                   uint32_t column, zck_around &a)
{
#pragma unroll
    for (int r = 0; r < 6; r++) {
        const uint64_t *from = (const uint64_t *)&tile.at[row + r][column];
        const uint64_t w[3] = {from[0], from[1], from[2]};
#pragma unroll
        for (int i = 0; i < 8; i++)
            a.v[r][i] = (int32_t)(w[(i + 2) / 4] >> 16 * ((i + 2) % 4)) & 65535;
    }
}

/* The colours of one pixel: that of its row beside green, green, and the other one. */
struct zck_colors {
    int32_t own, green, other;
};

template <bool has_own>
static __device__ __forceinline__ zck_colors mhc(const zck_around &a, int n, int k, int32_t max)
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
static __device__ __forceinline__ zck_colors bilinear(const zck_around &a, int n, int k)
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

/* `first`: pixel 0 has the row's own colour, else pixel 1 has it. */
template <bool first>
static __device__ __forceinline__ void demosaic(const zck_around &a, int n, bool is_mhc, bool red,
                                                int32_t max, zck_quad &q)
{
#pragma unroll
    for (int k = 0; k < 4; k++) {
        zck_colors c;
        if (is_mhc)
            c = (k % 2 == 0) == first ? mhc<true>(a, n, k, max) : mhc<false>(a, n, k, max);
        else
            c = (k % 2 == 0) == first ? bilinear<true>(a, n, k) : bilinear<false>(a, n, k);
        q.c[0][k] = (uint32_t)(red ? c.own : c.other);
        q.c[1][k] = (uint32_t)c.green;
        q.c[2][k] = (uint32_t)(red ? c.other : c.own);
    }
}

/* The four pixels whose first is at `row` and `column` of the tile, in row y of the picture, and the four
 * below them. */
static __device__ __forceinline__ void stencil_quads(const zck_cuda_pass &p,
                                                     const zck_samples &tile, uint32_t row,
                                                     uint32_t column, uint32_t y, zck_quad (&q)[2])
{
    zck_around a;
    look_around(tile, row, column, a);
    const uint32_t cfa = p.loaded.cfa;
    const bool is_mhc = p.stencil == ZCI_STENCIL_MHC;
    const int32_t max = (int32_t)p.stencil_max;
#pragma unroll
    for (int n = 0; n < 2; n++) {
        const bool red = ((y + n ^ (cfa >> 1)) & 1u) == 0;
        if (((red ? cfa : cfa ^ 1u) & 1u) == 0)
            demosaic<true>(a, n, is_mhc, red, max, q[n]);
        else
            demosaic<false>(a, n, is_mhc, red, max, q[n]);
    }
}

#endif
