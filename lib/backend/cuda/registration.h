/* SPDX-License-Identifier: MIT */
/* The backend's functions on the caller's memory: registered by the application, used by pushed frames. */
#ifndef ZCI_BACKEND_CUDA_REGISTRATION_H
#define ZCI_BACKEND_CUDA_REGISTRATION_H

#include "backend/backend.h"

struct zci_cuda;

/* The backend's functions of these names. */
zcs_status zci_cuda_memory_register(struct zci_backend *backend, void *memory, size_t bytes);
zcs_status zci_cuda_memory_release(struct zci_backend *backend, void *memory);
zcs_status zci_cuda_memory_use(struct zci_backend *backend, void *memory, size_t bytes, void **out);
void zci_cuda_memory_unuse(struct zci_backend *backend, void *use);
void zci_cuda_memory_limits(struct zci_backend *backend, uint32_t registrations, uint64_t bytes);
void zci_cuda_memory_stats(struct zci_backend *backend, struct zcs_memory_stats *out);

/* The address that kernels of `device` use for `memory`; NULL: they cannot read all `bytes`. Waits for no
 * registration. */
const void *zci_cuda_memory_find(struct zci_cuda *cuda, uint32_t device, const void *memory,
                                 size_t bytes);

#endif
