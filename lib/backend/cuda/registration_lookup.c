/* SPDX-License-Identifier: MIT */
/* Registering ranges and letting go: overlaps, limits, memory that was mapped anew. */
#include "backend/cuda/registration_lookup.h"

#include <stdlib.h>

#include "backend/cuda/pin.h"
#include "os/clock.h"

#define REFUSED_NS 1000000000

static struct zci_cuda_registrations *lock(struct zci_cuda *cuda)
{
    pthread_mutex_lock(&cuda->registrations.lock);
    return &cuda->registrations;
}

static void unlock(struct zci_cuda *cuda)
{
    pthread_mutex_unlock(&cuda->registrations.lock);
}

static int is_fresh(const struct zci_cuda_range *range)
{
    if (range->stale || (range->doomed && range->tag == ZCI_MLOCK_TAG_NONE))
        return 0;
    return zci_mlock_tag_holds(range->tag, range->mapping.memory, range->mapping.bytes);
}

/* Ranges that are out of the table. */
static void drop(struct zci_cuda *cuda, struct zci_cuda_range *gone)
{
    while (gone != NULL) {
        struct zci_cuda_range *range = gone;
        gone = range->next;
        const unsigned shared = zci_cuda_registrations_shared(lock(cuda), range);
        unlock(cuda);
        zci_mlock_tag_clear(range->tag, range->mapping.memory, range->mapping.bytes, shared);
        zci_cuda_unpin(cuda, range);
        free(range);
    }
}

/* Under `lock`. */
static void take_out(struct zci_cuda_registrations *registrations, struct zci_cuda_range *range,
                     struct zci_cuda_range **gone)
{
    zci_cuda_range_table_remove(&registrations->known, &range->mapping);
    for (struct zci_cuda_claim *claim = registrations->claims; claim != NULL; claim = claim->next)
        if (claim->range == range)
            claim->range = NULL;
    range->next = *gone;
    *gone = range;
}

void zci_cuda_sweep(struct zci_cuda *cuda)
{
    struct zci_cuda_range *gone = NULL;
    struct zci_cuda_registrations *registrations = lock(cuda);
    for (size_t i = registrations->known.count; i-- > 0;) {
        struct zci_cuda_range *range = zci_cuda_range_of(registrations->known.table[i]);
        if (range->doomed && range->uses == 0 && range->claims == 0)
            take_out(registrations, range, &gone);
    }
    unlock(cuda);
    drop(cuda, gone);
}

/* Under `lock`: why the ranges that overlap cannot be taken out; ZCS_OK: they can. */
static zcs_status check_overlaps(struct zci_cuda *cuda, const struct zci_cuda_wanted *wanted)
{
    const struct zci_cuda_registrations *registrations = &cuda->registrations;
    const uint8_t *end = wanted->memory + wanted->bytes;
    for (size_t i = zci_cuda_range_table_index(&registrations->known, wanted->memory);
         i < registrations->known.count && registrations->known.table[i]->memory < end; i++) {
        const struct zci_cuda_range *range = zci_cuda_range_of(registrations->known.table[i]);
        if (range->uses > 0)
            return ZCS_AGAIN;
        if (range->foreign)
            return zci_fail(&cuda->base.log, ZCS_ERR_ARG,
                            "memory %p: %zu bytes: overlaps %p, %zu bytes, which the application "
                            "pinned itself",
                            (void *)wanted->memory, wanted->bytes, (void *)range->mapping.memory,
                            range->mapping.bytes);
    }
    return ZCS_OK;
}

