/* SPDX-License-Identifier: MIT */
/* A backend's life: counted references, closed with the last one. */
#include "backend/backend.h"

struct zci_backend *zci_backend_ref(struct zci_backend *backend)
{
    atomic_fetch_add_explicit(&backend->refs, 1, memory_order_relaxed);
    return backend;
}

void zci_backend_unref(struct zci_backend **backend)
{
    struct zci_backend *held = *backend;
    *backend = NULL;
    if (held != NULL && atomic_fetch_sub_explicit(&held->refs, 1, memory_order_acq_rel) == 1)
        held->ops->close(held);
}
