/* SPDX-License-Identifier: MIT */
/* Frame contexts of the host backend: see backend.h for what each function promises. */
#ifndef ZCI_BACKEND_HOST_FRAME_CTX_H
#define ZCI_BACKEND_HOST_FRAME_CTX_H

#include "backend/backend.h"

zcs_status zci_host_frame_ctx_create(struct zci_backend *backend, const struct zci_group *group,
                                     struct zci_notifier *notifier, int *failed_device,
                                     struct zci_frame_ctx **out);
zcs_status zci_host_frame_ctx_submit(struct zci_frame_ctx *fctx, const struct zci_job *job);
zcs_status zci_host_frame_ctx_poll(struct zci_frame_ctx *fctx, struct zci_job_result *out);
zcs_status zci_host_frame_ctx_wait(struct zci_frame_ctx *fctx, int64_t timeout_ns);
void zci_host_frame_ctx_destroy(struct zci_frame_ctx **fctx);

#endif
