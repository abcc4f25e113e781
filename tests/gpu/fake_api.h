/* SPDX-License-Identifier: MIT */
/* Stand-ins for CUDA: a table that needs no GPU (kernels do nothing but report), and one around
 * any other that fails the nth call. Both count what is alive. */
#ifndef ZCS_TESTS_GPU_FAKE_API_H
#define ZCS_TESTS_GPU_FAKE_API_H

#include "backend/cuda/api.h"

struct fake_state {
    uint64_t calls;
    uint64_t fail_at;  /* 0: never; the call of that number fails */
    int fail_with;     /* its error */
    int sticky;        /* 1: so do all that follow */
    int fail_device;   /* > 0: those alone that are made while this device is current */
    int devices;       /* of the stand-in; 0: 1 */
    int device;        /* current */
    int cannot_map;    /* 1: the device is told to be unable to */
    size_t host_limit; /* pinned bytes beyond which there is no more; 0: none */
    size_t host_bytes;
    uint64_t probes;   /* looks at memory as kernels see it */
    uint64_t stale_at; /* 0: never; the look of that number is made to differ */
    long alive;        /* allocations, registrations, streams, events */
};
extern struct fake_state fake_state;

/* Without a GPU. */
extern const struct zci_cuda_api fake_cuda;

/* `inner`'s calls, counted and failed as fake_state says. */
const struct zci_cuda_api *fake_around(const struct zci_cuda_api *inner);

#endif
