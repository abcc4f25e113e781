/* SPDX-License-Identifier: MIT */
/* The registration cache: claims of the application, use by frames, eviction, and remap
 * detection. */
#include "backend/cuda/registration.h"

#include <stdlib.h>
#include <unistd.h>

#include "zcstream/memory.h"
#include "backend/cuda/cuda.h"
#include "backend/cuda/memory.h"
#include "os/clock.h"
#include "os/mlock_tag.h"

#define MAX_CACHED 256u
#define CACHED_SHARE 4u       /* the cache may have 1 / CACHED_SHARE of the machine's memory */
#define REFUSED_NS 1000000000 /* memory that CUDA refused is not tried again for so long */
#define REFUSALS 8u

struct range {
    struct zci_cuda_mapping mapping; /* first, for range_of() */
    struct range *next;              /* in a list of ranges removed from the table */
    uint64_t claims;                 /* registrations by the application, not yet released */
    uint64_t uses;                   /* frames that are queued or being read */
    uint64_t used_at;                /* a larger value is later */
    int stale;           /* 1: the address now has another mapping than was registered */
    int release_pending; /* 1: released while in use, to be unregistered */
    enum zci_mlock_tag tag;
};

/* Memory that the application registered, by the address that it will release. */
struct claim {
    struct claim *next;
    uint8_t *memory;
    size_t bytes;
    uint64_t count;
    struct range
        *range; /* contains it; NULL: registering it again failed, frames in it are copied */
};

struct refusal {
    const uint8_t *memory;
    size_t bytes;
    int64_t until_ns;
};

struct zci_cuda_registrations {
    pthread_mutex_t work;
    /* Under zci_cuda.range_lock: */
    struct zci_cuda_range_table ranges; /* of each range its `mapping` */
    struct claim *claims;
    uint64_t clock;
    struct refusal refusals[REFUSALS];
    uint32_t next_refusal;
    uint32_t max_cached; /* ranges without a claim */
    uint64_t max_cached_bytes;
    struct zcs_memory_stats stats; /* except `ranges` and `bytes` */
};

struct request {
    uint8_t *memory;
    size_t bytes;
    int claimed; /* 0: for a pushed frame, which is copied if the memory cannot be registered */
};

static struct range *range_of(struct zci_cuda_mapping *mapping)
{
    return (struct range *)mapping;
}

struct zci_cuda_registrations *zci_cuda_registrations_create(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    struct zci_cuda_registrations *cache = calloc(1, sizeof *cache);
    if (cache == NULL)
        return NULL;
    cache->max_cached = MAX_CACHED;
    cache->max_cached_bytes = (uint64_t)(pages > 0 ? pages : 0) * (uint64_t)page / CACHED_SHARE;
    pthread_mutex_init(&cache->work, NULL);
    return cache;
}

static struct zci_cuda_registrations *lock(struct zci_cuda *cuda)
{
    pthread_mutex_lock(&cuda->range_lock);
    return cuda->registrations;
}

static void unlock(struct zci_cuda *cuda)
{
    pthread_mutex_unlock(&cuda->range_lock);
}

static int is_fresh(const struct range *range)
{
    if (range->stale || (range->release_pending && range->tag == ZCI_MLOCK_TAG_NONE))
        return 0;
    return zci_mlock_tag_holds(range->tag, range->mapping.memory, range->mapping.bytes);
}

/* Under the lock: the cached range that is not in use and was unused for the longest; NULL:
 * none. Both sums count all cached ranges. */
static struct range *find_oldest(const struct zci_cuda_registrations *cache, uint32_t *kept,
                                 uint64_t *cached_bytes)
{
    struct range *oldest = NULL;
    *kept = 0;
    *cached_bytes = 0;
    for (size_t i = 0; i < cache->ranges.count; i++) {
        struct range *range = range_of(cache->ranges.table[i]);
        if (range->claims > 0)
            continue;
        ++*kept;
        *cached_bytes += range->mapping.bytes;
        if (range->uses == 0 && (oldest == NULL || range->used_at < oldest->used_at))
            oldest = range;
    }
    return oldest;
}

