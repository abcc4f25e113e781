/* SPDX-License-Identifier: MIT */
/* The kernel of a pass: tiles of its output, and loader blocks. */
#ifndef ZCK_CUDA_PASS_KERNEL_CUH
#define ZCK_CUDA_PASS_KERNEL_CUH

#include "kernels/cuda/loader.cuh"
#include "kernels/cuda/ops.cuh"
#include "kernels/cuda/reduce.cuh"
#include "kernels/cuda/source_words.cuh"
#include "kernels/cuda/stencil.cuh"

/* The unpack kinds that kernels are compiled for. A .cu file each for sensor codes and for
 * colour, so that they compile in parallel; ROW is a macro of that file. */
#define ZCK_SENSOR_KINDS(ROW)                                                                      \
    ROW(U8)                                                                                        \
    ROW(U16)                                                                                       \
    ROW(U16BE)                                                                                     \
    ROW(P10)                                                                                       \
    ROW(P12)                                                                                       \
    ROW(P14)

#define ZCK_COLOR_KINDS(ROW)                                                                       \
    ROW(YUV422)                                                                                    \
    ROW(SEMI8)                                                                                     \
    ROW(SEMI10)                                                                                    \
    ROW(PLANAR8)                                                                                   \
    ROW(PLANAR16)                                                                                  \
    ROW(RGB24)                                                                                     \
    ROW(RGB32)                                                                                     \
    ROW(RGB565)                                                                                    \
    ROW(RGB565BE)                                                                                  \
    ROW(RGBA64)

static __device__ __forceinline__ uint32_t group(void)
{
    return threadIdx.x / ZCK_CUDA_THREADS;
}

static __device__ __forceinline__ uint32_t group_thread(void)
{
    return threadIdx.x % ZCK_CUDA_THREADS;
}

/* As __syncthreads, for one thread group. Barrier 0 belongs to the block. */
static __device__ __forceinline__ void group_sync(void)
{
    asm volatile("bar.sync %0, %1;" ::"r"(group() + 1), "n"(ZCK_CUDA_THREADS) : "memory");
}

struct zck_tile_origin {
    uint32_t x, y; /* the tile's first pixel */
};

/* Tiles are numbered in the order in which their source rows arrive. */
static __device__ __forceinline__ zck_tile_origin tile_origin(const zck_cuda_pass &p, uint32_t tile)
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

/* The first source row that the tile reads. */
static __device__ __forceinline__ uint32_t first_row(const zck_cuda_pass &p, uint32_t y,
                                                     uint32_t halo)
{
    const uint32_t last = p.height - 1, low = y + ZCK_CUDA_TILE_HEIGHT - 1 + halo;
    if (p.window.flip_v)
        return p.window.y + last - (low < last ? low : last);
    return p.window.y + (y > halo ? y - halo : 0);
}

/* True: blocks take tickets for loader roles and tiles, so the first blocks to start load or get
 * the first tiles. False: block i runs tile i. */
static __device__ __forceinline__ bool is_dynamic(const zck_cuda_pass &p)
{
    return p.transfer.loaders > 0 || gridDim.x < p.tiles;
}

/* By one thread, before a barrier: the block's next tile; p.tiles or more: none. If loaders are
 * exclusive, a block on a loader's SM takes no more tiles once it sees the loader. */
static __device__ __forceinline__ uint32_t next_tile(const zck_cuda_pass &p)
{
    if (!is_dynamic(p))
        return UINT32_MAX;
    if (!p.transfer.alone)
        return atomicAdd(&p.finish.state->tickets, 1u) - p.transfer.loaders;
    uint32_t unit;
    asm("mov.u32 %0, %%smid;" : "=r"(unit));
    const volatile uint32_t *loader_sms = p.finish.state->loader_sms;
    if (unit / 32 < sizeof p.finish.state->loader_sms / 4 &&
        loader_sms[unit / 32] >> unit % 32 & 1u)
        return UINT32_MAX;
    return atomicAdd(&p.finish.state->tickets, 1u) - p.transfer.loaders;
}

