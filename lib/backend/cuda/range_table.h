/* SPDX-License-Identifier: MIT */
/* Pinned memory in a table sorted by address, in which a frame's is found without a question to CUDA. No two
 * overlap. Whoever has a table guards it. */
#ifndef ZCI_BACKEND_CUDA_RANGE_TABLE_H
#define ZCI_BACKEND_CUDA_RANGE_TABLE_H

#include "zcstream/base.h"
#include "zcstream/stream.h"

struct zci_cuda_mapping {
    uint8_t *memory;
    size_t bytes;
    void *device_pointers[ZCS_MAX_DEVICES]; /* for kernels of each device; NULL: no access */
    int foreign;                            /* 1: another owner pinned it, and unpins it */
};

struct zci_cuda_range_table {
    struct zci_cuda_mapping **table; /* not owned, but for the array */
    size_t count, capacity;
};

void zci_cuda_range_table_finish(struct zci_cuda_range_table *table);

/* The place of the first that ends beyond `memory`; count: there is none. */
size_t zci_cuda_range_table_index(const struct zci_cuda_range_table *table, const void *memory);

/* The one that holds all of it; NULL: none. */
struct zci_cuda_mapping *zci_cuda_range_table_cover(const struct zci_cuda_range_table *table,
                                                    const void *memory, size_t bytes);

/* ZCS_ERR_NOMEM: the table cannot grow, and is as it was. */
zcs_status zci_cuda_range_table_insert(struct zci_cuda_range_table *table,
                                       struct zci_cuda_mapping *mapping);

/* Before its memory is let go, whose address may be anybody's then. Tolerates one that is not there. */
void zci_cuda_range_table_remove(struct zci_cuda_range_table *table,
                                 const struct zci_cuda_mapping *mapping);

#endif
