/* SPDX-License-Identifier: MIT */
/* The CUDA backend's memory: allocated by role, pinned for the caller, and as kernels see it.
 *
 *   INGEST          pinned, mapped, portable, write-combined
 *   INGEST_CACHED   pinned, mapped, portable
 *   READBACK        the same
 *   DEVICE          memory of device 0 */
#ifndef ZCI_BACKEND_CUDA_MEMORY_H
#define ZCI_BACKEND_CUDA_MEMORY_H

#include "backend/backend.h"

struct zci_cuda;
struct zci_cuda_mapping;

/* The backend's functions of these names. */
zcs_status zci_cuda_memory_alloc(struct zci_backend *backend, enum zcs_role role, size_t bytes,
                                 struct zci_memory *out);
void zci_cuda_memory_free(struct zci_backend *backend, struct zci_memory *memory);
zcs_status zci_cuda_memory_digest(struct zci_backend *backend, uint32_t device,
                                  const struct zci_memory *memory, size_t bytes, uint64_t *out);

/* The address of `memory` for kernels of `device`; NULL: they cannot access it. */
void *zci_cuda_device_pointer(const struct zci_memory *memory, uint32_t device);

/* Registers memory of the caller with CUDA; fills `foreign` and `device_pointers`. Slow: call it
 * without locks that frames need. ZCS_ERR_NOMEM, not logged: may succeed after other memory is
 * unpinned. ZCS_ERR_ARG, logged: another owner registered a part of it, so CUDA would not even
 * copy it. ZCS_ERR_DEVICE: CUDA cannot register this memory, logged at `level`, or CUDA fails. */
zcs_status zci_cuda_pin(struct zci_cuda *cuda, struct zci_cuda_mapping *mapping,
                        enum zcs_log_level level);

/* Waits for the GPU. Logs no error. */
void zci_cuda_unpin(struct zci_cuda *cuda, const struct zci_cuda_mapping *mapping);

/* 1: CUDA knows the byte at `memory` as pinned, by any owner. */
int zci_cuda_is_pinned(struct zci_cuda *cuda, const void *memory);

#define ZCI_CUDA_REPORT_BYTES 256u

/* Pinned memory for the report of a frame context, ZCI_CUDA_REPORT_BYTES of undefined content.
 * It is reused: to replace a frame context whose device failed must not depend on pinning
 * memory, in which all devices of the process take part. Not logged. */
zcs_status zci_cuda_report_memory_take(struct zci_cuda *cuda, uint32_t device,
                                       struct zci_memory *out);

/* Keeps it for the next take. Accepts memory without bytes. */
void zci_cuda_report_memory_give(struct zci_cuda *cuda, struct zci_memory *memory);

/* Frees what this module keeps, when the backend closes. */
void zci_cuda_memory_finish(struct zci_cuda *cuda);

#endif
