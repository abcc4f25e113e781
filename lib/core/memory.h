/* SPDX-License-Identifier: MIT */
/* A piece of memory as its backend made it, as pools, sources and backends all see it. */
#ifndef ZCI_CORE_MEMORY_H
#define ZCI_CORE_MEMORY_H

#include "zcstream/memory.h"

struct zci_memory {
    void *host;   /* NULL if the CPU cannot reach it */
    void *handle; /* the backend's own */
    size_t bytes; /* whole pages */
    enum zcs_role role;
    enum zcs_memory kind;
};

#endif