static __device__ __forceinline__ void mark_loader_sm(zck_cuda_device_state *state)
{
    uint32_t unit;
    asm("mov.u32 %0, %%smid;" : "=r"(unit));
    if (unit / 32 < sizeof state->loader_sms / 4)
        atomicOr(&state->loader_sms[unit / 32], 1u << unit % 32);
}

/* Fills columns beyond the image's sides by mirroring. Rows beyond it are loaded. The image has
 * at least ZCK_MIRRORED columns. */
static __device__ __forceinline__ void mirror_columns(zck_samples &tile, uint32_t left,
                                                      uint32_t width)
{
    const uint32_t row = group_thread() / 4, away = group_thread() % 2 + 1;
    if (row < ZCK_CUDA_TILE_HEIGHT + 2 * ZCK_HALO) {
        uint16_t *at = tile.at[row];
        const uint32_t last = ZCK_HALO_COLUMNS + width - 1 - left;
        if (group_thread() / 2 % 2 == 0 && left == 0)
            at[ZCK_HALO_COLUMNS - away] = at[ZCK_HALO_COLUMNS + away];
        else if (group_thread() / 2 % 2 == 1 && last + away < ZCK_PITCH)
            at[last + away] = at[last - away];
    }
    group_sync();
}

/* Quads of a tile that a thread loads: samples for the stencil, or its own pixels. */
template <bool stencil> static constexpr __device__ int quads_each()
{
    const int groups = ZCK_PITCH / 4, rows = ZCK_CUDA_TILE_HEIGHT + 2 * ZCK_HALO;
    return stencil ? (groups * rows + ZCK_CUDA_THREADS - 1) / ZCK_CUDA_THREADS : 2;
}

/* The nth quad of the samples that the tile's stencil reads. */
static __device__ __forceinline__ zck_quad_position position_of_samples(const zck_cuda_pass &p,
                                                                        zck_tile_origin at,
                                                                        uint32_t thread, int n)
{
    const uint32_t groups = ZCK_PITCH / 4, rows = ZCK_CUDA_TILE_HEIGHT + 2 * ZCK_HALO;
    const bool mirrored = p.width >= ZCK_MIRRORED;
    const int32_t begin = mirrored ? 0 : -(int32_t)ZCK_HALO_COLUMNS;
    const int32_t end = (int32_t)(p.width + (mirrored ? 0 : ZCK_HALO));
    const uint32_t i = thread + n * ZCK_CUDA_THREADS;
    const int32_t y = (int32_t)(at.y + i / groups) - (int32_t)ZCK_HALO;
    zck_quad_position spot;
    spot.x = (int32_t)(at.x + i % groups * 4) - (int32_t)ZCK_HALO_COLUMNS;
    spot.y = p.height < 2 ? 0 : (uint32_t)zck_mirror(y, (int32_t)p.height);
    spot.used =
        i < groups * rows && spot.x >= begin && spot.x < end && y < (int32_t)(p.height + ZCK_HALO);
    return spot;
}

/* The nth quad of a thread's own pixels: four in each of two rows. */
static __device__ __forceinline__ zck_quad_position position_of_pixels(const zck_cuda_pass &p,
                                                                       zck_tile_origin at,
                                                                       uint32_t thread, int n)
{
    zck_quad_position spot;
    spot.x = (int32_t)(at.x + thread % 32 * 4);
    spot.y = at.y + thread / 32 * 2 + n;
    spot.used = spot.x < (int32_t)p.width && spot.y < p.height;
    return spot;
}

template <bool stencil>
static __device__ __forceinline__ zck_quad_position position_of(const zck_cuda_pass &p,
                                                                zck_tile_origin at, uint32_t thread,
                                                                int n)
{
    return stencil ? position_of_samples(p, at, thread, n) : position_of_pixels(p, at, thread, n);
}

