/* SPDX-License-Identifier: MIT */
/* A lane's device memory and the steps of its plan: everything that is the same for all frames. */
#ifndef ZCI_BACKEND_CUDA_LAYOUT_H
#define ZCI_BACKEND_CUDA_LAYOUT_H

#include "backend/cuda/lane.h"

/* Takes the arena, fills it with the plan's tables and zeroed counters, and makes the steps. The lane's
 * device is current and its queue is there. Logged; what was made is the lane's. */
zcs_status zci_cuda_layout(struct zci_cuda_lane *lane);

#endif
