/* SPDX-License-Identifier: MIT */
/* What the devices of a device group give each other in the middle of a frame. */
#ifndef ZCI_BACKEND_CUDA_EXCHANGE_H
#define ZCI_BACKEND_CUDA_EXCHANGE_H

#include "backend/cuda/frame_ctx.h"

struct zci_cuda_group {
    struct zci_frame_ctx base;
    struct zci_cuda *cuda;
    const struct zci_plan *plan;
    uint32_t count;
    uint32_t maker; /* the place of the frame context that tells where the result is */
    struct zci_cuda_frame_ctx *contexts[ZCS_MAX_DEVICES];
    void *events
        [ZCS_MAX_DEVICES]; /* on each frame context's stream, recorded where others must wait */
    uint32_t pending;      /* bits of frame contexts that have not reported the frame */
    struct zci_job_result done;
};

/* 1: no frame context alone knows what pass `index` adds up, so that each that goes on needs the parts of all. */
int zci_cuda_is_combined(const struct zci_cuda_group *group, uint32_t index);

/* 1: other frame contexts than the one at `place` need what it has made in pass `index`. */
int zci_cuda_is_awaited(const struct zci_cuda_group *group, uint32_t place, uint32_t index);

/* For each frame context that goes on, the state that pass `index` has added up on all of them; nothing where it
 * has added up none, or a digest, which the host does. *failed device: the place of the frame context at which it failed. */
zcs_status zci_cuda_combine(struct zci_cuda_group *group, uint32_t index, int *failed_device);

/* The image that pass `index` reads, and all states, from the frame context that has made them; nothing where the frame context
 * at `place` has. Its device is current. */
zcs_status zci_cuda_take_over(struct zci_cuda_group *group, uint32_t place, uint32_t index);

#endif
