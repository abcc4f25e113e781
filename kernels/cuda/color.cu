/* SPDX-License-Identifier: MIT */
/* Kernels whose input is Y'CbCr or RGB. */
#include "kernels/cuda/pass_kernel.cuh"

#define ROW(kind)                                                                                  \
    case ZCI_UNPACK_##kind:                                                                        \
        return (const void *)run_pass<ZCI_UNPACK_##kind, false>;

const void *zck_cuda_color_kernel(uint32_t unpack)
{
    switch (unpack) {
        ZCK_COLOR_KINDS(ROW)
    default:
        return nullptr;
    }
}
