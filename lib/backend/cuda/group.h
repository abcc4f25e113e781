/* SPDX-License-Identifier: MIT */
/* Device groups: one device, or several that compute each frame together.
 *
 *   bands   row split: every device uploads its rows of the source and writes its rows of the one
 *           result; each device that continues combines the partial sums of reductions
 *   relay   pipeline: a device imports image and reduction results from the one before it
 *
 * Events order what a device needs of another: only streams wait for them. The host waits only
 * for the reports of all devices. */
#ifndef ZCI_BACKEND_CUDA_GROUP_H
#define ZCI_BACKEND_CUDA_GROUP_H

#include "backend/cuda/frame_ctx.h"

struct zci_cuda_group {
    struct zci_frame_ctx base;
    struct zci_cuda *cuda;
    const struct zci_plan *plan;
    uint32_t count;
    uint32_t maker; /* the index of the frame context that knows where the result is */
    struct zci_cuda_frame_ctx *contexts[ZCS_MAX_DEVICES];
    void *events
        [ZCS_MAX_DEVICES]; /* on each frame context's stream, recorded where others must wait */
    uint32_t pending;      /* a bit for each frame context that has not reported the frame */
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