/* Under `lock`. What is claimed and still there becomes part of what is wanted. */
static void take_overlaps_out(struct zci_cuda *cuda, struct zci_cuda_wanted *wanted,
                              struct zci_cuda_range **gone)
{
    struct zci_cuda_registrations *registrations = &cuda->registrations;
    const uint8_t *end = wanted->memory + wanted->bytes;
    const size_t place = zci_cuda_range_table_index(&registrations->known, wanted->memory);
    while (place < registrations->known.count && registrations->known.table[place]->memory < end) {
        struct zci_cuda_range *range = zci_cuda_range_of(registrations->known.table[place]);
        uint8_t *stop = wanted->memory + wanted->bytes,
                *range_stop = range->mapping.memory + range->mapping.bytes;
        const int fresh = is_fresh(range);
        if (!fresh && !range->doomed) {
            registrations->stats.remapped++;
            zci_log(&cuda->base.log, range->claims > 0 ? ZCS_LOG_WARNING : ZCS_LOG_DEBUG,
                    "memory %p: %zu bytes were unmapped while registered; registered anew",
                    (void *)range->mapping.memory, range->mapping.bytes);
        }
        if (fresh && range->claims > 0) {
            wanted->claimed = 1;
            if (range->mapping.memory < wanted->memory)
                wanted->memory = range->mapping.memory;
            wanted->bytes = (size_t)((range_stop > stop ? range_stop : stop) - wanted->memory);
        }
        take_out(registrations, range, gone);
    }
}

/* The range that was unused for longest, if it must go for `bytes` more to be kept, or `anyway`. 1: another
 * try may succeed. */
static int evict(struct zci_cuda *cuda, uint64_t bytes, int anyway, int *enough)
{
    uint32_t kept;
    uint64_t cached_bytes;
    struct zci_cuda_range *gone = NULL;
    struct zci_cuda_registrations *registrations = lock(cuda);
    struct zci_cuda_range *oldest =
        zci_cuda_registrations_oldest(registrations, &kept, &cached_bytes);
    *enough = !anyway && kept < registrations->max_kept && bytes <= registrations->max_kept_bytes &&
              cached_bytes <= registrations->max_kept_bytes - bytes;
    const int goes =
        !*enough && oldest != NULL && (anyway || bytes <= registrations->max_kept_bytes);
    if (goes) {
        registrations->stats.evictions++;
        take_out(registrations, oldest, &gone);
    }
    unlock(cuda);
    drop(cuda, gone);
    return goes;
}

/* The frame is copied instead, as are others from there for a while. */
static zcs_status refuse(struct zci_cuda *cuda, const struct zci_cuda_wanted *wanted,
                         const char *why)
{
    struct zci_cuda_registrations *registrations = lock(cuda);
    registrations->refusals[registrations->next_refusal++ % ZCI_CUDA_REFUSALS] =
        (struct zci_cuda_refusal){wanted->memory, wanted->bytes, zci_now_ns() + REFUSED_NS};
    const int first = registrations->stats.refused == 0;
    unlock(cuda);
    zci_log(&cuda->base.log, first ? ZCS_LOG_WARNING : ZCS_LOG_DEBUG,
            "push: memory %p: %zu bytes are not kept registered (%s); frames in it are copied",
            (void *)wanted->memory, wanted->bytes, why);
    return ZCS_OK;
}

static zcs_status pin(struct zci_cuda *cuda, struct zci_cuda_range *range, int claimed)
{
    int enough = 0;
    zcs_status status;
    do
        status = zci_cuda_pin(cuda, range, claimed ? ZCS_LOG_ERROR : ZCS_LOG_DEBUG);
    while (status == ZCS_ERR_NOMEM && evict(cuda, range->mapping.bytes, 1, &enough));
    if (status == ZCS_ERR_NOMEM && claimed)
        return zci_fail(&cuda->base.log, status, "memory %p: %zu bytes cannot be pinned: no memory",
                        (void *)range->mapping.memory, range->mapping.bytes);
    return status;
}

/* Claims whose range was taken out get the new one. */
static zcs_status put_in(struct zci_cuda *cuda, struct zci_cuda_range *range)
{
    struct zci_cuda_registrations *registrations = lock(cuda);
    const zcs_status status = zci_cuda_range_table_insert(&registrations->known, &range->mapping);
    range->used_at = ++registrations->clock;
    registrations->stats.misses++;
    for (struct zci_cuda_claim *claim = registrations->claims; claim != NULL && status == ZCS_OK;
         claim = claim->next)
        if (claim->range == NULL && claim->memory >= range->mapping.memory &&
            claim->memory + claim->bytes <= range->mapping.memory + range->mapping.bytes) {
            claim->range = range;
            range->claims += claim->count;
        }
    unlock(cuda);
    return status == ZCS_OK
               ? status
               : zci_fail(&cuda->base.log, status, "memory %p: registration: no memory",
                          (void *)range->mapping.memory);
}

