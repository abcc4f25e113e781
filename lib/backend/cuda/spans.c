/* SPDX-License-Identifier: MIT */
/* The table of pinned memory: sorted by address, searched by halves. */
#include "backend/cuda/spans.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 32u

void zci_cuda_spans_finish(struct zci_cuda_spans *spans)
{
    free(spans->table);
    *spans = (struct zci_cuda_spans){.table = NULL};
}

size_t zci_cuda_spans_place(const struct zci_cuda_spans *spans, const void *memory)
{
    const uint8_t *at = memory;
    size_t low = 0, high = spans->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct zci_cuda_span *span = spans->table[middle];
        if (span->memory + span->bytes <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct zci_cuda_span *zci_cuda_spans_cover(const struct zci_cuda_spans *spans, const void *memory,
                                           size_t bytes)
{
    const uint8_t *at = memory;
    const size_t place = zci_cuda_spans_place(spans, memory);
    if (place == spans->count)
        return NULL;
    struct zci_cuda_span *span = spans->table[place];
    if (at < span->memory || span->bytes - (size_t)(at - span->memory) < bytes)
        return NULL;
    return span;
}

static zcs_status grow(struct zci_cuda_spans *spans)
{
    const size_t capacity = spans->capacity ? 2 * spans->capacity : FIRST_CAPACITY;
    if (spans->count < spans->capacity)
        return ZCS_OK;
    struct zci_cuda_span **table = realloc(spans->table, capacity * sizeof(*table));
    if (table == NULL)
        return ZCS_ERR_NOMEM;
    spans->table = table;
    spans->capacity = capacity;
    return ZCS_OK;
}

zcs_status zci_cuda_spans_insert(struct zci_cuda_spans *spans, struct zci_cuda_span *span)
{
    const zcs_status status = grow(spans);
    if (status != ZCS_OK)
        return status;
    const size_t place = zci_cuda_spans_place(spans, span->memory);
    struct zci_cuda_span **at = spans->table + place;
    memmove(at + 1, at, (spans->count - place) * sizeof *at);
    *at = span;
    spans->count++;
    return ZCS_OK;
}

void zci_cuda_spans_remove(struct zci_cuda_spans *spans, const struct zci_cuda_span *span)
{
    const size_t place = zci_cuda_spans_place(spans, span->memory);
    if (place == spans->count || spans->table[place] != span)
        return;
    struct zci_cuda_span **at = spans->table + place;
    spans->count--;
    memmove(at, at + 1, (spans->count - place) * sizeof *at);
}
