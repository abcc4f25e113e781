/* SPDX-License-Identifier: MIT */
/* How per-pixel functions are declared, so that C loops and CUDA kernels call the same ones. */
#ifndef ZCK_INLINE_H
#define ZCK_INLINE_H

#ifdef __CUDACC__
#define ZCK_INLINE __host__ __device__ static inline
#else
#define ZCK_INLINE static inline
#endif

/* The greatest sample of a depth. */
#define ZCK_MAX(bits) ((1u << (bits)) - 1u)

#endif
