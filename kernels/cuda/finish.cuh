/* SPDX-License-Identifier: MIT */
/* The end of a pass: the last block finishes the reduction and tells the host. */
#ifndef ZCK_CUDA_FINISH_CUH
#define ZCK_CUDA_FINISH_CUH

#include "kernels/cuda/pass.h"
#include "kernels/cuda/reduce.cuh"
#include "kernels/cuda/wait.cuh"

/* By one thread that has seen everything of the frame done: what is in device memory is there for the device
 * then, what is in host memory has to be ahead of the word. */
static __device__ void signal_host(const zck_cuda_finish &f)
{
    if (f.digest_state >= 0)
        f.report->digest = *(const volatile uint64_t *)&f.state->states[f.digest_state].digest;
    if (f.to_host || f.digest_state >= 0)
        __threadfence_system();
    *(volatile uint32_t *)&f.report->frame = f.frame;
}

/* What all blocks have added up, and the board made neutral again. */
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

/* By the whole block, when it has nothing more to do. A frame does not end before its copy does, of which
 * tiles need not have read all: the source and the staging image are free for others then. */
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
        await_counter(p.transfer, copy_counter(p.transfer), p.transfer.chunk_target);
    if (p.reduce.kind != ZCI_REDUCE_NONE) {
        __threadfence();
        const zci_sums total = take_sums(&state->sums);
        if (p.finish.partial)
            state->parts[p.reduce.state] = total;
        else
            zci_sums_finish(&p.reduce, &total, &state->states[p.reduce.state]);
    }
    if (p.finish.report != nullptr)
        signal_host(p.finish);
    state->tickets = state->done = 0;
    for (uint32_t i = 0; i < sizeof state->loading / 4; i++)
        state->loading[i] = 0;
}

#endif