/* Under the lock: which ends of the range lie on pages where a neighbour in the table has its
 * tag: bits of mlock_tag.h. */
static unsigned shared_pages(const struct zci_cuda_registrations *cache, const struct range *range)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = (uintptr_t)range->mapping.memory / page;
    const uintptr_t last = ((uintptr_t)range->mapping.memory + range->mapping.bytes - 1) / page;
    unsigned shared = 0;
    for (size_t i = 0; i < cache->ranges.count; i++) {
        const struct range *other = range_of(cache->ranges.table[i]);
        const uintptr_t begin = (uintptr_t)other->mapping.memory / page;
        const uintptr_t end = ((uintptr_t)other->mapping.memory + other->mapping.bytes - 1) / page;
        if (other == range || other->tag == ZCI_MLOCK_TAG_NONE)
            continue;
        shared |= begin <= first && first <= end ? ZCI_MLOCK_TAG_FIRST_SHARED : 0u;
        shared |= begin <= last && last <= end ? ZCI_MLOCK_TAG_LAST_SHARED : 0u;
    }
    return shared;
}

/* Unregisters ranges that were removed from the table. Without the lock: it waits for the GPU. */
static void unregister(struct zci_cuda *cuda, struct range *gone)
{
    while (gone != NULL) {
        struct range *range = gone;
        gone = range->next;
        const unsigned shared = shared_pages(lock(cuda), range);
        unlock(cuda);
        zci_mlock_tag_clear(range->tag, range->mapping.memory, range->mapping.bytes, shared);
        zci_cuda_unpin(cuda, &range->mapping);
        free(range);
    }
}

/* Under the lock: removes the range from the table; its claims have no range then. */
static void detach(struct zci_cuda_registrations *cache, struct range *range, struct range **gone)
{
    zci_cuda_range_table_remove(&cache->ranges, &range->mapping);
    for (struct claim *claim = cache->claims; claim != NULL; claim = claim->next)
        if (claim->range == range)
            claim->range = NULL;
    range->next = *gone;
    *gone = range;
}

/* Unregisters ranges that were released while frames were in them, and are no longer in use. */
static void unregister_released(struct zci_cuda *cuda)
{
    struct range *gone = NULL;
    struct zci_cuda_registrations *cache = lock(cuda);
    for (size_t i = cache->ranges.count; i-- > 0;) {
        struct range *range = range_of(cache->ranges.table[i]);
        if (range->release_pending && range->uses == 0 && range->claims == 0)
            detach(cache, range, &gone);
    }
    unlock(cuda);
    unregister(cuda, gone);
}

/* Under the lock. ZCS_OK: all ranges that overlap the request can be unregistered. */
static zcs_status check_overlaps(struct zci_cuda *cuda, const struct request *request)
{
    const struct zci_cuda_registrations *cache = cuda->registrations;
    const uint8_t *end = request->memory + request->bytes;
    for (size_t i = zci_cuda_range_table_index(&cache->ranges, request->memory);
         i < cache->ranges.count && cache->ranges.table[i]->memory < end; i++) {
        const struct range *range = range_of(cache->ranges.table[i]);
        if (range->uses > 0)
            return ZCS_AGAIN;
        if (range->mapping.foreign)
            return zci_fail(&cuda->base.log, ZCS_ERR_ARG,
                            "memory %p: %zu bytes: overlaps %p, %zu bytes, which the application "
                            "pinned itself",
                            (void *)request->memory, request->bytes, (void *)range->mapping.memory,
                            range->mapping.bytes);
    }
    return ZCS_OK;
}

/* Under the lock: removes the ranges that overlap. The request grows to contain those with a
 * claim. */
