/* SPDX-License-Identifier: MIT */
/* Frame contexts of the CUDA backend: what a frame in flight needs, made once.
 *
 *   IDLE --submit: copies and kernels are enqueued--> BUSY --the last kernel writes the frame's number
 *   into the report, in mapped memory, and poll sees it--> IDLE */
#ifndef ZCI_BACKEND_CUDA_FRAME_CTX_H
#define ZCI_BACKEND_CUDA_FRAME_CTX_H

#include "backend/cuda/cuda.h"
#include "kernels/cuda/pass.h"

/* A pass, ready to be launched but for what changes from frame to frame. */
struct zci_cuda_step {
    const void *kernel; /* NULL: a custom stage, or no rows */
    uint32_t blocks;    /* that run its tiles */
    struct zck_cuda_pass pass;
};

struct zci_cuda_frame_ctx {
    struct zci_frame_ctx base;
    struct zci_cuda *cuda;
    uint32_t device;
    const struct zci_plan *plan;
    struct zci_partition partition; /* what of the plan the frame context runs */
    uint32_t group_count;           /* frame contexts that run the rest; 1: it runs all */
    uint32_t last_pass;             /* that it has rows of */
    struct zci_cuda_queue *queue;
    struct zci_cuda_copies
        *copies; /* the plan's, which other frame contexts use as well; a persistent's alone */
    struct zci_cuda_step *steps; /* one for each pass of the plan */

    struct zci_memory pinned; /* holds the two below */
    struct zck_cuda_report *report;
    struct zck_cuda_report *device_report; /* NULL: kernels write the one above */
    uint32_t *flag;                        /* what the copy engine writes into `chunks` */

    void *arena;        /* device memory: all below, and device_report */
    uint8_t *staging;   /* the source's image */
    uint8_t *other;     /* room for the next one; NULL: kernels do not look at its words */
    uint8_t *images[3]; /* [0]: for results that kernels cannot write themselves */
    struct zck_cuda_device_state *state;
    struct zci_sums
        *parts; /* of all frame contexts of the device group, while a reduction is combined */
    uint32_t *bands, *chunks; /* counters of arrival */

    uint32_t frame; /* the number of the latest */
    uint32_t band_target, chunk_target;
    int sentinel_filled; /* 1: `other` has nothing but blank words */
    int busy;
    int64_t asked_ns;                       /* CUDA, about the frame in flight; 0: not yet */
    const struct zck_cuda_report *watched;  /* where the frame in flight will be reported ... */
    uint32_t awaited;                       /* ... with this number ... */
    void *at_work;                          /* ... by what runs on this stream */
    struct zci_cuda_persistent *persistent; /* NULL: nothing is held */
    struct zci_job_result done;
};

/* Waits for all that was enqueued; the frame context's device is current. Does not log. */
void zci_cuda_frame_ctx_drain(struct zci_cuda_frame_ctx *fctx);

/* 1: the frame in flight is complete, and what kernels wrote for it is visible. */
int zci_cuda_frame_ctx_reported(const struct zci_cuda_frame_ctx *fctx);

/* The frame context of the device group's device at `place`. What follows is for such frame contexts, one of a device group or alone; device group.h
 * has the backend's functions. */
zcs_status zci_cuda_frame_ctx_create(struct zci_backend *backend, const struct zci_group *group,
                                     uint32_t place, struct zci_frame_ctx **out);
zcs_status zci_cuda_frame_ctx_submit(struct zci_frame_ctx *fctx, const struct zci_job *job);
zcs_status zci_cuda_frame_ctx_poll(struct zci_frame_ctx *fctx, struct zci_job_result *out);
zcs_status zci_cuda_frame_ctx_wait(struct zci_frame_ctx *fctx, int64_t timeout_ns);
void zci_cuda_frame_ctx_destroy(struct zci_frame_ctx **fctx);

#endif
