/* SPDX-License-Identifier: MIT */
/* Lanes of the CUDA backend: what a frame in flight needs, made once.
 *
 *   IDLE --submit: copies and kernels are enqueued--> BUSY --the last kernel writes the frame's number
 *   into the report, in mapped memory, and poll sees it--> IDLE */
#ifndef ZCI_BACKEND_CUDA_LANE_H
#define ZCI_BACKEND_CUDA_LANE_H

#include "backend/cuda/cuda.h"
#include "kernels/cuda_pass.h"

/* A pass, ready to be launched but for what changes from frame to frame. */
struct zci_cuda_step {
    const void *kernel; /* NULL: a custom stage, or no rows */
    uint32_t blocks;    /* that run its tiles */
    struct zck_cuda_pass pass;
};

struct zci_cuda_lane {
    struct zci_lane base;
    struct zci_cuda *cuda;
    uint32_t device;
    const struct zci_plan *plan;
    struct zci_share share; /* what of the plan the lane runs */
    uint32_t team_count;    /* lanes that run the rest; 1: it runs all */
    uint32_t last_pass;     /* that it has rows of */
    struct zci_cuda_queue *queue;
    struct zci_cuda_copies
        *copies;                 /* the plan's, which other lanes use as well; a resident's alone */
    struct zci_cuda_step *steps; /* one for each pass of the plan */

    struct zci_memory pinned; /* holds the two below */
    struct zck_cuda_report *report;
    struct zck_cuda_report *device_report; /* NULL: kernels write the one above */
    uint32_t *flag;                        /* what the copy engine writes into `chunks` */

    void *arena;        /* device memory: all below, and device_report */
    uint8_t *staging;   /* the source's image */
    uint8_t *other;     /* room for the next one; NULL: kernels do not look at its words */
    uint8_t *images[3]; /* [0]: for results that kernels cannot write themselves */
    struct zck_cuda_board *board;
    struct zci_sums *parts;   /* of all lanes of the team, while a reduction is combined */
    uint32_t *bands, *chunks; /* counters of arrival */

    uint32_t frame; /* the number of the latest */
    uint32_t band_target, chunk_target;
    int blanked; /* 1: `other` has nothing but blank words */
    int busy;
    int64_t asked_ns;                      /* CUDA, about the frame in flight; 0: not yet */
    const struct zck_cuda_report *watched; /* where the frame in flight will be reported ... */
    uint32_t awaited;                      /* ... with this number ... */
    void *at_work;                         /* ... by what runs on this stream */
    struct zci_cuda_resident *resident;    /* NULL: nothing is held */
    struct zci_job_result done;
};

/* Waits for all that was enqueued; the lane's device is current. Does not log. */
void zci_cuda_lane_drain(struct zci_cuda_lane *lane);

/* 1: the frame in flight is complete, and what kernels wrote for it is visible. */
int zci_cuda_lane_reported(const struct zci_cuda_lane *lane);

/* The lane of the team's device at `place`. What follows is for such lanes, one of a team or alone; team.h
 * has the backend's functions. */
zcs_status zci_cuda_lane_create(struct zci_backend *backend, const struct zci_team *team,
                                uint32_t place, struct zci_lane **out);
zcs_status zci_cuda_lane_submit(struct zci_lane *lane, const struct zci_job *job);
zcs_status zci_cuda_lane_poll(struct zci_lane *lane, struct zci_job_result *out);
zcs_status zci_cuda_lane_wait(struct zci_lane *lane, int64_t timeout_ns);
void zci_cuda_lane_destroy(struct zci_lane **lane);

#endif
