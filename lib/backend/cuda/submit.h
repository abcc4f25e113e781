/* SPDX-License-Identifier: MIT */
/* Running a frame in a frame context: submitting it, and waiting for its completion. */
#ifndef ZCI_BACKEND_CUDA_SUBMIT_H
#define ZCI_BACKEND_CUDA_SUBMIT_H

#include "backend/cuda/upload.h"

/* For one frame context, alone or of a device group. group.h has the backend's functions. */
zcs_status zci_cuda_frame_ctx_submit(struct zci_frame_ctx *fctx, const struct zci_job *job);
zcs_status zci_cuda_frame_ctx_poll(struct zci_frame_ctx *fctx, struct zci_job_result *out);
zcs_status zci_cuda_frame_ctx_wait(struct zci_frame_ctx *fctx, int64_t timeout_ns);
void zci_cuda_frame_ctx_destroy(struct zci_frame_ctx **fctx);

/* The steps of a submit, for device groups. The device is current. */

/* ZCS_ERR_UNSUPPORTED, logged: the device cannot write to the memory for results. */
zcs_status zci_cuda_check_result(const struct zci_cuda_frame_ctx *fctx,
                                 const struct zci_cuda_addresses *at);

/* Sets the frame's number, and where its last pass writes. */
void zci_cuda_begin_frame(struct zci_cuda_frame_ctx *fctx, const struct zci_cuda_addresses *at);

/* Enqueues the frame context's rows of the pass. */
zcs_status zci_cuda_enqueue_pass(struct zci_cuda_frame_ctx *fctx, uint32_t index);

/* Enqueues what follows the passes: the copy of a result that kernels could not write, and the
 * report. */
zcs_status zci_cuda_end_frame(struct zci_cuda_frame_ctx *fctx, const struct zci_cuda_addresses *at);

#endif
