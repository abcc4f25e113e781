/* SPDX-License-Identifier: MIT */
/* Kernels whose input is sensor codes. */
#include "kernels/cuda/pass_kernel.cuh"

#define ROW(kind)                                                                                  \
    case ZCI_UNPACK_##kind:                                                                        \
        return stencil ? (const void *)run_pass<ZCI_UNPACK_##kind, true>                           \
                       : (const void *)run_pass<ZCI_UNPACK_##kind, false>;

const void *zck_cuda_sensor_kernel(uint32_t unpack, int stencil)
{
    switch (unpack) {
        ZCK_SENSOR_KINDS(ROW)
    default:
        return nullptr;
    }
}
