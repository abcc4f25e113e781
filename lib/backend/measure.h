/* SPDX-License-Identifier: MIT */
/* The ways of measure.h that a backend has itself. */
#ifndef ZCI_BACKEND_MEASURE_H
#define ZCI_BACKEND_MEASURE_H

#include "zcstream/measure.h"
#include "backend/backend.h"

/* Made by the caller, of the same size each, and outliving the state. */
struct zci_measure_memory {
    size_t bytes;
    uint8_t *pageable, *known; /* ordinary memory; `known` is for registering and keeping */
    struct zci_memory pinned, wc;
};

struct zci_measure_ops {
    zcs_status (*open)(struct zci_backend *backend, uint32_t device,
                       const struct zci_measure_memory *memory, void **out);
    /* ZCS_ERR_UNSUPPORTED: not one of its ways, or not here. */
    zcs_status (*run)(void *state, enum zcs_benchmark benchmark, size_t bytes, int64_t *ns);
    void (*close)(void *state);
};

#endif
