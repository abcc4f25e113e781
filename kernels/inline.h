/* SPDX-License-Identifier: MIT */
/* How per-pixel functions are declared, so that C loops and CUDA kernels call the same ones. */
#ifndef ZCK_INLINE_H
#define ZCK_INLINE_H

#include <stdint.h>

#ifdef __CUDACC__
#define ZCK_INLINE __host__ __device__ static inline
#else
#define ZCK_INLINE static inline
#endif

/* The greatest sample of a depth. */
#define ZCK_MAX(bits) ((1u << (bits)) - 1u)

/* v clamped to 0..max: one instruction on GPUs from compute capability 9.0 on. */
ZCK_INLINE int32_t zck_clamp(int32_t v, int32_t max)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    return __vimin_s32_relu(v, max);
#else
    const int32_t positive = v > 0 ? v : 0;
    return positive < max ? positive : max;
#endif
}

#endif
