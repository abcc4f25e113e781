/* SPDX-License-Identifier: MIT */
/* The choice of a pass's kernel; kernels whose input is an image; signal and combine. */
#include "kernels/cuda/pass_kernel.cuh"

static __global__ void run_signal(const __grid_constant__ zck_cuda_finish f)
{
    signal_host(f);
}

const void *zck_cuda_signal_kernel(void)
{
    return (const void *)run_signal;
}

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

const void *zck_cuda_kernel(uint32_t unpack, int stencil)
{
    if (unpack == ZCI_UNPACK_NONE)
        return stencil ? (const void *)run_pass<ZCI_UNPACK_NONE, true>
                       : (const void *)run_pass<ZCI_UNPACK_NONE, false>;
    const void *sensor = zck_cuda_sensor_kernel(unpack, stencil);
    return sensor != nullptr ? sensor : zck_cuda_color_kernel(unpack);
}
