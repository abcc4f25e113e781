/* SPDX-License-Identifier: MIT */
/* Copies that do not come: a resident kernel's loaders bring their rows then. So no frame waits for a call of
 * the host's, which another thread's cudaFree may hold up until the kernel ends. */
#ifndef ZCK_CUDA_LATE_CUH
#define ZCK_CUDA_LATE_CUH

#include "kernels/cuda_arrive.cuh"
#include "kernels/cuda_resident.h"

/* By the leader. The host hears of it before the frame's end: the copies may still come. */
static __device__ void give_up_copies(const zck_cuda_resident &r, uint32_t frame)
{
    *(volatile uint32_t *)&r.answer->late = frame;
    *(volatile uint32_t *)&r.meeting->helpers = 0;
    __threadfence_system();
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(&r.meeting->late), "r"(frame)
                 : "memory");
}

/* By one thread of each loader, until the copies are there, or the leader has given them up: true then. */
static __device__ bool await_copies(const zck_cuda_resident &r, const zck_cuda_flow &flow,
                                    uint32_t frame)
{
    while (!is_copied(flow)) {
        if (!is_late(flow))
            continue;
        if (blockIdx.x == 0)
            give_up_copies(r, frame);
        if (blockIdx.x == 0 || word_now(&r.meeting->late) == frame)
            return true;
    }
    return false;
}

/* By one thread of each loader: the last of all to help does what the copy engine would have done. */
static __device__ void announce_help(const zck_cuda_resident &r, const zck_cuda_flow &flow)
{
    __threadfence();
    if (atomicAdd(&r.meeting->helpers, 1u) + 1 != flow.loaders)
        return;
    __threadfence();
    for (uint32_t i = 0; i < flow.chunk_count; i++)
        *(volatile uint32_t *)(flow.chunks + i) = flow.chunk_target;
}

/* By each loader as a whole, when its own rows are there: until the others are, too. Where the copies do not come,
 * all loaders help, and none writes any more when the last of them returns. */
static __device__ void see_to_copies(const zck_cuda_resident &r, const zck_cuda_flow &flow,
                                     uint32_t frame, uint32_t &late)
{
    if (threadIdx.x == 0)
        late = await_copies(r, flow, frame);
    __syncthreads();
    if (!late)
        return;
    const uint32_t step = flow.loaders * blockDim.x * 16u;
    for (uint32_t p = 0; p < flow.plane_count; p++) {
        const uint64_t begin = flow.planes[p].begin_bytes / ZCK_CUDA_LINE * ZCK_CUDA_LINE;
        const uint64_t end = band_edge(flow, p, flow.first_band);
        uint64_t at = begin + (blockIdx.x * blockDim.x + threadIdx.x) * 16u;
        for (; at < end; at += step)
            *(uint4 *)(flow.staging + at) = __ldcs((const uint4 *)(flow.lines + at));
    }
    __syncthreads();
    if (threadIdx.x == 0)
        announce_help(r, flow);
}

#endif
