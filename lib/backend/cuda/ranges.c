/* SPDX-License-Identifier: MIT */
/* The registered ranges: how many are kept, which goes first, whose pages touch. */
#include "backend/cuda/ranges.h"

#include <unistd.h>

#define MOST_KEPT 256u
#define KEPT_SHARE 4u /* of the machine's memory */

void zci_cuda_ranges_init(struct zci_cuda_ranges *ranges)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    *ranges = (struct zci_cuda_ranges){.most_kept = MOST_KEPT};
    ranges->most_kept_bytes = (uint64_t)(pages > 0 ? pages : 0) * (uint64_t)page / KEPT_SHARE;
    pthread_mutex_init(&ranges->work, NULL);
    pthread_mutex_init(&ranges->lock, NULL);
}

struct zci_cuda_range *zci_cuda_ranges_oldest(const struct zci_cuda_ranges *ranges, uint32_t *kept,
                                              uint64_t *kept_bytes)
{
    struct zci_cuda_range *oldest = NULL;
    *kept = 0;
    *kept_bytes = 0;
    for (size_t i = 0; i < ranges->known.count; i++) {
        struct zci_cuda_range *range = zci_cuda_range_of(ranges->known.table[i]);
        if (range->claims > 0)
            continue;
        ++*kept;
        *kept_bytes += range->span.bytes;
        if (range->uses == 0 && (oldest == NULL || range->used_at < oldest->used_at))
            oldest = range;
    }
    return oldest;
}

unsigned zci_cuda_ranges_shared(const struct zci_cuda_ranges *ranges,
                                const struct zci_cuda_range *range)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = (uintptr_t)range->span.memory / page;
    const uintptr_t last = ((uintptr_t)range->span.memory + range->span.bytes - 1) / page;
    unsigned shared = 0;
    for (size_t i = 0; i < ranges->known.count; i++) {
        const struct zci_cuda_range *other = zci_cuda_range_of(ranges->known.table[i]);
        const uintptr_t begin = (uintptr_t)other->span.memory / page;
        const uintptr_t end = ((uintptr_t)other->span.memory + other->span.bytes - 1) / page;
        if (other == range || other->mark == ZCI_MARK_NONE)
            continue;
        shared |= begin <= first && first <= end ? ZCI_MARK_FIRST_SHARED : 0u;
        shared |= begin <= last && last <= end ? ZCI_MARK_LAST_SHARED : 0u;
    }
    return shared;
}
