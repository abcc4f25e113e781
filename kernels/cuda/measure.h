/* SPDX-License-Identifier: MIT */
/* Kernels that measure: the digest of host memory, and the benchmarks of zcs_measure. */
#ifndef ZCK_CUDA_MEASURE_H
#define ZCK_CUDA_MEASURE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ZCK_CUDA_DIGEST_BLOCKS 32u
#define ZCK_CUDA_DIGEST_THREADS 256u

struct zck_cuda_digest {
    const uint8_t *memory; /* 16-byte aligned */
    uint64_t words;        /* of 16 bytes */
    uint64_t *sums;        /* mapped host memory, one for each block */
};

/* Reads every word of `memory` over the bus, past the caches of the GPU, and sums a hash of each
 * word and its index. Arguments: one `struct zck_cuda_digest`; ZCK_CUDA_DIGEST_BLOCKS blocks of
 * ZCK_CUDA_DIGEST_THREADS. */
const void *zck_cuda_digest_kernel(void);

#define ZCK_CUDA_MEASURE_BLOCKS 128u
#define ZCK_CUDA_MEASURE_THREADS 256u

/* The argument of the three benchmark kernels. */
struct zck_cuda_measure {
    const float *a, *b; /* 16-byte aligned */
    float *out;         /* dot: a float for each block; work: `count` floats */
    uint64_t count;     /* floats, a multiple of 4 */
};

/* ZCK_CUDA_MEASURE_BLOCKS blocks of ZCK_CUDA_MEASURE_THREADS. The nothing kernel returns at
 * once. */
const void *zck_cuda_dot_kernel(void);
const void *zck_cuda_work_kernel(void);
const void *zck_cuda_nothing_kernel(void);

#ifdef __cplusplus
}
#endif
#endif
