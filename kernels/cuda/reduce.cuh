/* SPDX-License-Identifier: MIT */
/* Reductions, and the end of a pass: the last block reports to the host. */
#ifndef ZCK_CUDA_REDUCE_CUH
#define ZCK_CUDA_REDUCE_CUH

#include "kernels/cuda/quad.cuh"
#include "kernels/point_pixel.h"
#include "kernels/reduce_pixel.h"

static __device__ __forceinline__ uint64_t warp_sum(uint64_t v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

static __device__ void add64(uint64_t *to, uint64_t v)
{
    if (v)
        atomicAdd((unsigned long long *)to, (unsigned long long)v);
}

/* Adds `part` to `sums`, to which other threads add at the same time. */
static __device__ void sums_add(zci_sums *sums, const zci_sums &part)
{
    for (int c = 0; c < 3; c++)
        add64(&sums->sum[c], part.sum[c]);
    add64(&sums->count, part.count);
    add64(&sums->digest, part.digest);
    atomicMin(&sums->min, part.min);
    atomicMax(&sums->max, part.max);
}

/* Adds pixels x .. x + 3 of row y, without those beyond the width. If y is odd, `above` is row y
 * - 1. */
static __device__ void quad_add(const zci_reduce &reduce, const zck_quad &above, const zck_quad &q,
                                uint32_t x, uint32_t y, zci_sums &part)
{
    const bool rgba = reduce.pixel.layout == ZCI_RGBA;
    const uint32_t limit = zck_wb_limit(ZCK_MAX((uint32_t)reduce.pixel.depth));
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (x + k >= reduce.width)
            continue;
        if (reduce.kind == ZCI_REDUCE_WB && rgba) {
            const uint32_t mask = zck_wb_mask(q.c[0][k], q.c[1][k], q.c[2][k], q.c[2][k], limit);
#pragma unroll
            for (int c = 0; c < 3; c++)
                part.sum[c] += q.c[c][k] & mask;
            part.count += mask & 1u;
        } else if (reduce.kind == ZCI_REDUCE_WB && y % 2 && k % 2) {
            const uint32_t v[4] = {above.c[0][k - 1], above.c[0][k], q.c[0][k - 1], q.c[0][k]};
            const uint32_t mask = zck_wb_mask(v[0], v[1], v[2], v[3], limit);
#pragma unroll
            for (uint32_t i = 0; i < 4; i++) {
                const uint32_t color = zck_cfa_color(i & 1u, i >> 1, reduce.pixel.cfa);
#pragma unroll
                for (uint32_t c = 0; c < 3; c++)
                    part.sum[c] += color == c ? v[i] & mask : 0;
            }
            part.count += mask & 1u;
        } else if (reduce.kind != ZCI_REDUCE_WB) {
#pragma unroll
            for (uint32_t c = 0; c < 3; c++) {
                if (c > 0 && !rgba)
                    continue;
                const uint32_t v = q.c[c][k];
                part.min = v < part.min ? v : part.min;
                part.max = v > part.max ? v : part.max;
                if (reduce.kind == ZCI_REDUCE_DIGEST)
                    part.digest += zck_digest(x + k, y, c, v);
            }
        }
    }
}

/* Adds the sums of all threads of a warp. */
static __device__ void warp_add(zci_sums *block, zci_sums part)
{
    for (int c = 0; c < 3; c++)
        part.sum[c] = warp_sum(part.sum[c]);
    part.count = warp_sum(part.count);
    part.digest = warp_sum(part.digest);
    for (int d = 16; d > 0; d /= 2) {
        const uint32_t low = __shfl_xor_sync(0xffffffffu, part.min, d);
        const uint32_t high = __shfl_xor_sync(0xffffffffu, part.max, d);
        part.min = low < part.min ? low : part.min;
        part.max = high > part.max ? high : part.max;
    }
    if (threadIdx.x % 32 == 0)
        sums_add(block, part);
}

/* By one thread that has seen all work of the frame complete. Device memory is visible to the
 * device then; host memory must be written before the frame's number. */
static __device__ void signal_host(const zck_cuda_finish &f)
{
    if (f.digest_state >= 0)
        f.report->digest = *(const volatile uint64_t *)&f.state->states[f.digest_state].digest;
    if (f.to_host || f.digest_state >= 0)
        __threadfence_system();
    *(volatile uint32_t *)&f.report->frame = f.frame;
}

/* Returns the sums of all blocks, and resets them for the next kernel. */
static __device__ zci_sums take_sums(zci_sums *from)
{
    zci_sums total;
    for (int c = 0; c < 3; c++)
        total.sum[c] = *(const volatile uint64_t *)&from->sum[c];
    total.count = *(const volatile uint64_t *)&from->count;
    total.digest = *(const volatile uint64_t *)&from->digest;
    total.min = *(const volatile uint32_t *)&from->min;
    total.max = *(const volatile uint32_t *)&from->max;
    zci_sums_init(from);
    return total;
}

/* By the whole block, at its end. A frame does not end before its copy does, even if tiles did
 * not need all of it: then the source and the staging buffer are free for others. */
static __device__ void finish_pass(const zck_cuda_pass &p, zci_sums &sums)
{
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    zck_cuda_device_state *state = p.finish.state;
    const bool copied = !is_copying(p.transfer) || is_copied(p.transfer);
    if (p.reduce.kind != ZCI_REDUCE_NONE)
        sums_add(&state->sums, sums);
    if (p.finish.to_host)
        __threadfence_system();
    else
        __threadfence();
    if (atomicAdd(&state->done, 1u) + 1 < gridDim.x)
        return;
    if (!copied)
        wait_for_counter(p.transfer, copy_counter(p.transfer), p.transfer.chunk_target);
    if (p.reduce.kind != ZCI_REDUCE_NONE) {
        __threadfence();
        const zci_sums total = take_sums(&state->sums);
        if (p.finish.partial)
            state->partial_sums[p.reduce.state] = total;
        else
            zci_sums_finish(&p.reduce, &total, &state->states[p.reduce.state]);
    }
    if (p.finish.report != nullptr)
        signal_host(p.finish);
    state->tickets = state->done = 0;
    for (uint32_t i = 0; i < sizeof state->loader_sms / 4; i++)
        state->loader_sms[i] = 0;
}

#endif
