/* SPDX-License-Identifier: MIT */
/* Reads every word over the bus anew, past the caches of the GPU. */
#include "kernels/cuda/probe.h"

/* The finaliser of SplitMix64. */
static __device__ __forceinline__ uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static __global__ void __launch_bounds__(ZCK_CUDA_PROBE_THREADS)
    run_probe(const __grid_constant__ zck_cuda_probe p)
{
    __shared__ unsigned long long block;
    const ulonglong2 *words = (const ulonglong2 *)p.memory;
    unsigned long long sum = 0;
    if (threadIdx.x == 0)
        block = 0;
    __syncthreads();
    for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < p.words;
         i += (uint64_t)gridDim.x * blockDim.x) {
        const ulonglong2 v = __ldcv(words + i);
        sum += mix(v.x + mix(2 * i)) + mix(v.y + mix(2 * i + 1));
    }
    atomicAdd(&block, sum);
    __syncthreads();
    if (threadIdx.x == 0)
        p.sums[blockIdx.x] = block;
}

const void *zck_cuda_probe_kernel(void)
{
    return (const void *)run_probe;
}
