/* SPDX-License-Identifier: MIT */
/* Kernels for measuring alone: a dot product, some arithmetic, and nothing. */
#ifndef ZCK_CUDA_MEASURE_H
#define ZCK_CUDA_MEASURE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ZCK_CUDA_MEASURE_BLOCKS 128u
#define ZCK_CUDA_MEASURE_THREADS 256u

/* The one argument of all three. */
struct zck_cuda_measure {
    const float *a, *b; /* 16-byte aligned */
    float *out;         /* dot: a float for each block; work: as many as there are in `a` */
    uint64_t count;     /* of floats, a multiple of 4 */
};

/* For launching with ZCK_CUDA_MEASURE_BLOCKS and _THREADS. */
const void *zck_cuda_dot_kernel(void);
const void *zck_cuda_work_kernel(void);
const void *zck_cuda_nothing_kernel(void);

#ifdef __cplusplus
}
#endif
#endif
