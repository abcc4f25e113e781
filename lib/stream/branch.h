/* SPDX-License-Identifier: MIT */
/* A branch of a stream: one chain, its frame contexts, results and route. A broadcast has several, whose frames are
 * the same slots; all other streams have one. */
#ifndef ZCI_STREAM_BRANCH_H
#define ZCI_STREAM_BRANCH_H

#include "stream/drift.h"
#include "core/route.h"
#include "stream/inflight.h"

struct zci_branch {
    uint32_t index;
    struct zci_plan plan;
    struct zci_inflight inflight;
    struct zci_pool *results;
    enum zcs_route route;
    const char *route_reason; /* static, or choice.reason */
    struct zci_route_choice choice;
    uint32_t candidates; /* bits 1 << enum zcs_route: those to choose among; 0: nothing to choose */
    struct zci_drift drift; /* of frames on the chosen route */
    int drifted;            /* 1: measure anew as soon as no frame context is busy */
};

struct zcs_stream;
struct zci_sizes;

/* The steps in which all branches of a stream are made. On failure each may be finished all the same. */
zcs_status zci_branches_plan(struct zcs_stream *stream, const struct zcs_stream_params *params,
                             uint32_t device_count);
zcs_status zci_branches_in_flight(struct zcs_stream *stream, const struct zcs_stream_params *params,
                                  const struct zci_sizes *sizes);
/* Once slots are there; measures routes. */
zcs_status zci_branches_results(struct zcs_stream *stream, const struct zcs_stream_params *params,
                                const struct zci_sizes *sizes);

/* Waits for the frame contexts' work. Tolerates a zeroed one. */
void zci_branch_finish(struct zci_branch *branch);

#endif
