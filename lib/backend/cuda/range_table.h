/* SPDX-License-Identifier: MIT */
/* A table of pinned memory, sorted by address: the mapping of a frame is found without a call of
 * CUDA. Mappings do not overlap. The owner of a table locks it. */
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
    struct zci_cuda_mapping **table; /* the array is owned, its mappings are not */
    size_t count, capacity;
};

void zci_cuda_range_table_finish(struct zci_cuda_range_table *table);

/* The index of the first mapping that ends beyond `memory`; count: there is none. */
size_t zci_cuda_range_table_index(const struct zci_cuda_range_table *table, const void *memory);

/* The mapping that contains all of it; NULL: none. */
struct zci_cuda_mapping *zci_cuda_range_table_cover(const struct zci_cuda_range_table *table,
                                                    const void *memory, size_t bytes);

/* ZCS_ERR_NOMEM: the table cannot grow and is unchanged. */
zcs_status zci_cuda_range_table_insert(struct zci_cuda_range_table *table,
                                       struct zci_cuda_mapping *mapping);

/* Call it before the memory is freed, since its address may be reused then. Accepts a mapping
 * that is not in the table. */
void zci_cuda_range_table_remove(struct zci_cuda_range_table *table,
                                 const struct zci_cuda_mapping *mapping);

#endif
