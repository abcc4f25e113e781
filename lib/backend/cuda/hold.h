/* SPDX-License-Identifier: MIT */
/* Building a lane's resident kernel. */
#ifndef ZCI_BACKEND_CUDA_HOLD_H
#define ZCI_BACKEND_CUDA_HOLD_H

#include "backend/cuda/resident.h"

/* Launches it; `served` frames were its before. The lane's device is current. */
zcs_status zci_cuda_resident_launch(struct zci_cuda_lane *lane, uint32_t served);

#endif
