/* SPDX-License-Identifier: MIT */
/* Persistent kernels whose source is Y'CbCr or RGB. */
#include "kernels/cuda/persistent_kernel.cuh"

#define ROW(kind)                                                                                  \
    case ZCI_UNPACK_##kind:                                                                        \
        return (const void *)run_persistent<ZCI_UNPACK_##kind, false>;

const void *zck_cuda_persistent_color_kernel(uint32_t unpack)
{
    switch (unpack) {
        ZCK_COLOR_KINDS(ROW)
    default:
        return nullptr;
    }
}
