/* SPDX-License-Identifier: MIT */
/* The CUDA part of cuda_stage.c. Both functions return a CUDA error, or 0. */
#ifndef CUDA_STAGE_KERNEL_H
#define CUDA_STAGE_KERNEL_H

#include <zcstream/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Enqueues a kernel: the difference of each GREY pixel to its right neighbour. */
int edges_enqueue(const struct zcs_view *in, const struct zcs_view *out, void *cuda_stream);

/* Sums the pixels of a GREY image in device memory, in stream order, and waits for the sum. */
int brightness_cuda(const struct zcs_view *view, void *cuda_stream, uint64_t *out);

#ifdef __cplusplus
}
#endif
#endif