static void detach_overlaps(struct zci_cuda *cuda, struct request *request, struct range **gone)
{
    struct zci_cuda_registrations *cache = cuda->registrations;
    const uint8_t *end = request->memory + request->bytes;
    const size_t place = zci_cuda_range_table_index(&cache->ranges, request->memory);
    while (place < cache->ranges.count && cache->ranges.table[place]->memory < end) {
        struct range *range = range_of(cache->ranges.table[place]);
        uint8_t *stop = request->memory + request->bytes,
                *range_stop = range->mapping.memory + range->mapping.bytes;
        const int fresh = is_fresh(range);
        if (!fresh && !range->release_pending) {
            cache->stats.remapped++;
            zci_log(&cuda->base.log, range->claims > 0 ? ZCS_LOG_WARNING : ZCS_LOG_DEBUG,
                    "memory %p: %zu bytes were unmapped while registered; registered again",
                    (void *)range->mapping.memory, range->mapping.bytes);
        }
        if (fresh && range->claims > 0) {
            request->claimed = 1;
            if (range->mapping.memory < request->memory)
                request->memory = range->mapping.memory;
            request->bytes = (size_t)((range_stop > stop ? range_stop : stop) - request->memory);
        }
        detach(cache, range, gone);
    }
}

/* Unregisters the range that was unused for the longest, if `bytes` more would exceed the
 * limits, or if `forced`. *fits: nothing has to be evicted. 1: a range was evicted. */
static int evict(struct zci_cuda *cuda, uint64_t bytes, int forced, int *fits)
{
    uint32_t kept;
    uint64_t cached_bytes;
    struct range *gone = NULL;
    struct zci_cuda_registrations *cache = lock(cuda);
    struct range *oldest = find_oldest(cache, &kept, &cached_bytes);
    *fits = !forced && kept < cache->max_cached && bytes <= cache->max_cached_bytes &&
            cached_bytes <= cache->max_cached_bytes - bytes;
    const int evicted = !*fits && oldest != NULL && (forced || bytes <= cache->max_cached_bytes);
    if (evicted) {
        cache->stats.evictions++;
        detach(cache, oldest, &gone);
    }
    unlock(cuda);
    unregister(cuda, gone);
    return evicted;
}

/* Frames at this address are copied for a while. */
static zcs_status refuse(struct zci_cuda *cuda, const struct request *request, const char *why)
{
    struct zci_cuda_registrations *cache = lock(cuda);
    cache->refusals[cache->next_refusal++ % REFUSALS] =
        (struct refusal){request->memory, request->bytes, zci_now_ns() + REFUSED_NS};
    const int first = cache->stats.refused == 0;
    unlock(cuda);
    zci_log(&cuda->base.log, first ? ZCS_LOG_WARNING : ZCS_LOG_DEBUG,
            "push: memory %p: %zu bytes are not registered (%s); frames in it are copied",
            (void *)request->memory, request->bytes, why);
    return ZCS_OK;
}

static zcs_status pin(struct zci_cuda *cuda, struct range *range, int claimed)
{
    int fits = 0;
    zcs_status status;
    do
        status = zci_cuda_pin(cuda, &range->mapping, claimed ? ZCS_LOG_ERROR : ZCS_LOG_DEBUG);
    while (status == ZCS_ERR_NOMEM && evict(cuda, range->mapping.bytes, 1, &fits));
    if (status == ZCS_ERR_NOMEM && claimed)
        return zci_fail(&cuda->base.log, status, "memory %p: %zu bytes cannot be pinned: no memory",
                        (void *)range->mapping.memory, range->mapping.bytes);
    return status;
}

