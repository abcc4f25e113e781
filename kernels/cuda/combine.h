/* SPDX-License-Identifier: MIT */
/* Combining what several devices have added up of one frame. */
#ifndef ZCK_CUDA_COMBINE_H
#define ZCK_CUDA_COMBINE_H

#include "kernels/cuda/pass.h"

#ifdef __cplusplus
extern "C" {
#endif

struct zck_cuda_combine {
    struct zck_cuda_device_state *state; /* whose state is made */
    const struct zci_sums *parts;        /* one of each device, on this one */
    uint32_t count;
    struct zci_reduce reduce;
};

/* One warp with one `struct zck_cuda_combine`. */
const void *zck_cuda_combine_kernel(void);

#ifdef __cplusplus
}
#endif
#endif