template <int unpack, bool stencil>
static __device__ __forceinline__ zck_word_pointers<unpack, quads_each<stencil>()>
find_word_pointers(const zck_cuda_pass &p, const zck_view &v, zck_tile_origin at)
{
    zck_word_pointers<unpack, quads_each<stencil>()> s = {};
#pragma unroll
    for (int n = 0; n < quads_each<stencil>() && zck_cuda_reads_sentinel(unpack); n++)
        find_quad_words<unpack>(p, v, position_of<stencil>(p, at, group_thread(), n), s.from[n],
                                s.whole[n]);
    return s;
}

/* Makes the compiler compute what follows from `value` again, which is cheaper than to keep it
 * in registers. */
static __device__ __forceinline__ uint32_t rematerialize(uint32_t value)
{
    asm volatile("" : "+r"(value));
    return value;
}

template <int unpack>
static __device__ __forceinline__ void
fill_samples(const zck_cuda_pass &p, const zck_view &v, const zck_ops &ops, zck_tile_origin place,
             const zck_word_pointers<unpack, quads_each<true>()> &sources, zck_samples &tile)
{
    const uint32_t groups = ZCK_PITCH / 4, thread = rematerialize(group_thread());
    const int each = quads_each<true>();
    const zck_tile_origin at = {rematerialize(place.x), rematerialize(place.y)};
    zck_quad q[each] = {};
    uint32_t y[each];
    load_quads<unpack>(
        p, v, sources, [&](int n) { return position_of_samples(p, at, thread, n); }, q);
#pragma unroll
    for (int n = 0; n < each; n++)
        y[n] = position_of_samples(p, at, thread, n).y;
    apply_ops<each, true>(p, ops, 0, p.pre_count, y, q);
#pragma unroll
    for (int n = 0; n < each; n++) {
        const uint32_t i = thread + n * ZCK_CUDA_THREADS, *c = q[n].c[0];
        if (position_of_samples(p, at, thread, n).used)
            *(uint2 *)&tile.at[i / groups][i % groups * 4] =
                make_uint2(c[0] | c[1] << 16, c[2] | c[3] << 16);
    }
    group_sync();
    if (p.width >= ZCK_MIRRORED && at.x < p.width &&
        (at.x == 0 || at.x + ZCK_CUDA_TILE_WIDTH + ZCK_HALO > p.width))
        mirror_columns(tile, at.x, p.width);
}

