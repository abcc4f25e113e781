/* SPDX-License-Identifier: MIT */
/* Memory of the host backend: every role is ordinary memory, and registration only counts. */
#ifndef ZCI_BACKEND_HOST_MEMORY_H
#define ZCI_BACKEND_HOST_MEMORY_H

#include <pthread.h>

#include "backend/backend.h"

/* Whole pages of zeros, which take no RAM until they are touched. ZCS_ERR_NOMEM is not logged. */
zcs_status zci_host_memory_alloc(struct zci_backend *backend, enum zcs_role role, size_t bytes,
                                 struct zci_memory *out);
void zci_host_memory_free(struct zci_backend *backend, struct zci_memory *memory);

/* The registered ranges, each with its count. */
struct zci_host_registrations {
    pthread_mutex_t lock;
    struct zci_host_range *first;
};

void zci_host_registrations_init(struct zci_host_registrations *registrations);
void zci_host_registrations_finish(struct zci_host_registrations *registrations);

/* Any thread. ZCS_ERR_ARG, logged: registered with another length, or not registered. */
zcs_status zci_host_registrations_add(struct zci_host_registrations *registrations,
                                      const struct zci_log *log, void *memory, size_t bytes);
zcs_status zci_host_registrations_remove(struct zci_host_registrations *registrations,
                                         const struct zci_log *log, void *memory);

#endif
