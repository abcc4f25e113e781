/* SPDX-License-Identifier: MIT */
/* The memory that a context gave to the application. */
#ifndef ZCI_CONTEXT_MEMORY_H
#define ZCI_CONTEXT_MEMORY_H

#include "context/context.h"

/* Frees what the application did not, with a warning. Part of closing the context. */
void zci_allocations_finish(zcs_context *ctx);

/* Of the caller's memory that a frame lies in: the backend's functions of these names, where it has them. */
zcs_status zci_memory_use(struct zci_backend *backend, void *memory, size_t bytes, void **out);
/* Accepts NULL. Any thread. */
void zci_memory_unuse(struct zci_backend *backend, void *use);

#endif
