/* SPDX-License-Identifier: MIT */
/* The steps of submitting a frame to a frame context, alone or one of a device group; its device is current. */
#ifndef ZCI_BACKEND_CUDA_SUBMIT_H
#define ZCI_BACKEND_CUDA_SUBMIT_H

#include "backend/cuda/upload.h"

/* ZCS_ERR_UNSUPPORTED, logged: the device reaches no memory for results. */
zcs_status zci_cuda_can_write(const struct zci_cuda_frame_ctx *fctx,
                              const struct zci_cuda_addresses *at);

/* The frame's number, and where its last pass writes. */
void zci_cuda_begin_frame(struct zci_cuda_frame_ctx *fctx, const struct zci_cuda_addresses *at);

/* Enqueues the frame context's rows of the pass. */
zcs_status zci_cuda_run_step(struct zci_cuda_frame_ctx *fctx, uint32_t index);

/* What is left behind the passes: the copy of a result that kernels could not write, and the report. */
zcs_status zci_cuda_end_frame(struct zci_cuda_frame_ctx *fctx, const struct zci_cuda_addresses *at);

#endif
