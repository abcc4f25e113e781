/* SPDX-License-Identifier: MIT */
/* Combines the parts of a reduction; any order gives the same. */
#include "kernels/cuda/combine.h"

#include "kernels/point_pixel.h"
#include "kernels/reduce_pixel.h"

static __global__ void run_combine(const __grid_constant__ zck_cuda_combine c)
{
    if (threadIdx.x != 0)
        return;
    zci_sums total;
    zci_sums_init(&total);
    for (uint32_t i = 0; i < c.count; i++)
        zci_sums_merge(&total, &c.parts[i]);
    zci_sums_finish(&c.reduce, &total, &c.state->states[c.reduce.state]);
}

const void *zck_cuda_combine_kernel(void)
{
    return (const void *)run_combine;
}
