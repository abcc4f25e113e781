/* SPDX-License-Identifier: MIT */
/* Frame contexts of the CUDA backend: what a frame in flight needs, made once.
 *
 *   IDLE --submit: copies and kernels are enqueued--> BUSY
 *   BUSY --the last kernel writes the frame's number into the report; poll sees it--> IDLE */
#ifndef ZCI_BACKEND_CUDA_FRAME_CTX_H
#define ZCI_BACKEND_CUDA_FRAME_CTX_H

#include "backend/cuda/cuda.h"
#include "backend/cuda/streams.h"
#include "kernels/cuda/pass.h"

/* The launch of a pass; submit only sets what changes from frame to frame. */
struct zci_cuda_step {
    const void *kernel; /* NULL: a custom stage, or no rows */
    uint32_t blocks;    /* that run tiles; loaders come on top */
    struct zck_cuda_pass pass;
};

struct zci_cuda_frame_ctx {
    struct zci_frame_ctx base;
    struct zci_cuda *cuda;
    uint32_t device;
    const struct zci_plan *plan;
    struct zci_partition partition; /* the rows of each pass that this frame context computes */
    uint32_t group_count; /* frame contexts of the device group; 1: it computes all rows */
    uint32_t last_pass;   /* the last pass in which it has rows */
    struct zci_cuda_kernel_stream *kernel_stream;
    struct zci_cuda_copy_stream *copy_stream; /* shared by the plan's frame contexts */
    struct zci_cuda_step *steps;              /* one for each pass of the plan */

    struct zci_memory pinned; /* holds the report and flag_value */
    struct zck_cuda_report *report;
    struct zck_cuda_report *device_report; /* in device memory; NULL: kernels write `report` */
    uint32_t *flag_value; /* source of copies into chunk_flags, without cuStreamWriteValue32 */

    void *arena;           /* device memory: contains all below, and device_report */
    uint8_t *staging;      /* the staging buffer of the frame in flight */
    uint8_t *next_staging; /* that of the next frame; NULL: no sentinel words are used */
    uint8_t *images[3];    /* [0]: a result that kernels cannot write to its place themselves */
    struct zck_cuda_device_state *state;
    struct zci_sums *partial_sums; /* of all frame contexts of the group, while they are combined */
    uint32_t *band_flags, *chunk_flags;

    uint32_t frame; /* the number of the latest frame */
    uint32_t band_target, chunk_target;
    int sentinel_filled; /* 1: next_staging is filled when the frame is complete */
    int busy;
    int64_t queried_ns;                           /* time of the last error query; 0: none yet */
    const struct zck_cuda_report *awaited_report; /* the frame in flight is reported here ... */
    uint32_t awaited_frame;                       /* ... with this number ... */
    void *running_stream;                         /* ... by a kernel on this stream */
    struct zci_cuda_persistent *persistent;       /* NULL: no SMs are reserved */
    struct zci_job_result done;
};

/* The frame context of the group's device `index`: allocates its device memory, fills in the
 * plan's tables, and prepares the launches. Logged. */
zcs_status zci_cuda_frame_ctx_create(struct zci_backend *backend, const struct zci_group *group,
                                     uint32_t index, struct zci_frame_ctx **out);

/* Waits for all enqueued work and frees it; its persistent kernel has ended. */
void zci_cuda_frame_ctx_free(struct zci_cuda_frame_ctx *fctx);

/* Waits for all enqueued work. The device is current. Logs no error. */
void zci_cuda_frame_ctx_drain(struct zci_cuda_frame_ctx *fctx);

/* 1: the frame in flight is complete, and what kernels wrote for it is visible. */
static inline int zci_cuda_frame_ctx_reported(const struct zci_cuda_frame_ctx *fctx)
{
    return __atomic_load_n(&fctx->awaited_report->frame, __ATOMIC_ACQUIRE) == fctx->awaited_frame;
}

#endif
