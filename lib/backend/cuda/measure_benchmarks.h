/* SPDX-License-Identifier: MIT */
/* What is timed on a GPU, and what that needs. */
#ifndef ZCI_BACKEND_CUDA_MEASURE_BENCHMARKS_H
#define ZCI_BACKEND_CUDA_MEASURE_BENCHMARKS_H

#include "backend/cuda/cuda.h"
#include "backend/measure.h"

#define ZCI_CUDA_MEASURE_STREAMS 4u
#define ZCI_CUDA_MEASURE_NOT_HERE (-1) /* no error of CUDA's */

struct zci_cuda_measuring {
    struct zci_cuda *cuda;
    const struct zci_measure_memory *memory;
    uint32_t device, second; /* the same: there is but one */
    struct zci_cuda_queue *queues[ZCI_CUDA_MEASURE_STREAMS], *second_queue;
    void *in, *out, *second_in; /* device memory, as large as a piece of `memory` */
    int registered;             /* `memory->known` is */
    struct zci_memory sums;     /* what kernels add up to, in host memory */
};

/* Does it once, with the device current. CUDA's error, or ZCI_CUDA_MEASURE_NOT_HERE. */
int zci_cuda_measure_benchmark(struct zci_cuda_measuring *s, enum zcs_benchmark benchmark,
                               size_t bytes, int64_t *ns);

#endif
