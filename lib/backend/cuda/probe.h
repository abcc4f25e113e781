/* SPDX-License-Identifier: MIT */
/* Looking at pinned memory as a device's kernels see it. */
#ifndef ZCI_BACKEND_CUDA_PROBE_H
#define ZCI_BACKEND_CUDA_PROBE_H

#include "backend/backend.h"

struct zci_cuda;

/* zci_backend_ops.memory_digest */
zcs_status zci_cuda_memory_digest(struct zci_backend *backend, uint32_t device,
                                  const struct zci_memory *memory, size_t bytes, uint64_t *out);

/* What the looking needed; at the backend's end. */
void zci_cuda_probe_finish(struct zci_cuda *cuda);

#endif
