/* SPDX-License-Identifier: MIT */
/* The benchmarks that a backend runs itself. */
#ifndef ZCI_BACKEND_MEASURE_H
#define ZCI_BACKEND_MEASURE_H

#include "zcstream/measure.h"
#include "backend/backend.h"

/* Allocated by the caller, all of the same size; outlives the state. */
struct zci_measure_memory {
    size_t bytes;
    uint8_t *pageable, *known; /* ordinary memory; `known` is registered and kept */
    struct zci_memory pinned, wc;
};

struct zci_measure_ops {
    zcs_status (*open)(struct zci_backend *backend, uint32_t device,
                       const struct zci_measure_memory *memory, void **out);
    /* ZCS_ERR_UNSUPPORTED: not one of its benchmarks, or not possible here. */
    zcs_status (*run)(void *state, enum zcs_benchmark benchmark, size_t bytes, int64_t *ns);
    void (*close)(void *state);
};

#endif
