/* SPDX-License-Identifier: MIT */
/* The table of registered ranges: sorted by address, searched by halves. */
#include "backend/cuda/ranges.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_KEPT 256u
#define KEPT_SHARE 4u /* of the machine's memory */
#define FIRST_CAPACITY 32u

void zci_cuda_ranges_init(struct zci_cuda_ranges *ranges)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    *ranges = (struct zci_cuda_ranges){.most_kept = MOST_KEPT};
    ranges->most_kept_bytes = (uint64_t)(pages > 0 ? pages : 0) * (uint64_t)page / KEPT_SHARE;
    pthread_mutex_init(&ranges->work, NULL);
    pthread_mutex_init(&ranges->lock, NULL);
}

size_t zci_cuda_ranges_place(const struct zci_cuda_ranges *ranges, const void *memory)
{
    const uint8_t *at = memory;
    size_t low = 0, high = ranges->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct zci_cuda_range *range = ranges->table[middle];
        if (range->memory + range->bytes <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct zci_cuda_range *zci_cuda_ranges_cover(const struct zci_cuda_ranges *ranges,
                                             const void *memory, size_t bytes)
{
    const uint8_t *at = memory;
    const size_t place = zci_cuda_ranges_place(ranges, memory);
    if (place == ranges->count)
        return NULL;
    struct zci_cuda_range *range = ranges->table[place];
    if (at < range->memory || range->bytes - (size_t)(at - range->memory) < bytes)
        return NULL;
    return range;
}

static int grow(struct zci_cuda_ranges *ranges)
{
    const size_t capacity = ranges->capacity ? 2 * ranges->capacity : FIRST_CAPACITY;
    if (ranges->count < ranges->capacity)
        return 0;
    struct zci_cuda_range **table = realloc(ranges->table, capacity * sizeof(*table));
    if (table == NULL)
        return -1;
    ranges->table = table;
    ranges->capacity = capacity;
    return 0;
}

zcs_status zci_cuda_ranges_insert(struct zci_cuda_ranges *ranges, struct zci_cuda_range *range)
{
    if (grow(ranges) != 0)
        return ZCS_ERR_NOMEM;
    const size_t place = zci_cuda_ranges_place(ranges, range->memory);
    struct zci_cuda_range **at = ranges->table + place;
    memmove(at + 1, at, (ranges->count - place) * sizeof *at);
    *at = range;
    ranges->count++;
    return ZCS_OK;
}

void zci_cuda_ranges_remove(struct zci_cuda_ranges *ranges, struct zci_cuda_range *range)
{
    struct zci_cuda_range **at = ranges->table + zci_cuda_ranges_place(ranges, range->memory);
    ranges->count--;
    memmove(at, at + 1, (size_t)(ranges->table + ranges->count - at) * sizeof *at);
}

struct zci_cuda_range *zci_cuda_ranges_oldest(const struct zci_cuda_ranges *ranges, uint32_t *kept,
                                              uint64_t *kept_bytes)
{
    struct zci_cuda_range *oldest = NULL;
    *kept = 0;
    *kept_bytes = 0;
    for (size_t i = 0; i < ranges->count; i++) {
        struct zci_cuda_range *range = ranges->table[i];
        if (range->claims > 0)
            continue;
        ++*kept;
        *kept_bytes += range->bytes;
        if (range->uses == 0 && (oldest == NULL || range->used_at < oldest->used_at))
            oldest = range;
    }
    return oldest;
}

unsigned zci_cuda_ranges_shared(const struct zci_cuda_ranges *ranges,
                                const struct zci_cuda_range *range)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = (uintptr_t)range->memory / page;
    const uintptr_t last = ((uintptr_t)range->memory + range->bytes - 1) / page;
    unsigned shared = 0;
    for (size_t i = 0; i < ranges->count; i++) {
        const struct zci_cuda_range *other = ranges->table[i];
        const uintptr_t begin = (uintptr_t)other->memory / page;
        const uintptr_t end = ((uintptr_t)other->memory + other->bytes - 1) / page;
        if (other == range || other->mark == ZCI_MARK_NONE)
            continue;
        shared |= begin <= first && first <= end ? ZCI_MARK_FIRST_SHARED : 0u;
        shared |= begin <= last && last <= end ? ZCI_MARK_LAST_SHARED : 0u;
    }
    return shared;
}
