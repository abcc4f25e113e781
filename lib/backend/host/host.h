/* SPDX-License-Identifier: MIT */
/* The host backend: the machine's cores as one device. */
#ifndef ZCI_BACKEND_HOST_HOST_H
#define ZCI_BACKEND_HOST_HOST_H

#include "backend/backend.h"
#include "backend/host/memory.h"
#include "backend/host/workers.h"

struct zci_host {
    struct zci_backend base;
    struct zci_host_registrations registrations;
    struct zci_workers *workers;
    char name[128]; /* of the processor */
};

static inline struct zci_host *zci_host_of(struct zci_backend *backend)
{
    return (struct zci_host *)backend;
}

#endif
