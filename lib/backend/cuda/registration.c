/* SPDX-License-Identifier: MIT */
/* The caller's memory: what the application claims, what frames use, and what both find in the table. */
#include "backend/cuda/registration.h"

#include <stdlib.h>

#include "backend/cuda/registration_lookup.h"
#include "backend/cuda/pin.h"
#include "os/clock.h"

/* --- registered by the application --- */

static struct zci_cuda_claim **find_claim(struct zci_cuda_registrations *registrations,
                                          const void *memory)
{
    struct zci_cuda_claim **link = &registrations->claims;
    while (*link != NULL && (*link)->memory != memory)
        link = &(*link)->next;
    return link;
}

/* Under `work`, so that the claims stay as they are. */
static zcs_status make_claim(struct zci_cuda *cuda, void *memory, size_t bytes,
                             struct zci_cuda_claim **out)
{
    const struct zci_log *log = &cuda->base.log;
    struct zci_cuda_claim *claim = *find_claim(&cuda->registrations, memory);
    if (claim != NULL && claim->bytes != bytes)
        return zci_fail(log, ZCS_ERR_ARG, "memory %p: registered with %zu bytes, now with %zu",
                        memory, claim->bytes, bytes);
    if (claim == NULL)
        claim = calloc(1, sizeof *claim);
    if (claim == NULL)
        return zci_fail(log, ZCS_ERR_NOMEM, "memory %p: registration: no memory", memory);
    claim->memory = memory;
    claim->bytes = bytes;
    *out = claim;
    return ZCS_OK;
}

static void count_claim(struct zci_cuda_registrations *registrations, struct zci_cuda_claim *claim,
                        struct zci_cuda_range *range)
{
    pthread_mutex_lock(&registrations->lock);
    if (claim->count++ == 0) {
        claim->next = registrations->claims;
        registrations->claims = claim;
    }
    claim->range = range;
    range->claims++;
    range->doomed = 0;
    pthread_mutex_unlock(&registrations->lock);
}

zcs_status zci_cuda_memory_register(struct zci_backend *backend, void *memory, size_t bytes)
{
    struct zci_cuda *cuda = zci_cuda_of(backend);
    const struct zci_cuda_wanted wanted = {memory, bytes, 1};
    struct zci_cuda_claim *claim = NULL;
    struct zci_cuda_range *range = NULL;
    pthread_mutex_lock(&cuda->registrations.work);
    zcs_status status = make_claim(cuda, memory, bytes, &claim);
    if (status == ZCS_OK)
        status = zci_cuda_registration_lookup(cuda, &wanted, &range);
    if (status == ZCS_OK)
        count_claim(&cuda->registrations, claim, range);
    else if (claim != NULL && claim->count == 0)
        free(claim);
    pthread_mutex_unlock(&cuda->registrations.work);
    return status != ZCS_AGAIN
               ? status
               : zci_fail(&backend->log, ZCS_ERR_BUSY,
                          "memory %p: %zu bytes: a frame in flight is in a range that overlaps it",
                          memory, bytes);
}

zcs_status zci_cuda_memory_release(struct zci_backend *backend, void *memory)
{
    struct zci_cuda *cuda = zci_cuda_of(backend);
    struct zci_cuda_registrations *registrations = &cuda->registrations;
    pthread_mutex_lock(&registrations->work);
    pthread_mutex_lock(&registrations->lock);
    struct zci_cuda_claim **link = find_claim(registrations, memory), *claim = *link;
    const int known = claim != NULL;
    if (known && claim->range != NULL)
        claim->range->doomed = --claim->range->claims == 0;
    if (known && --claim->count == 0) {
        *link = claim->next;
        free(claim);
    }
    pthread_mutex_unlock(&registrations->lock);
    zci_cuda_sweep(cuda);
    pthread_mutex_unlock(&registrations->work);
    return known ? ZCS_OK
                 : zci_fail(&backend->log, ZCS_ERR_ARG, "memory %p: is not registered", memory);
}

/* --- used by frames --- */

/* What the table says without asking CUDA or the kernel. */
struct glance {
    struct zci_cuda_range *range; /* holds it, and is in use now */
    int overlaps;                 /* a range has a part of it, or is stale */
    int refused;
    int own; /* the backend has pinned it itself */
};

