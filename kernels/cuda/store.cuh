/* SPDX-License-Identifier: MIT */
/* Four neighbouring pixels into an image, so that a warp writes whole lines. */
#ifndef ZCK_CUDA_STORE_CUH
#define ZCK_CUDA_STORE_CUH

#include "kernels/cuda/load.cuh"

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

/* The samples have no common bits, so that they may be added, which multiplications do as well. */
static __device__ __forceinline__ void store_rgba8(const zck_cuda_pass &p, uint8_t *row, uint32_t x,
                                                   const zck_quad &q)
{
    uint32_t v[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        v[k] = q.c[0][k] + q.c[1][k] * 256u | q.c[2][k] << 16 | 255u << 24;
    store_four(p, row, x, v);
}

/* A lane has 32 bytes, which are two stores; the lanes exchange halves so that each store of the warp
 * covers 512 bytes without gaps. */
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

/* By all lanes of a warp, each 4 pixels right of the one before. Pixels beyond the width are 0 to the
 * end of the row's stride. */
static __device__ __forceinline__ void store_quad(const zck_cuda_pass &p, uint8_t *out, uint32_t x,
                                                  uint32_t y, const zck_quad &q)
{
    const uint32_t stride = (uint32_t)p.out_stride; /* of at most ZCS_MAX_DIMENSION pixels */
    uint8_t *row = out + (uint64_t)y * stride;
    if (p.finished) {
        if (x * 4 < stride)
            store_four(p, row, x, q.c[0]); /* where a stencil has packed them */
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
