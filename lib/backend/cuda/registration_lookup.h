/* SPDX-License-Identifier: MIT */
/* How memory comes into the table of ranges, and out of it: under ranges.work, never while a frame waits. */
#ifndef ZCI_BACKEND_CUDA_REGISTRATION_LOOKUP_H
#define ZCI_BACKEND_CUDA_REGISTRATION_LOOKUP_H

#include "backend/cuda/cuda.h"

struct zci_cuda_wanted {
    uint8_t *memory;
    size_t bytes;
    int claimed; /* 0: by a pushed frame, which is copied where the memory cannot be kept */
};

/* The range that holds it, found or made; what is claimed or used is counted by the caller, still under
 * `work`. ZCS_AGAIN: a frame in flight is in a range that overlaps it. ZCS_OK with NULL: it cannot be
 * kept, nor is any of it registered. */
zcs_status zci_cuda_registration_lookup(struct zci_cuda *cuda, const struct zci_cuda_wanted *wanted,
                                        struct zci_cuda_range **out);

/* Lets go of what was released while frames were in it, and is not in use any more. */
void zci_cuda_sweep(struct zci_cuda *cuda);

/* Lets all go; `usable`: CUDA may be called. The backend's own memory is gone by then. */
void zci_cuda_registrations_finish(struct zci_cuda *cuda, int usable);

#endif
