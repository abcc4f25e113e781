/* SPDX-License-Identifier: MIT */
/* The caller's memory that kernels may read: ranges registered with CUDA, each counted. */
#ifndef ZCI_BACKEND_CUDA_RANGES_H
#define ZCI_BACKEND_CUDA_RANGES_H

#include <stddef.h>

#include "zcstream/base.h"

struct zci_backend;
struct zci_cuda;

struct zci_cuda_ranges {
    struct zci_cuda_range *first; /* under zci_cuda.lock */
};

/* The backend's functions of these names. */
zcs_status zci_cuda_memory_register(struct zci_backend *backend, void *memory, size_t bytes);
zcs_status zci_cuda_memory_release(struct zci_backend *backend, void *memory);

/* The address that kernels of `device`, which is current, use for `memory`; NULL: they cannot read all
 * `bytes`. */
const void *zci_cuda_ranges_find(struct zci_cuda *cuda, uint32_t device, const void *memory,
                                 size_t bytes);

/* Lets all go; `usable`: CUDA may be called. */
void zci_cuda_ranges_finish(struct zci_cuda *cuda, int usable);

#endif
