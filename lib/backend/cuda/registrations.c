/* SPDX-License-Identifier: MIT */
/* The registered ranges: how many are kept, which goes first, whose pages touch. */
#include "backend/cuda/registrations.h"

#include <unistd.h>

#define MAX_KEPT 256u
#define KEPT_SHARE 4u /* of the machine's memory */

void zci_cuda_registrations_init(struct zci_cuda_registrations *registrations)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    *registrations = (struct zci_cuda_registrations){.max_kept = MAX_KEPT};
    registrations->max_kept_bytes = (uint64_t)(pages > 0 ? pages : 0) * (uint64_t)page / KEPT_SHARE;
    pthread_mutex_init(&registrations->work, NULL);
    pthread_mutex_init(&registrations->lock, NULL);
}

struct zci_cuda_range *
zci_cuda_registrations_oldest(const struct zci_cuda_registrations *registrations, uint32_t *kept,
                              uint64_t *cached_bytes)
{
    struct zci_cuda_range *oldest = NULL;
    *kept = 0;
    *cached_bytes = 0;
    for (size_t i = 0; i < registrations->known.count; i++) {
        struct zci_cuda_range *range = zci_cuda_range_of(registrations->known.table[i]);
        if (range->claims > 0)
            continue;
        ++*kept;
        *cached_bytes += range->mapping.bytes;
        if (range->uses == 0 && (oldest == NULL || range->used_at < oldest->used_at))
            oldest = range;
    }
    return oldest;
}

unsigned zci_cuda_registrations_shared(const struct zci_cuda_registrations *registrations,
                                       const struct zci_cuda_range *range)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = (uintptr_t)range->mapping.memory / page;
    const uintptr_t last = ((uintptr_t)range->mapping.memory + range->mapping.bytes - 1) / page;
    unsigned shared = 0;
    for (size_t i = 0; i < registrations->known.count; i++) {
        const struct zci_cuda_range *other = zci_cuda_range_of(registrations->known.table[i]);
        const uintptr_t begin = (uintptr_t)other->mapping.memory / page;
        const uintptr_t end = ((uintptr_t)other->mapping.memory + other->mapping.bytes - 1) / page;
        if (other == range || other->tag == ZCI_MLOCK_TAG_NONE)
            continue;
        shared |= begin <= first && first <= end ? ZCI_MLOCK_TAG_FIRST_SHARED : 0u;
        shared |= begin <= last && last <= end ? ZCI_MLOCK_TAG_LAST_SHARED : 0u;
    }
    return shared;
}