static struct glance look_up(struct zci_cuda_registrations *registrations, const uint8_t *memory,
                             size_t bytes)
{
    struct glance seen = {.range = NULL};
    pthread_mutex_lock(&registrations->lock);
    const size_t place = zci_cuda_range_table_index(&registrations->known, memory);
    struct zci_cuda_range *range =
        zci_cuda_range_of(zci_cuda_range_table_cover(&registrations->known, memory, bytes));
    seen.overlaps = place < registrations->known.count &&
                    registrations->known.table[place]->memory < memory + bytes;
    const int gone =
        range != NULL && (range->stale || (range->doomed && range->tag == ZCI_MLOCK_TAG_NONE));
    if (range != NULL && !gone) {
        range->uses++;
        range->used_at = ++registrations->clock;
        seen.range = range;
    }
    seen.own =
        !seen.overlaps && zci_cuda_range_table_cover(&registrations->own, memory, bytes) != NULL;
    for (uint32_t i = 0; i < ZCI_CUDA_REFUSALS && !seen.overlaps && !seen.own; i++) {
        const struct zci_cuda_refusal *refusal = &registrations->refusals[i];
        if (refusal->memory == memory && refusal->bytes == bytes)
            seen.refused |= refusal->until_ns > zci_now_ns();
    }
    registrations->stats.refused += (uint64_t)seen.refused;
    pthread_mutex_unlock(&registrations->lock);
    return seen;
}

/* 1: it is still the mapping that was registered, and stays in use. */
static int confirm(struct zci_cuda_registrations *registrations, struct zci_cuda_range *range)
{
    const int fresh = zci_mlock_tag_holds(range->tag, range->mapping.memory, range->mapping.bytes);
    pthread_mutex_lock(&registrations->lock);
    if (fresh) {
        registrations->stats.hits++;
    } else {
        range->uses--;
        range->stale = 1;
    }
    pthread_mutex_unlock(&registrations->lock);
    return fresh;
}

static int is_others(struct zci_cuda *cuda, const void *memory)
{
    int previous;
    if (!zci_cuda_enter_quietly(cuda, 0, &previous))
        return 1;
    const int pinned = zci_cuda_is_pinned(cuda, memory);
    zci_cuda_leave(cuda, previous);
    return pinned;
}

static zcs_status learn(struct zci_cuda *cuda, void *memory, size_t bytes, void **out)
{
    struct zci_cuda_registrations *registrations = &cuda->registrations;
    const struct zci_cuda_wanted wanted = {memory, bytes, 0};
    struct zci_cuda_range *range = NULL;
    pthread_mutex_lock(&registrations->work);
    const zcs_status status = zci_cuda_registration_lookup(cuda, &wanted, &range);
    pthread_mutex_lock(&registrations->lock);
    if (range != NULL)
        range->uses++;
    else if (status == ZCS_OK)
        registrations->stats.refused++;
    pthread_mutex_unlock(&registrations->lock);
    pthread_mutex_unlock(&registrations->work);
    *out = range;
    return status;
}

zcs_status zci_cuda_memory_use(struct zci_backend *backend, void *memory, size_t bytes, void **out)
{
    struct zci_cuda *cuda = zci_cuda_of(backend);
    const struct glance seen = look_up(&cuda->registrations, memory, bytes);
    *out = NULL;
    if (seen.range != NULL && confirm(&cuda->registrations, seen.range)) {
        *out = seen.range;
        return ZCS_OK;
    }
    if (seen.own || (!seen.overlaps && (seen.refused || is_others(cuda, memory))))
        return ZCS_OK;
    return learn(cuda, memory, bytes, out);
}

void zci_cuda_memory_unuse(struct zci_backend *backend, void *use)
{
    struct zci_cuda_registrations *registrations = &zci_cuda_of(backend)->registrations;
    struct zci_cuda_range *range = use;
    pthread_mutex_lock(&registrations->lock);
    range->uses--;
    pthread_mutex_unlock(&registrations->lock);
}

const void *zci_cuda_memory_find(struct zci_cuda *cuda, uint32_t device, const void *memory,
                                 size_t bytes)
{
    const uint8_t *at = memory, *seen = NULL;
    pthread_mutex_lock(&cuda->registrations.lock);
    const struct zci_cuda_mapping *mapping =
        zci_cuda_range_table_cover(&cuda->registrations.known, memory, bytes);
    if (mapping == NULL)
        mapping = zci_cuda_range_table_cover(&cuda->registrations.own, memory, bytes);
    if (mapping != NULL && mapping->seen[device] != NULL)
        seen = (const uint8_t *)mapping->seen[device] + (at - mapping->memory);
    pthread_mutex_unlock(&cuda->registrations.lock);
    return seen;
}

void zci_cuda_memory_limits(struct zci_backend *backend, uint32_t registrations, uint64_t bytes)
{
    struct zci_cuda *cuda = zci_cuda_of(backend);
    if (registrations > 0)
        cuda->registrations.max_kept = registrations;
    if (bytes > 0)
        cuda->registrations.max_kept_bytes = bytes;
}

void zci_cuda_memory_stats(struct zci_backend *backend, struct zcs_memory_stats *out)
{
    struct zci_cuda_registrations *registrations = &zci_cuda_of(backend)->registrations;
    pthread_mutex_lock(&registrations->lock);
    *out = registrations->stats;
    for (size_t i = 0; i < registrations->known.count; i++) {
        out->ranges++;
        out->bytes += registrations->known.table[i]->bytes;
    }
    pthread_mutex_unlock(&registrations->lock);
}