static zcs_status insert(struct zci_cuda *cuda, struct range *range)
{
    struct zci_cuda_registrations *cache = lock(cuda);
    const zcs_status status = zci_cuda_range_table_insert(&cache->ranges, &range->mapping);
    range->used_at = ++cache->clock;
    cache->stats.misses++;
    for (struct claim *claim = cache->claims; claim != NULL && status == ZCS_OK;
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

/* `whole`: the request, and the ranges with a claim that it overlapped. */
static zcs_status register_range(struct zci_cuda *cuda, const struct request *whole,
                                 const struct request *request, struct range **out)
{
    int fits = whole->claimed;
    struct range *range = calloc(1, sizeof *range);
    if (range == NULL)
        return zci_fail(&cuda->base.log, ZCS_ERR_NOMEM, "memory %p: registration: no memory",
                        (void *)whole->memory);
    range->mapping.memory = whole->memory;
    range->mapping.bytes = whole->bytes;
    const unsigned shared = shared_pages(lock(cuda), range);
    unlock(cuda);
    range->tag = zci_mlock_tag_set(range->mapping.memory, range->mapping.bytes, shared);
    const char *why = "this system cannot detect that an address is mapped again";
    zcs_status status = range->tag == ZCI_MLOCK_TAG_NONE && !whole->claimed ? ZCS_AGAIN : ZCS_OK;
    while (status == ZCS_OK && !fits && evict(cuda, range->mapping.bytes, 0, &fits))
        continue;
    if (status == ZCS_OK && !fits) {
        why = "it exceeds the limits of the registration cache";
        status = ZCS_AGAIN;
    }
    if (status == ZCS_OK) {
        why = "CUDA cannot register it";
        status = pin(cuda, range, request->claimed);
    }
    if (status == ZCS_OK) {
        status = insert(cuda, range);
        if (status != ZCS_OK)
            zci_cuda_unpin(cuda, &range->mapping);
    }
    if (status == ZCS_OK) {
        *out = range;
        return ZCS_OK;
    }
    zci_mlock_tag_clear(range->tag, range->mapping.memory, range->mapping.bytes, shared);
    free(range);
    return request->claimed || status == ZCS_ERR_ARG ? status : refuse(cuda, request, why);
}

/* Under `work`: the range that contains the request, found or made. The caller counts the claim
 * or use, still under `work`. ZCS_AGAIN: a frame in flight is in a range that overlaps. ZCS_OK
 * with NULL: it cannot be cached, and no part of it is registered. */
static zcs_status find_or_register(struct zci_cuda *cuda, const struct request *request,
                                   struct range **out)
{
    struct request whole = *request;
    struct range *gone = NULL;
    unregister_released(cuda);
    struct zci_cuda_registrations *cache = lock(cuda);
    struct range *range =
        range_of(zci_cuda_range_table_cover(&cache->ranges, request->memory, request->bytes));
    if (range != NULL && is_fresh(range)) {
        cache->stats.hits++;
        range->used_at = ++cache->clock;
        unlock(cuda);
        *out = range;
        return ZCS_OK;
    }
    const zcs_status status = check_overlaps(cuda, request);
    if (status == ZCS_OK)
        detach_overlaps(cuda, &whole, &gone);
    unlock(cuda);
    unregister(cuda, gone);
    return status == ZCS_OK ? register_range(cuda, &whole, request, out) : status;
}

static struct claim **find_claim(struct zci_cuda_registrations *cache, const void *memory)
{
    struct claim **link = &cache->claims;
    while (*link != NULL && (*link)->memory != memory)
        link = &(*link)->next;
    return link;
}

static zcs_status make_claim(struct zci_cuda *cuda, void *memory, size_t bytes, struct claim **out)
{
    const struct zci_log *log = &cuda->base.log;
    struct claim *claim = *find_claim(cuda->registrations, memory);
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

static void count_claim(struct zci_cuda *cuda, struct claim *claim, struct range *range)
{
    struct zci_cuda_registrations *cache = lock(cuda);
    if (claim->count++ == 0) {
        claim->next = cache->claims;
        cache->claims = claim;
    }
    claim->range = range;
    range->claims++;
    range->release_pending = 0;
    unlock(cuda);
}

zcs_status zci_cuda_memory_register(struct zci_backend *backend, void *memory, size_t bytes)
{
    struct zci_cuda *cuda = zci_cuda_of(backend);
    const struct request request = {memory, bytes, 1};
    struct claim *claim = NULL;
    struct range *range = NULL;
    pthread_mutex_lock(&cuda->registrations->work);
    zcs_status status = make_claim(cuda, memory, bytes, &claim);
    if (status == ZCS_OK)
        status = find_or_register(cuda, &request, &range);
    if (status == ZCS_OK)
        count_claim(cuda, claim, range);
    else if (claim != NULL && claim->count == 0)
        free(claim);
    pthread_mutex_unlock(&cuda->registrations->work);
    return status != ZCS_AGAIN
               ? status
               : zci_fail(&backend->log, ZCS_ERR_BUSY,
                          "memory %p: %zu bytes: a frame in flight is in a range that overlaps it",
                          memory, bytes);
}

zcs_status zci_cuda_memory_release(struct zci_backend *backend, void *memory)
{
    struct zci_cuda *cuda = zci_cuda_of(backend);
    struct zci_cuda_registrations *cache = cuda->registrations;
    pthread_mutex_lock(&cache->work);
    lock(cuda);
    struct claim **link = find_claim(cache, memory), *claim = *link;
    const int known = claim != NULL;
    if (known && claim->range != NULL)
        claim->range->release_pending = --claim->range->claims == 0;
    if (known && --claim->count == 0) {
        *link = claim->next;
        free(claim);
    }
    unlock(cuda);
    unregister_released(cuda);
    pthread_mutex_unlock(&cache->work);
    return known ? ZCS_OK
                 : zci_fail(&backend->log, ZCS_ERR_ARG, "memory %p: is not registered", memory);
}

/* What the tables say without a call of CUDA or the operating system. */
struct lookup {
    struct range *range; /* contains the memory; its use is counted */
    int overlaps;        /* a range contains a part of it, or is stale */
    int refused;
    int own; /* the backend itself pinned it */
};

static struct lookup look_up(struct zci_cuda *cuda, const uint8_t *memory, size_t bytes)
{
    struct lookup seen = {.range = NULL};
    struct zci_cuda_registrations *cache = lock(cuda);
    const size_t place = zci_cuda_range_table_index(&cache->ranges, memory);
    struct range *range = range_of(zci_cuda_range_table_cover(&cache->ranges, memory, bytes));
    seen.overlaps =
        place < cache->ranges.count && cache->ranges.table[place]->memory < memory + bytes;
    const int gone = range != NULL &&
                     (range->stale || (range->release_pending && range->tag == ZCI_MLOCK_TAG_NONE));
    if (range != NULL && !gone) {
        range->uses++;
        range->used_at = ++cache->clock;
        seen.range = range;
    }
    seen.own = !seen.overlaps && zci_cuda_range_table_cover(&cuda->own, memory, bytes) != NULL;
    for (uint32_t i = 0; i < REFUSALS && !seen.overlaps && !seen.own; i++) {
        const struct refusal *refusal = &cache->refusals[i];
        if (refusal->memory == memory && refusal->bytes == bytes)
            seen.refused |= refusal->until_ns > zci_now_ns();
    }
    cache->stats.refused += (uint64_t)seen.refused;
    unlock(cuda);
    return seen;
}

/* 1: the mapping is still the registered one. */
static int confirm(struct zci_cuda *cuda, struct range *range)
{
    const int fresh = zci_mlock_tag_holds(range->tag, range->mapping.memory, range->mapping.bytes);
    struct zci_cuda_registrations *cache = lock(cuda);
    if (fresh) {
        cache->stats.hits++;
    } else {
        range->uses--;
        range->stale = 1;
    }
    unlock(cuda);
    return fresh;
}

static int is_pinned_elsewhere(struct zci_cuda *cuda, const void *memory)
{
    int previous;
    if (!zci_cuda_enter_quietly(cuda, 0, &previous))
        return 1;
    const int pinned = zci_cuda_is_pinned(cuda, memory);
    zci_cuda_leave(cuda, previous);
    return pinned;
}

static zcs_status register_for_frame(struct zci_cuda *cuda, void *memory, size_t bytes, void **out)
{
    struct zci_cuda_registrations *cache = cuda->registrations;
    const struct request request = {memory, bytes, 0};
    struct range *range = NULL;
    pthread_mutex_lock(&cache->work);
    const zcs_status status = find_or_register(cuda, &request, &range);
    lock(cuda);
    if (range != NULL)
        range->uses++;
    else if (status == ZCS_OK)
        cache->stats.refused++;
    unlock(cuda);
    pthread_mutex_unlock(&cache->work);
    *out = range;
    return status;
}

zcs_status zci_cuda_memory_use(struct zci_backend *backend, void *memory, size_t bytes, void **out)
{
    struct zci_cuda *cuda = zci_cuda_of(backend);
    const struct lookup seen = look_up(cuda, memory, bytes);
    *out = NULL;
    if (seen.range != NULL && confirm(cuda, seen.range)) {
        *out = seen.range;
        return ZCS_OK;
    }
    if (seen.own || (!seen.overlaps && (seen.refused || is_pinned_elsewhere(cuda, memory))))
        return ZCS_OK;
    return register_for_frame(cuda, memory, bytes, out);
}

void zci_cuda_memory_unuse(struct zci_backend *backend, void *use)
{
    struct zci_cuda *cuda = zci_cuda_of(backend);
    lock(cuda);
    ((struct range *)use)->uses--;
    unlock(cuda);
}

const void *zci_cuda_registration_find(struct zci_cuda *cuda, uint32_t device, const void *memory,
                                       size_t bytes)
{
    const uint8_t *at = memory, *seen = NULL;
    lock(cuda);
    const struct zci_cuda_mapping *mapping =
        zci_cuda_range_table_cover(&cuda->registrations->ranges, memory, bytes);
    if (mapping == NULL)
        mapping = zci_cuda_range_table_cover(&cuda->own, memory, bytes);
    if (mapping != NULL && mapping->device_pointers[device] != NULL)
        seen = (const uint8_t *)mapping->device_pointers[device] + (at - mapping->memory);
    unlock(cuda);
    return seen;
}

void zci_cuda_memory_limits(struct zci_backend *backend, uint32_t registrations, uint64_t bytes)
{
    struct zci_cuda *cuda = zci_cuda_of(backend);
    if (registrations > 0)
        cuda->registrations->max_cached = registrations;
    if (bytes > 0)
        cuda->registrations->max_cached_bytes = bytes;
}

void zci_cuda_memory_stats(struct zci_backend *backend, struct zcs_memory_stats *out)
{
    struct zci_cuda *cuda = zci_cuda_of(backend);
    const struct zci_cuda_registrations *cache = lock(cuda);
    *out = cache->stats;
    for (size_t i = 0; i < cache->ranges.count; i++) {
        out->ranges++;
        out->bytes += cache->ranges.table[i]->bytes;
    }
    unlock(cuda);
}

void zci_cuda_registrations_destroy(struct zci_cuda *cuda, int usable)
{
    struct zci_cuda_registrations *cache = cuda->registrations;
    if (cache == NULL)
        return;
    for (size_t i = 0; i < cache->ranges.count; i++) {
        struct range *range = range_of(cache->ranges.table[i]);
        zci_mlock_tag_clear(range->tag, range->mapping.memory, range->mapping.bytes, 0);
        if (usable)
            zci_cuda_unpin(cuda, &range->mapping);
        free(range);
    }
    while (cache->claims != NULL) {
        struct claim *claim = cache->claims;
        cache->claims = claim->next;
        free(claim);
    }
    zci_cuda_range_table_finish(&cache->ranges);
    pthread_mutex_destroy(&cache->work);
    free(cache);
    cuda->registrations = NULL;
}
