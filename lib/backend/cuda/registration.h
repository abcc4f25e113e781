/* SPDX-License-Identifier: MIT */
/* The registration cache: memory of the caller that is registered with CUDA, so that kernels may
 * read it.
 *
 *   (unknown) --registered: claimed, or cached--> READY --a frame reads it--> IN USE
 *   READY --last claim released; evicted; found unmapped--> (unknown)
 *
 * A claim is a zcs_memory_register of the application. Ranges without a claim are cached: those
 * unused for the longest are evicted when there are too many, or when pinning finds no memory. A
 * range in use stays registered. Ranges do not overlap: CUDA refuses that.
 *
 * CUDA keeps reading the old pages after the application has unmapped the memory and mapped
 * other memory there. So the first and the last page of a range carry an mlock tag, which a new
 * mapping does not have (mlock_tag.h).
 *
 * Locks: `work` is held while a range is registered or unregistered, which is slow.
 * zci_cuda.range_lock guards the data and is held for moments, so frames never wait for a
 * registration. `work` is taken first. */
#ifndef ZCI_BACKEND_CUDA_REGISTRATION_H
#define ZCI_BACKEND_CUDA_REGISTRATION_H

#include "backend/backend.h"

struct zci_cuda;
struct zci_cuda_registrations;

/* NULL: no memory. */
struct zci_cuda_registrations *zci_cuda_registrations_create(void);

/* Unregisters all ranges and frees the cache. `usable`: CUDA may be called. Accepts NULL. */
void zci_cuda_registrations_destroy(struct zci_cuda *cuda, int usable);

/* The backend's functions of these names. */
zcs_status zci_cuda_memory_register(struct zci_backend *backend, void *memory, size_t bytes);
zcs_status zci_cuda_memory_release(struct zci_backend *backend, void *memory);
zcs_status zci_cuda_memory_use(struct zci_backend *backend, void *memory, size_t bytes, void **out);
void zci_cuda_memory_unuse(struct zci_backend *backend, void *use);
void zci_cuda_memory_limits(struct zci_backend *backend, uint32_t registrations, uint64_t bytes);
void zci_cuda_memory_stats(struct zci_backend *backend, struct zcs_memory_stats *out);

/* The address that kernels of `device` use for `memory`, registered or allocated by the backend;
 * NULL: they cannot read all `bytes`. Does not wait for a registration. */
const void *zci_cuda_registration_find(struct zci_cuda *cuda, uint32_t device, const void *memory,
                                       size_t bytes);

#endif
