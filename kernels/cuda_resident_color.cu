/* SPDX-License-Identifier: MIT */
/* Resident kernels whose source is Y'CbCr or RGB. */
#include "kernels/cuda_resident.cuh"

#define ROW(kind)                                                                                  \
    case ZCI_UNPACK_##kind:                                                                        \
        return (const void *)run_resident<ZCI_UNPACK_##kind, false>

const void *zck_cuda_resident_color_kernel(uint32_t unpack)
{
    switch (unpack) {
        ROW(YUV422);
        ROW(SEMI8);
        ROW(SEMI10);
        ROW(PLANAR8);
        ROW(PLANAR16);
        ROW(RGB24);
        ROW(RGB32);
        ROW(RGB565);
        ROW(RGB565BE);
        ROW(RGBA64);
    default:
        return nullptr;
    }
}
