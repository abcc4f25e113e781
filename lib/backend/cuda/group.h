/* SPDX-License-Identifier: MIT */
/* Frame contexts of the CUDA backend, of one device or of several that share each frame.
 *
 *   bands   every device brings its rows of the source and makes its rows of the result in the one
 *           result; what reductions add up is combined on each device
 *   relay   a device takes the image over from the one before it, and what reductions have made
 *
 * Whatever a device needs of another is ordered by events that their streams wait for: the host waits for
 * nothing but the reports of all. */
#ifndef ZCI_BACKEND_CUDA_GROUP_H
#define ZCI_BACKEND_CUDA_GROUP_H

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

/* The backend's functions of these names. */
zcs_status zci_cuda_group_create(struct zci_backend *backend, const struct zci_group *group,
                                 struct zci_notifier *notifier, int *failed_device,
                                 struct zci_frame_ctx **out);
zcs_status zci_cuda_group_submit(struct zci_frame_ctx *fctx, const struct zci_job *job);
zcs_status zci_cuda_group_poll(struct zci_frame_ctx *fctx, struct zci_job_result *out);
zcs_status zci_cuda_group_wait(struct zci_frame_ctx *fctx, int64_t timeout_ns);
void zci_cuda_group_destroy(struct zci_frame_ctx **fctx);

#endif
