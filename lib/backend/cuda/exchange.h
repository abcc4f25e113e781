/* SPDX-License-Identifier: MIT */
/* What the devices of a team give each other in the middle of a frame. */
#ifndef ZCI_BACKEND_CUDA_EXCHANGE_H
#define ZCI_BACKEND_CUDA_EXCHANGE_H

#include "backend/cuda/lane.h"

struct zci_cuda_team {
    struct zci_lane base;
    struct zci_cuda *cuda;
    const struct zci_plan *plan;
    uint32_t count;
    uint32_t maker; /* the place of the lane that tells where the result is */
    struct zci_cuda_lane *lanes[ZCS_MAX_DEVICES];
    void *events[ZCS_MAX_DEVICES]; /* on each lane's stream, recorded where others must wait */
    uint32_t pending;              /* bits of lanes that have not reported the frame */
    struct zci_job_result done;
};

/* 1: no lane alone knows what pass `index` adds up, so that each that goes on needs the parts of all. */
int zci_cuda_is_combined(const struct zci_cuda_team *team, uint32_t index);

/* 1: other lanes than the one at `place` need what it has made in pass `index`. */
int zci_cuda_is_awaited(const struct zci_cuda_team *team, uint32_t place, uint32_t index);

/* For each lane that goes on, the state that pass `index` has added up on all of them; nothing where it
 * has added up none, or a digest, which the host does. *culprit: the place of the lane at which it failed. */
zcs_status zci_cuda_combine(struct zci_cuda_team *team, uint32_t index, int *culprit);

/* The image that pass `index` reads, and all states, from the lane that has made them; nothing where the lane
 * at `place` has. Its device is current. */
zcs_status zci_cuda_take_over(struct zci_cuda_team *team, uint32_t place, uint32_t index);

#endif
