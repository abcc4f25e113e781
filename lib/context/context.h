/* SPDX-License-Identifier: MIT */
/* The context: a backend and a log, shared by sources and streams. In this layer, so that sources and
 * streams can both have it. */
#ifndef ZCI_CONTEXT_CONTEXT_H
#define ZCI_CONTEXT_CONTEXT_H

#include <pthread.h>

#include "backend/backend.h"
#include "context/route_cache.h"

struct zci_allocation;

struct zcs_context {
    struct zci_backend *backend;
    struct zci_log log;
    char *route_cache;    /* NULL: none */
    pthread_mutex_t lock; /* of what follows */
    struct zci_route_cache routes;
    struct zci_allocation *allocations; /* what zcs_memory_alloc gave out, see memory.h */
};

#endif
