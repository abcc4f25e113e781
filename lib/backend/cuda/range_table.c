/* SPDX-License-Identifier: MIT */
/* The table of pinned memory: sorted by address, with binary search. */
#include "backend/cuda/range_table.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 32u

void zci_cuda_range_table_finish(struct zci_cuda_range_table *table)
{
    free(table->table);
    *table = (struct zci_cuda_range_table){.table = NULL};
}

size_t zci_cuda_range_table_index(const struct zci_cuda_range_table *table, const void *memory)
{
    const uint8_t *at = memory;
    size_t low = 0, high = table->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct zci_cuda_mapping *mapping = table->table[middle];
        if (mapping->memory + mapping->bytes <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct zci_cuda_mapping *zci_cuda_range_table_cover(const struct zci_cuda_range_table *table,
                                                    const void *memory, size_t bytes)
{
    const uint8_t *at = memory;
    const size_t place = zci_cuda_range_table_index(table, memory);
    if (place == table->count)
        return NULL;
    struct zci_cuda_mapping *mapping = table->table[place];
    if (at < mapping->memory || mapping->bytes - (size_t)(at - mapping->memory) < bytes)
        return NULL;
    return mapping;
}

static zcs_status grow(struct zci_cuda_range_table *table)
{
    const size_t capacity = table->capacity ? 2 * table->capacity : FIRST_CAPACITY;
    if (table->count < table->capacity)
        return ZCS_OK;
    struct zci_cuda_mapping **grown = realloc(table->table, capacity * sizeof(*grown));
    if (grown == NULL)
        return ZCS_ERR_NOMEM;
    table->table = grown;
    table->capacity = capacity;
    return ZCS_OK;
}

zcs_status zci_cuda_range_table_insert(struct zci_cuda_range_table *table,
                                       struct zci_cuda_mapping *mapping)
{
    const zcs_status status = grow(table);
    if (status != ZCS_OK)
        return status;
    const size_t place = zci_cuda_range_table_index(table, mapping->memory);
    struct zci_cuda_mapping **at = table->table + place;
    memmove(at + 1, at, (table->count - place) * sizeof *at);
    *at = mapping;
    table->count++;
    return ZCS_OK;
}

void zci_cuda_range_table_remove(struct zci_cuda_range_table *table,
                                 const struct zci_cuda_mapping *mapping)
{
    const size_t place = zci_cuda_range_table_index(table, mapping->memory);
    if (place == table->count || table->table[place] != mapping)
        return;
    struct zci_cuda_mapping **at = table->table + place;
    table->count--;
    memmove(at, at + 1, (table->count - place) * sizeof *at);
}
