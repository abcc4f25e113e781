/* SPDX-License-Identifier: MIT */
/* Kernels that measure: the digest of host memory, a dot product, arithmetic, and nothing. */
#include "kernels/cuda/measure.h"

/* The finalizer of SplitMix64. */
static __device__ __forceinline__ uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static __global__ void __launch_bounds__(ZCK_CUDA_DIGEST_THREADS)
    run_digest(const __grid_constant__ zck_cuda_digest p)
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

const void *zck_cuda_digest_kernel(void)
{
    return (const void *)run_digest;
}
static __device__ __forceinline__ uint64_t first_of(void)
{
    return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

static __global__ void __launch_bounds__(ZCK_CUDA_MEASURE_THREADS)
    run_dot(const __grid_constant__ zck_cuda_measure p)
{
    __shared__ float block;
    const float4 *a = (const float4 *)p.a, *b = (const float4 *)p.b;
    float sum = 0;
    if (threadIdx.x == 0)
        block = 0;
    __syncthreads();
    for (uint64_t i = first_of(); i < p.count / 4; i += (uint64_t)gridDim.x * blockDim.x) {
        const float4 x = __ldcs(a + i), y = __ldcs(b + i);
        sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    }
    atomicAdd(&block, sum);
    __syncthreads();
    if (threadIdx.x == 0)
        p.out[blockIdx.x] = block;
}

static __global__ void __launch_bounds__(ZCK_CUDA_MEASURE_THREADS)
    run_work(const __grid_constant__ zck_cuda_measure p)
{
    for (uint64_t i = first_of(); i < p.count; i += (uint64_t)gridDim.x * blockDim.x) {
        float value = p.a[i];
        for (int k = 0; k < 64; k++)
            value = value * 0.875f + 0.125f;
        p.out[i] = value;
    }
}

static __global__ void run_nothing(const __grid_constant__ zck_cuda_measure p)
{
    (void)p;
}

const void *zck_cuda_dot_kernel(void)
{
    return (const void *)run_dot;
}

const void *zck_cuda_work_kernel(void)
{
    return (const void *)run_work;
}

const void *zck_cuda_nothing_kernel(void)
{
    return (const void *)run_nothing;
}
