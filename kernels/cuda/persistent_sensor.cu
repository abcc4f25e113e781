/* SPDX-License-Identifier: MIT */
/* The choice of a persistent kernel; those whose source is sensor codes. */
#include "kernels/cuda/persistent_kernel.cuh"

#define ROW(kind)                                                                                  \
    case ZCI_UNPACK_##kind:                                                                        \
        return (const void *)run_persistent<ZCI_UNPACK_##kind, true>;

const void *zck_cuda_persistent_sensor_kernel(uint32_t unpack)
{
    switch (unpack) {
        ZCK_SENSOR_KINDS(ROW)
    default:
        return nullptr;
    }
}

const void *zck_cuda_persistent_kernel(uint32_t unpack)
{
    const void *sensor = zck_cuda_persistent_sensor_kernel(unpack);
    return sensor != nullptr ? sensor : zck_cuda_persistent_color_kernel(unpack);
}
