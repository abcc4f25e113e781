/* SPDX-License-Identifier: MIT */
/* Copies that do not come: a persistent kernel's loaders bring their rows then. So no frame waits for a call of
 * the host's, which another thread's cudaFree may hold up until the kernel ends. */
#ifndef ZCK_CUDA_LATE_CUH
#define ZCK_CUDA_LATE_CUH

#include "kernels/cuda/arrive.cuh"
#include "kernels/cuda/persistent.h"

/* By the leader. The host hears of it before the frame's end: the copies may still come. */
static __device__ void give_up_copies(const zck_cuda_persistent &r, uint32_t frame)
{
    *(volatile uint32_t *)&r.completion->late = frame;
    *(volatile uint32_t *)&r.barrier->helpers = 0;
    __threadfence_system();
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(&r.barrier->late), "r"(frame)
                 : "memory");
}

/* By one thread of each loader, until the copies are there, or the leader has given them up: true then. */
static __device__ bool await_copies(const zck_cuda_persistent &r, const zck_cuda_transfer &transfer,
                                    uint32_t frame)
{
    while (!is_copied(transfer)) {
        if (!is_late(transfer))
            continue;
        if (blockIdx.x == 0)
            give_up_copies(r, frame);
        if (blockIdx.x == 0 || word_now(&r.barrier->late) == frame)
            return true;
    }
    return false;
}

/* By one thread of each loader: the last of all to help does what the copy engine would have done. */
static __device__ void announce_help(const zck_cuda_persistent &r,
                                     const zck_cuda_transfer &transfer)
{
    __threadfence();
    if (atomicAdd(&r.barrier->helpers, 1u) + 1 != transfer.loaders)
        return;
    __threadfence();
    for (uint32_t i = 0; i < transfer.chunk_count; i++)
        *(volatile uint32_t *)(transfer.chunks + i) = transfer.chunk_target;
}

/* By each loader as a whole, when its own rows are there: until the others are, too. Where the copies do not come,
 * all loaders help, and none writes any more when the last of them returns. */
static __device__ void see_to_copies(const zck_cuda_persistent &r,
                                     const zck_cuda_transfer &transfer, uint32_t frame,
                                     uint32_t &late)
{
    if (threadIdx.x == 0)
        late = await_copies(r, transfer, frame);
    __syncthreads();
    if (!late)
        return;
    const uint32_t step = transfer.loaders * blockDim.x * 16u;
    for (uint32_t p = 0; p < transfer.plane_count; p++) {
        const uint64_t begin = transfer.planes[p].begin_bytes / ZCK_CUDA_LINE * ZCK_CUDA_LINE;
        const uint64_t end = band_edge(transfer, p, transfer.first_band);
        uint64_t at = begin + (blockIdx.x * blockDim.x + threadIdx.x) * 16u;
        for (; at < end; at += step)
            *(uint4 *)(transfer.staging + at) = __ldcs((const uint4 *)(transfer.lines + at));
    }
    __syncthreads();
    if (threadIdx.x == 0)
        announce_help(r, transfer);
}

#endif
