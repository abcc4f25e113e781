/* SPDX-License-Identifier: MIT */
/* The kernel of a pass: tiles of its output, beside loader blocks where it streams the source. */
#ifndef ZCK_CUDA_PASS_CUH
#define ZCK_CUDA_PASS_CUH

#include "kernels/cuda_arrive.cuh"
#include "kernels/cuda_finish.cuh"
#include "kernels/cuda_load.cuh"
#include "kernels/cuda_ops.cuh"
#include "kernels/cuda_reduce.cuh"
#include "kernels/cuda_stencil.cuh"
#include "kernels/cuda_store.cuh"

struct zck_place {
    uint32_t x, y; /* the tile's first pixel */
};

/* Tiles are counted in the order in which their source rows arrive. */
static __device__ __forceinline__ zck_place place_of(const zck_cuda_pass &p, uint32_t tile)
{
    const uint32_t across = tile % p.tiles_x, down = tile / p.tiles_x;
    const uint32_t y = p.window.flip_v ? p.tiles / p.tiles_x - 1 - down : down;
    return {across * ZCK_CUDA_TILE_WIDTH, y * ZCK_CUDA_TILE_HEIGHT};
}

/* The last source row that the tile reads. */
static __device__ __forceinline__ uint32_t last_row(const zck_cuda_pass &p, uint32_t y,
                                                    uint32_t halo)
{
    const uint32_t last = p.height - 1;
    if (p.window.flip_v)
        return p.window.y + last - (y > halo ? y - halo : 0);
    const uint32_t low = y + ZCK_CUDA_TILE_HEIGHT - 1 + halo;
    return p.window.y + (low < last ? low : last);
}

/* By the whole block, which is then past its last use of the tile before. */
static __device__ __forceinline__ void begin_tile(const zck_cuda_pass &p, uint32_t y, uint32_t halo)
{
    if (p.flow.wait != ZCK_CUDA_WAIT_NONE && threadIdx.x == 0)
        await_row(p.flow, last_row(p, y, halo));
    __syncthreads();
}

/* A row of four finished pixels: out, and into the reduction. */
static __device__ __forceinline__ void put_row(const zck_cuda_pass &p, uint32_t x, uint32_t y,
                                               const zck_quad &above, const zck_quad &q,
                                               zci_sums &part)
{
    if (p.out != nullptr)
        store_quad(p, x, y, q);
    if (p.reduce.kind != ZCI_REDUCE_NONE)
        quad_add(p.reduce, above, q, x, y, part);
}

template <int unpack>
static __device__ __forceinline__ void fill_samples(const zck_cuda_pass &p, zck_place at,
                                                    zck_samples &tile)
{
    const uint32_t groups = ZCK_PITCH / 4, rows = ZCK_CUDA_TILE_HEIGHT + 2 * ZCK_HALO;
    for (uint32_t i = threadIdx.x; i < groups * rows; i += ZCK_CUDA_THREADS) {
        const uint32_t row = i / groups, column = i % groups * 4;
        const int32_t x = (int32_t)(at.x + column) - (int32_t)ZCK_HALO_COLUMNS;
        int32_t y = (int32_t)(at.y + row) - (int32_t)ZCK_HALO;
        if (x >= (int32_t)(p.width + ZCK_HALO) || y >= (int32_t)(p.height + ZCK_HALO))
            continue;
        y = p.height < 2 ? 0 : y < 0 || y >= (int32_t)p.height ? zck_mirror(y, p.height) : y;
        zck_quad q;
        load_quad<unpack>(p, x, y, q);
        apply_ops(p, 0, p.pre_count, y, q);
        *(uint2 *)&tile.at[row][column] =
            make_uint2(q.c[0][0] | q.c[0][1] << 16, q.c[0][2] | q.c[0][3] << 16);
    }
    __syncthreads();
}

template <int unpack, bool stencil>
static __device__ __forceinline__ void run_tile(const zck_cuda_pass &p, zck_place at,
                                                zck_samples &tile, zci_sums &sums)
{
    const uint32_t lane = threadIdx.x % 32, row = threadIdx.x / 32 * 2;
    const uint32_t x = at.x + lane * 4;
    if (stencil)
        fill_samples<unpack>(p, at, tile);
    zci_sums part;
    zci_sums_init(&part);
    zck_quad above = {}, q = {};
    for (uint32_t r = row; r < row + 2 && at.y + r < p.height; r++) {
        const uint32_t y = at.y + r;
        if (stencil) {
            stencil_quad(p, tile, r, lane * 4, y, q);
        } else if (x < p.width) {
            load_quad<unpack>(p, (int32_t)x, y, q);
            apply_ops(p, 0, p.pre_count, y, q);
        }
        apply_ops(p, p.pre_count, p.op_count, y, q);
        put_row(p, x, y, above, q, part);
        above = q;
    }
    if (p.reduce.kind != ZCI_REDUCE_NONE)
        warp_add(&sums, part);
}

template <int unpack, bool stencil>
static __global__ void __launch_bounds__(ZCK_CUDA_THREADS)
    run_pass(const __grid_constant__ zck_cuda_pass p)
{
    __shared__ zck_samples samples[1];
    __shared__ zci_sums sums;
    __shared__ uint32_t ticket;
    if (threadIdx.x == 0) {
        ticket = p.flow.loaders ? atomicAdd(&p.finish.board->tickets, 1u) : blockIdx.x;
        zci_sums_init(&sums);
    }
    __syncthreads();
    const uint32_t loaders = p.flow.loaders;
    if (ticket < loaders) {
        if (unpack != ZCI_UNPACK_NONE)
            stream(p.flow, ticket);
    } else {
        for (uint32_t i = ticket - loaders; i < p.tiles; i += gridDim.x - loaders) {
            const zck_place at = place_of(p, i);
            begin_tile(p, at.y, stencil ? ZCK_HALO : 0);
            run_tile<unpack, stencil>(p, at, *samples, sums);
        }
    }
    finish_pass(p, sums);
}

#endif