/* Each thread computes four pixels in each of two rows; the first row is even. */
template <int unpack, bool stencil>
static __device__ __forceinline__ void
run_tile(const zck_cuda_pass &p, const zck_view &v, const zck_ops &ops, zck_tile_origin at,
         const zck_word_pointers<unpack, quads_each<stencil>()> &sources, zck_samples &tile,
         zci_sums &sums)
{
    const uint32_t lane = threadIdx.x % 32, row = group_thread() / 32 * 2;
    const uint32_t x = at.x + lane * 4, y[2] = {at.y + row, at.y + row + 1};
    zck_quad q[2] = {};
    if constexpr (stencil) {
        fill_samples<unpack>(p, v, ops, at, sources, tile);
        stencil_quads(p, tile, row, lane * 4, y[0], q);
    } else {
        load_quads<unpack>(
            p, v, sources, [&](int n) { return position_of_pixels(p, at, group_thread(), n); }, q);
    }
    apply_ops<2, false>(p, ops, stencil ? p.pre_count : 0, p.op_count, y, q);
#pragma unroll
    for (int n = 0; n < 2; n++)
        if (v.out != nullptr && y[n] < p.height)
            store_quad(p, v.out, x, y[n], q[n]);
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

/* By one thread, before a barrier of the block or thread group: waits for the flags of what the
 * tile reads, or for its last words, so that the other threads poll little. */
template <int unpack>
static __device__ __forceinline__ void
wait_for_tile(const zck_cuda_pass &p, const zck_cuda_transfer &transfer, const zck_view &v,
              zck_tile_origin at, uint32_t halo)
{
    const uint32_t last = last_row(p, at.y, halo);
    if (transfer.wait == ZCK_CUDA_WAIT_HYBRID) { /* the last row that is copied */
        const uint32_t copied = transfer.first_row + transfer.first_band * transfer.band_rows;
        if (first_row(p, at.y, halo) < copied && last >= copied)
            wait_for_row(transfer, copied - 1 - transfer.first_row);
    }
    wait_for_row(transfer, last - transfer.first_row);
    if (!zck_cuda_reads_sentinel(unpack) || v.words == nullptr)
        return;
    const uint32_t right = at.x + ZCK_CUDA_TILE_WIDTH, width = p.window.width;
    const uint32_t column = p.window.x + (right < width ? right : width) - 1;
    wait_for_byte(v, last_byte<unpack>(p, v, last, column));
}

/* A block is a loader or runs tiles. */
union zck_shared {
    zck_ring ring;
    zck_samples samples;
};

template <int unpack, bool stencil>
static __global__ void __launch_bounds__(ZCK_CUDA_THREADS, 4)
    run_pass(const __grid_constant__ zck_cuda_pass p)
{
    __shared__ zck_shared shared;
    __shared__ zck_ring_barriers gates;
    __shared__ zck_prefetch head;
    __shared__ zck_ops ops;
    __shared__ zci_sums sums;
    __shared__ uint32_t tile;
    const bool words = uses_sentinel(p.transfer);
    const zck_view view = {p.in, p.out, words ? &p.transfer : nullptr, p.transfer.sentinel};
    const bool dynamic = is_dynamic(p);
    if (threadIdx.x == 0) {
        if (dynamic)
            tile = atomicAdd(&p.finish.state->tickets, 1u) - p.transfer.loaders;
        zci_sums_init(&sums);
        gates.used = gates.ready = 0;
        head.begun = false;
    }
    const bool at_once = words && !dynamic; /* most words of a small frame have already arrived */
    fetch_ops(p, ops);
    uint32_t i = blockIdx.x;
    if (dynamic) {
        __syncthreads();
        i = tile;
    }
    uint32_t busy = 0; /* threads of the block that cannot help to fill memory */
    if ((int32_t)i < 0) {
        if (threadIdx.x == 0)
            mark_loader_sm(p.finish.state);
        if (unpack != ZCI_UNPACK_NONE)
            stream(p.transfer, i + p.transfer.loaders, shared.ring, gates, head);
        i = UINT32_MAX;
        busy = ZCK_LOADER_THREADS;
    }
    if (dynamic && p.transfer.next_staging != nullptr && threadIdx.x >= busy)
        fill_next_staging(p.transfer, blockIdx.x, gridDim.x, threadIdx.x - busy, blockDim.x - busy);
    while (i < p.tiles) {
        const zck_tile_origin at = tile_origin(p, i);
        const auto sources = find_word_pointers<unpack, stencil>(p, view, at);
        if (dynamic)
            __syncthreads(); /* all have read `tile` and completed the tile before */
        if (threadIdx.x == 0) {
            const uint32_t next = next_tile(p); /* first, as the atomic takes as long as a poll */
            if (p.transfer.wait != ZCK_CUDA_WAIT_NONE && !at_once)
                wait_for_tile<unpack>(p, p.transfer, view, at, stencil ? ZCK_HALO : 0);
            tile = next;
        } else if (!dynamic && p.transfer.next_staging != nullptr && threadIdx.x >= 32) {
            fill_next_staging(p.transfer, blockIdx.x, gridDim.x,
                              threadIdx.x - 32, /* the first warp waits */
                              ZCK_CUDA_THREADS - 32);
        }
        __syncthreads();
        run_tile<unpack, stencil>(p, view, ops, at, sources, shared.samples, sums);
        i = tile;
    }
    finish_pass(p, sums);
}

#endif
