/* SPDX-License-Identifier: MIT */
/* The CUDA side of cuda_stage.c. Both return CUDA's error, 0 for success. */
#ifndef CUDA_STAGE_KERNEL_H
#define CUDA_STAGE_KERNEL_H

#include <zcstream/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Enqueues: how much each GREY pixel differs from its right neighbour. */
int edges_enqueue(const struct zcs_view *in, const struct zcs_view *out, void *cuda_stream);

/* Adds the pixels of a GREY image in device memory up, behind what is on the stream, and waits. */
int brightness_cuda(const struct zcs_view *view, void *cuda_stream, uint64_t *out);

#ifdef __cplusplus
}
#endif
#endif
