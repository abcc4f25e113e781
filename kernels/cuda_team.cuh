/* SPDX-License-Identifier: MIT */
/* Teams: the ZCK_CUDA_THREADS threads that run a tile together. A resident block has several. */
#ifndef ZCK_CUDA_TEAM_CUH
#define ZCK_CUDA_TEAM_CUH

#include "kernels/cuda_pass.h"

static __device__ __forceinline__ uint32_t team(void)
{
    return threadIdx.x / ZCK_CUDA_THREADS;
}

static __device__ __forceinline__ uint32_t team_thread(void)
{
    return threadIdx.x % ZCK_CUDA_THREADS;
}

/* As __syncthreads, for one team; barrier 0 is the block's. */
static __device__ __forceinline__ void team_sync(void)
{
    asm volatile("bar.sync %0, %1;" ::"r"(team() + 1), "n"(ZCK_CUDA_THREADS) : "memory");
}

#endif
