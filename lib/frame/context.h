/* SPDX-License-Identifier: MIT */
/* The context: a backend and a log, shared by sources and streams. In this layer, so that sources and
 * streams can both have it. */
#ifndef ZCI_FRAME_CONTEXT_H
#define ZCI_FRAME_CONTEXT_H

#include <pthread.h>

#include "backend/backend.h"
#include "frame/notes.h"

struct zci_allocation;

struct zcs_context {
    struct zci_backend *backend;
    struct zci_log log;
    char *route_cache;    /* NULL: none */
    pthread_mutex_t lock; /* of what follows */
    struct zci_notes notes;
    struct zci_allocation *allocations; /* what zcs_memory_alloc gave out, see memory.h */
};

#endif
