/* SPDX-License-Identifier: MIT */
/* The context: a backend and a log, shared by the sources and streams that are made with it. */
#ifndef ZCI_CONTEXT_CONTEXT_H
#define ZCI_CONTEXT_CONTEXT_H

#include <pthread.h>

#include "core/log.h"
#include "context/route_cache.h"

struct zci_allocation;
struct zci_backend;

struct zcs_context {
    struct zci_backend *backend;
    struct zci_log log;
    struct zci_route_cache route_cache;
    pthread_mutex_t lock;               /* of `allocations` */
    struct zci_allocation *allocations; /* what zcs_memory_alloc gave out */
};

/* The backend with a reference of the caller's, for layers that may not include backend headers.
 * drop gives it back and sets NULL. */
struct zci_backend *zci_context_take_backend(zcs_context *ctx);
void zci_context_drop_backend(struct zci_backend **backend);

#endif
