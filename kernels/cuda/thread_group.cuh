/* SPDX-License-Identifier: MIT */
/* Teams: the ZCK_CUDA_THREADS threads that run a tile together. A persistent block has several. */
#ifndef ZCK_CUDA_THREAD_GROUP_CUH
#define ZCK_CUDA_THREAD_GROUP_CUH

#include "kernels/cuda/pass.h"

static __device__ __forceinline__ uint32_t group(void)
{
    return threadIdx.x / ZCK_CUDA_THREADS;
}

static __device__ __forceinline__ uint32_t group_thread(void)
{
    return threadIdx.x % ZCK_CUDA_THREADS;
}

/* As __syncthreads, for one thread group; barrier 0 is the block's. */
static __device__ __forceinline__ void group_sync(void)
{
    asm volatile("bar.sync %0, %1;" ::"r"(group() + 1), "n"(ZCK_CUDA_THREADS) : "memory");
}

#endif