/* `whole`: `wanted`, and what it overlapped. */
static zcs_status add(struct zci_cuda *cuda, const struct zci_cuda_wanted *whole,
                      const struct zci_cuda_wanted *wanted, struct zci_cuda_range **out)
{
    int enough = whole->claimed;
    struct zci_cuda_range *range = calloc(1, sizeof *range);
    if (range == NULL)
        return zci_fail(&cuda->base.log, ZCS_ERR_NOMEM, "memory %p: registration: no memory",
                        (void *)whole->memory);
    range->mapping.memory = whole->memory;
    range->mapping.bytes = whole->bytes;
    const unsigned shared = zci_cuda_registrations_shared(lock(cuda), range);
    unlock(cuda);
    range->tag = zci_mlock_tag_set(range->mapping.memory, range->mapping.bytes, shared);
    const char *why = "it cannot be told here whether an address has been mapped anew";
    zcs_status status = range->tag == ZCI_MLOCK_TAG_NONE && !whole->claimed ? ZCS_AGAIN : ZCS_OK;
    while (status == ZCS_OK && !enough && evict(cuda, range->mapping.bytes, 0, &enough))
        continue;
    if (status == ZCS_OK && !enough) {
        why = "more than may be kept";
        status = ZCS_AGAIN;
    }
    if (status == ZCS_OK) {
        why = "CUDA cannot";
        status = pin(cuda, range, wanted->claimed);
    }
    if (status == ZCS_OK) {
        status = put_in(cuda, range);
        if (status != ZCS_OK)
            zci_cuda_unpin(cuda, range);
    }
    if (status == ZCS_OK) {
        *out = range;
        return ZCS_OK;
    }
    zci_mlock_tag_clear(range->tag, range->mapping.memory, range->mapping.bytes, shared);
    free(range);
    return wanted->claimed || status == ZCS_ERR_ARG ? status : refuse(cuda, wanted, why);
}

zcs_status zci_cuda_registration_lookup(struct zci_cuda *cuda, const struct zci_cuda_wanted *wanted,
                                        struct zci_cuda_range **out)
{
    struct zci_cuda_wanted whole = *wanted;
    struct zci_cuda_range *gone = NULL;
    zci_cuda_sweep(cuda);
    struct zci_cuda_registrations *registrations = lock(cuda);
    struct zci_cuda_range *range = zci_cuda_range_of(
        zci_cuda_range_table_cover(&registrations->known, wanted->memory, wanted->bytes));
    if (range != NULL && is_fresh(range)) {
        registrations->stats.hits++;
        range->used_at = ++registrations->clock;
        unlock(cuda);
        *out = range;
        return ZCS_OK;
    }
    const zcs_status status = check_overlaps(cuda, wanted);
    if (status == ZCS_OK)
        take_overlaps_out(cuda, &whole, &gone);
    unlock(cuda);
    drop(cuda, gone);
    return status == ZCS_OK ? add(cuda, &whole, wanted, out) : status;
}

void zci_cuda_registrations_finish(struct zci_cuda *cuda, int usable)
{
    struct zci_cuda_registrations *registrations = &cuda->registrations;
    for (size_t i = 0; i < registrations->known.count; i++) {
        struct zci_cuda_range *range = zci_cuda_range_of(registrations->known.table[i]);
        zci_mlock_tag_clear(range->tag, range->mapping.memory, range->mapping.bytes, 0);
        if (usable)
            zci_cuda_unpin(cuda, range);
        free(range);
    }
    while (registrations->claims != NULL) {
        struct zci_cuda_claim *claim = registrations->claims;
        registrations->claims = claim->next;
        free(claim);
    }
    zci_cuda_range_table_finish(&registrations->known);
    zci_cuda_range_table_finish(&registrations->own);
    pthread_mutex_destroy(&registrations->lock);
    pthread_mutex_destroy(&registrations->work);
}
