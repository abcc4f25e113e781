/* SPDX-License-Identifier: MIT */
/* A frame context's device memory and the steps of its plan: everything that is the same for all frames. */
#ifndef ZCI_BACKEND_CUDA_LAYOUT_H
#define ZCI_BACKEND_CUDA_LAYOUT_H

#include "backend/cuda/frame_ctx.h"

/* Takes the arena, fills it with the plan's tables and zeroed counters, and makes the steps. The frame context's
 * device is current and its queue is there. Logged; what was made is the frame context's. */
zcs_status zci_cuda_layout(struct zci_cuda_frame_ctx *fctx);

#endif
