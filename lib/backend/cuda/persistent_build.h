/* SPDX-License-Identifier: MIT */
/* Building a frame context's persistent kernel. */
#ifndef ZCI_BACKEND_CUDA_PERSISTENT_BUILD_H
#define ZCI_BACKEND_CUDA_PERSISTENT_BUILD_H

#include "backend/cuda/persistent.h"

/* Launches it; `served` frames were its before. The frame context's device is current. */
zcs_status zci_cuda_persistent_launch(struct zci_cuda_frame_ctx *fctx, uint32_t served);

#endif
