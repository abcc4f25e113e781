/* SPDX-License-Identifier: MIT */
/* A frame's steps: which chunks are copied and which rows of which pass run next.
 *
 *   mapped  pass 0 in bands | pass 1 in bands | ...
 *   whole   all chunks      | pass 0 in bands | ...
 *   staged  chunk 0 | chunk 1 and what chunk 0 made ready of pass 0 | chunk 2 and so on | ...
 *
 * A step's copies and bands run at once, those of all members of the frame context's device group; reductions are finished
 * when a pass's last band is done. Members are the one processor: a pass that another member's image is
 * the input of reads it where it is. */
#ifndef ZCI_BACKEND_HOST_FRAME_STEPS_H
#define ZCI_BACKEND_HOST_FRAME_STEPS_H

#include "backend/backend.h"
#include "backend/host/band.h"
#include "backend/host/route.h"
#include "backend/host/workers.h"

/* What one worker has of a frame context. */
struct zci_worker_scratch {
    struct zci_scratch scratch;
    struct zci_sums sums;
    uint64_t copied_bytes;
};

/* A device of the device group, as far as the host has several. */
struct zci_host_member {
    struct zci_partition partition;
    struct zci_memory images[2]; /* scratch images 1 and 2 */
    struct zci_worker_context context;
};

struct zci_host_frame_ctx {
    struct zci_frame_ctx base;
    struct zci_work work;
    struct zci_workers *workers;
    const struct zci_plan *plan;
    struct zci_host_member *members;
    uint32_t member_count;
    struct zci_chunks chunks;
    struct zci_memory copy;  /* of the source, for the copying routes */
    struct zci_memory lines; /* of all seats */
    struct zci_worker_scratch *scratches;
    uint32_t scratch_count;
    int has_job; /* submitted and not yet polled complete */

    const uint8_t *source; /* the job's */
    enum zcs_route route;
    uint32_t pass;        /* the one that runs */
    uint32_t first, last; /* its rows in this step */
    uint32_t band_rows;
    uint32_t copied, copying; /* chunks that are there; chunks of this step */
    uint64_t copied_bytes;
    atomic_int failed;
};

/* Sets the frame context's work up. */
void zci_host_frame_steps(struct zci_host_frame_ctx *fctx, struct zci_notifier *notifier);

/* Gives the job to the workers. */
void zci_host_frame_ctx_start(struct zci_host_frame_ctx *fctx, const struct zci_job *job);

#endif
