/* SPDX-License-Identifier: MIT */
/* The kernel that looks at host memory as kernels see it: a sum over its words and their places. */
#ifndef ZCK_CUDA_PROBE_H
#define ZCK_CUDA_PROBE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ZCK_CUDA_PROBE_BLOCKS 32u
#define ZCK_CUDA_PROBE_THREADS 256u

struct zck_cuda_probe {
    const uint8_t *memory; /* 16-byte aligned */
    uint64_t words;        /* of 16 bytes */
    uint64_t *sums;        /* mapped host memory, one for each block */
};

/* For launching with one `struct zck_cuda_probe`, ZCK_CUDA_PROBE_BLOCKS and ZCK_CUDA_PROBE_THREADS. */
const void *zck_cuda_probe_kernel(void);

#ifdef __cplusplus
}
#endif
#endif
