/* SPDX-License-Identifier: MIT */
/* The CUDA backend's memory by role.
 *
 *   INGEST          pinned, mapped, portable, write-combined
 *   INGEST_CACHED   pinned, mapped, portable
 *   READBACK        the same
 *   DEVICE          device 0's own */
#ifndef ZCI_BACKEND_CUDA_MEMORY_H
#define ZCI_BACKEND_CUDA_MEMORY_H

#include "backend/backend.h"

struct zci_cuda;

/* The backend's functions of these names. */
zcs_status zci_cuda_memory_alloc(struct zci_backend *backend, enum zcs_role role, size_t bytes,
                                 struct zci_memory *out);
void zci_cuda_memory_free(struct zci_backend *backend, struct zci_memory *memory);

/* The address of `memory` for kernels of `device`; NULL: they cannot reach it. */
void *zci_cuda_memory_seen(const struct zci_memory *memory, uint32_t device);

#endif
