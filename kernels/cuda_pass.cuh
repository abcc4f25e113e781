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
#include "kernels/cuda_team.cuh"

struct zck_place {
    uint32_t x, y; /* the tile's first pixel */
};

/* Tiles are counted in the order in which their source rows arrive. */
static __device__ __forceinline__ zck_place place_of(const zck_cuda_pass &p, uint32_t tile)
{
    const uint32_t across = tile % p.tiles_x, down = tile / p.tiles_x;
    const uint32_t y = p.window.flip_v ? p.tiles / p.tiles_x - 1 - down : down;
    return {across * ZCK_CUDA_TILE_WIDTH, y * ZCK_CUDA_TILE_HEIGHT + p.first_row};
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

/* The first one. */
static __device__ __forceinline__ uint32_t first_row(const zck_cuda_pass &p, uint32_t y,
                                                     uint32_t halo)
{
    const uint32_t last = p.height - 1, low = y + ZCK_CUDA_TILE_HEIGHT - 1 + halo;
    if (p.window.flip_v)
        return p.window.y + last - (low < last ? low : last);
    return p.window.y + (y > halo ? y - halo : 0);
}

/* By one thread, before a barrier: the block's next tile; p.tiles or more: none is left. Blocks beside a
 * loader take none, once they know, so that it has its multiprocessor to itself. */
static __device__ __forceinline__ uint32_t next_tile(const zck_cuda_pass &p)
{
    if (!p.flow.alone)
        return atomicAdd(&p.finish.board->tickets, 1u) - p.flow.loaders;
    uint32_t unit;
    asm("mov.u32 %0, %%smid;" : "=r"(unit));
    const volatile uint32_t *loading = p.finish.board->loading;
    if (unit / 32 < sizeof p.finish.board->loading / 4 && loading[unit / 32] >> unit % 32 & 1u)
        return UINT32_MAX;
    return atomicAdd(&p.finish.board->tickets, 1u) - p.flow.loaders;
}

static __device__ __forceinline__ void mark_loading(zck_cuda_board *board)
{
    uint32_t unit;
    asm("mov.u32 %0, %%smid;" : "=r"(unit));
    if (unit / 32 < sizeof board->loading / 4)
        atomicOr(&board->loading[unit / 32], 1u << unit % 32);
}

/* The samples that the tile's stencil reads, all of a thread's at once. */
template <int unpack>
static __device__ __forceinline__ void fill_samples(const zck_cuda_pass &p, const zck_ops &ops,
                                                    zck_place at, zck_samples &tile)
{
    const uint32_t groups = ZCK_PITCH / 4, rows = ZCK_CUDA_TILE_HEIGHT + 2 * ZCK_HALO;
    const int each = (groups * rows + ZCK_CUDA_THREADS - 1) / ZCK_CUDA_THREADS;
    zck_quad q[each] = {};
    uint32_t y[each];
    bool used[each];
#pragma unroll
    for (int n = 0; n < each; n++) {
        const uint32_t i = team_thread() + n * ZCK_CUDA_THREADS;
        const int32_t x = (int32_t)(at.x + i % groups * 4) - (int32_t)ZCK_HALO_COLUMNS;
        const int32_t below = (int32_t)(at.y + i / groups) - (int32_t)ZCK_HALO;
        const bool inside = below >= 0 && below < (int32_t)p.height;
        y[n] = inside ? below : p.height < 2 ? 0 : zck_mirror(below, p.height);
        used[n] = i < groups * rows && x < (int32_t)(p.width + ZCK_HALO) &&
                  below < (int32_t)(p.height + ZCK_HALO);
        if (used[n])
            load_quad<unpack>(p, x, y[n], q[n]);
    }
    apply_ops<each>(p, ops, 0, p.pre_count, y, q);
#pragma unroll
    for (int n = 0; n < each; n++) {
        const uint32_t i = team_thread() + n * ZCK_CUDA_THREADS, *c = q[n].c[0];
        if (used[n])
            *(uint2 *)&tile.at[i / groups][i % groups * 4] =
                make_uint2(c[0] | c[1] << 16, c[2] | c[3] << 16);
    }
    team_sync();
}

/* Each thread makes four pixels in each of two rows, of which the first is even. */
template <int unpack, bool stencil>
static __device__ __forceinline__ void run_tile(const zck_cuda_pass &p, const zck_ops &ops,
                                                zck_place at, zck_samples &tile, zci_sums &sums,
                                                uint8_t *out)
{
    const uint32_t lane = threadIdx.x % 32, row = team_thread() / 32 * 2;
    const uint32_t x = at.x + lane * 4, y[2] = {at.y + row, at.y + row + 1};
    zck_quad q[2] = {};
    if (stencil) {
        fill_samples<unpack>(p, ops, at, tile);
        stencil_quads(p, tile, row, lane * 4, y[0], q);
    } else {
#pragma unroll
        for (int n = 0; n < 2; n++)
            if (x < p.width && y[n] < p.height)
                load_quad<unpack>(p, (int32_t)x, y[n], q[n]);
    }
    apply_ops<2>(p, ops, stencil ? p.pre_count : 0, p.op_count, y, q);
#pragma unroll
    for (int n = 0; n < 2; n++)
        if (out != nullptr && y[n] < p.height)
            store_quad(p, out, x, y[n], q[n]);
    if (p.reduce.kind == ZCI_REDUCE_NONE || at.y < p.sum_first || at.y >= p.sum_last)
        return;
    zci_sums part;
    zci_sums_init(&part);
#pragma unroll
    for (int n = 0; n < 2; n++)
        if (y[n] < p.height)
            quad_add(p.reduce, q[0], q[n], x, y[n], part);
    warp_add(&sums, part);
}

/* A block has either use for the memory. */
union zck_shared {
    zck_ring ring;
    zck_samples samples;
};

template <int unpack, bool stencil>
static __global__ void __launch_bounds__(ZCK_CUDA_THREADS, 4)
    run_pass(const __grid_constant__ zck_cuda_pass p)
{
    __shared__ zck_shared shared;
    __shared__ zck_gates gates;
    __shared__ zck_ops ops;
    __shared__ zci_sums sums;
    __shared__ uint32_t tile;
    if (threadIdx.x == 0) {
        tile = atomicAdd(&p.finish.board->tickets, 1u) - p.flow.loaders;
        zci_sums_init(&sums);
        gates.used = gates.ready = 0;
    }
    fetch_ops(p, ops);
    __syncthreads();
    uint32_t i = tile;
    if ((int32_t)i < 0) {
        if (threadIdx.x == 0)
            mark_loading(p.finish.board);
        if (unpack != ZCI_UNPACK_NONE)
            stream(p.flow, i + p.flow.loaders, shared.ring, gates);
        i = UINT32_MAX;
    }
    while (i < p.tiles) {
        const zck_place at = place_of(p, i);
        __syncthreads(); /* all have read `tile`, and are past the tile before */
        if (threadIdx.x == 0) {
            if (p.flow.wait != ZCK_CUDA_WAIT_NONE)
                await_row(p.flow, last_row(p, at.y, stencil ? ZCK_HALO : 0) - p.flow.first_row);
            tile = next_tile(p);
        }
        __syncthreads();
        run_tile<unpack, stencil>(p, ops, at, shared.samples, sums, p.out);
        i = tile;
    }
    finish_pass(p, sums);
}

#endif
