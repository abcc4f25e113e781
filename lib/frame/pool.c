/* SPDX-License-Identifier: MIT */
/* Frame slots: the list of slots at home, and how references bring them back. */
#include "frame/pool.h"

#include <pthread.h>
#include <stdlib.h>

#include "zcstream/cuda.h"
#include "backend/backend.h"
#include "os/numa.h"

struct zci_pool {
    struct zci_backend *backend; /* a reference */
    pthread_mutex_t lock;        /* of the members below */
    struct zci_slot *home;       /* most recently used first */
    uint32_t home_count;
    uint32_t count;
    struct zci_notifier *notifier; /* not owned; NULL: none */
    int dropped;
    void (*let_go)(void *user); /* NULL: no given memory, or none yet */
    void *let_go_user;
    struct zci_slot slots[];
};

zcs_status zci_frame_memory_use(struct zci_backend *backend, void *memory, size_t bytes, void **out)
{
    *out = NULL;
    if (backend->ops->memory_use == NULL)
        return ZCS_OK;
    return backend->ops->memory_use(backend, memory, bytes, out);
}

void zci_frame_memory_unuse(struct zci_backend *backend, void *use)
{
    if (use != NULL)
        backend->ops->memory_unuse(backend, use);
}

static void pool_free(struct zci_pool *pool)
{
    for (uint32_t i = 0; i < pool->count; i++) {
        struct zci_memory *memory = &pool->slots[i].memory;
        if (memory->bytes > 0)
            pool->backend->ops->memory_free(pool->backend, memory);
        else if (memory->host != NULL)
            (void)pool->backend->ops->memory_release(pool->backend, memory->host);
    }
    if (pool->let_go != NULL)
        pool->let_go(pool->let_go_user);
    zci_backend_unref(&pool->backend);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

/* Resets the frame of a slot, as it is before anybody has filled it. */
static void slot_clear(struct zci_slot *slot)
{
    const struct zci_memory *memory = &slot->memory;
    slot->frame = (struct zcs_frame){
        .host = memory->host, .device_data = memory->host, .memory = memory->kind};
    slot->cuda = (struct zcs_cuda_frame){.stream = NULL};
}

static zcs_status adopt(struct zci_backend *backend, void *given, size_t bytes,
                        struct zci_memory *out)
{
    const zcs_status status = backend->ops->memory_register(backend, given, bytes);
    if (status == ZCS_OK)
        *out = (struct zci_memory){
            .host = given,
            .kind = backend->ops->id == ZCS_BACKEND_HOST ? ZCS_MEMORY_PAGEABLE : ZCS_MEMORY_CACHED};
    return status;
}

static zcs_status slot_make(struct zci_pool *pool, const struct zci_pool_params *params)
{
    struct zci_slot *slot = &pool->slots[pool->count];
    struct zci_backend *backend = pool->backend;
    struct zci_numa_hold hold;
    zcs_status status = ZCS_OK;
    slot->node = params->node_count ? params->nodes[pool->count % params->node_count] : -1;
    zci_numa_prefer(slot->node, &hold);
    if (params->given != NULL)
        status = adopt(backend, params->given[pool->count], params->bytes, &slot->memory);
    else if (params->bytes > 0)
        status = backend->ops->memory_alloc(backend, params->role, params->bytes, &slot->memory);
    zci_numa_restore(&hold);
    if (status != ZCS_OK)
        return status;
    slot->pool = pool;
    slot->index = pool->count++;
    pool->home_count++;
    slot_clear(slot);
    return ZCS_OK;
}

static zcs_status short_of_memory(const struct zci_pool_params *params, uint32_t made)
{
    const int enough = made > 0 && made >= params->min;
    zci_log(&params->backend->log, enough ? ZCS_LOG_WARNING : ZCS_LOG_ERROR,
            "%s: %u of %zu bytes: no memory; %u made%s", params->what, params->count, params->bytes,
            made, enough ? "" : ", too few");
    return enough ? ZCS_OK : ZCS_ERR_NOMEM;
}

static zcs_status make_slots(struct zci_pool *pool, const struct zci_pool_params *params)
{
    while (pool->count < params->count) {
        const zcs_status status = slot_make(pool, params);
        if (status == ZCS_ERR_NOMEM)
            return short_of_memory(params, pool->count);
        if (status != ZCS_OK)
            return status;
    }
    return ZCS_OK;
}

/* Links slots in reverse, so that slot 0 is taken first and slots that are never needed stay
 * untouched. */
static void link_home(struct zci_pool *pool)
{
    for (uint32_t i = pool->count; i-- > 0;) {
        pool->slots[i].next_home = pool->home;
        pool->home = &pool->slots[i];
    }
}

zcs_status zci_pool_create(const struct zci_pool_params *params, struct zci_pool **out)
{
    struct zci_pool *pool = calloc(1, sizeof *pool + (size_t)params->count * sizeof pool->slots[0]);
    if (pool == NULL)
        return short_of_memory(params, 0);
    pool->backend = zci_backend_ref(params->backend);
    pthread_mutex_init(&pool->lock, NULL);
    const zcs_status status = make_slots(pool, params);
    if (status != ZCS_OK)
        goto fail;
    link_home(pool);
    pool->let_go = params->let_go;
    pool->let_go_user = params->let_go_user;
    *out = pool;
    return ZCS_OK;
fail:
    zci_pool_drop(&pool);
    return status;
}

void zci_pool_drop(struct zci_pool **pool)
{
    struct zci_pool *held = *pool;
    if (held == NULL)
        return;
    *pool = NULL;
    pthread_mutex_lock(&held->lock);
    held->dropped = 1;
    const int last = held->home_count == held->count;
    pthread_mutex_unlock(&held->lock);
    if (last)
        pool_free(held);
}

struct zci_slot *zci_pool_take(struct zci_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    struct zci_slot *slot = pool->home;
    if (slot != NULL) {
        pool->home = slot->next_home;
        pool->home_count--;
    }
    pthread_mutex_unlock(&pool->lock);
    if (slot == NULL)
        return NULL;
    slot->next_home = NULL;
    slot_clear(slot);
    atomic_store_explicit(&slot->refs, 1, memory_order_relaxed);
    return slot;
}

uint32_t zci_pool_count(const struct zci_pool *pool)
{
    return pool->count;
}

struct zci_slot *zci_pool_slot(struct zci_pool *pool, uint32_t index)
{
    return &pool->slots[index];
}

uint32_t zci_pool_home_count(struct zci_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    const uint32_t count = pool->home_count;
    pthread_mutex_unlock(&pool->lock);
    return count;
}

void zci_pool_set_notifier(struct zci_pool *pool, struct zci_notifier *notifier)
{
    pthread_mutex_lock(&pool->lock);
    pool->notifier = notifier;
    pthread_mutex_unlock(&pool->lock);
}

struct zci_notifier *zci_pool_notifier(struct zci_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    struct zci_notifier *notifier = pool->notifier;
    pthread_mutex_unlock(&pool->lock);
    return notifier;
}

void zci_slot_ref(struct zci_slot *slot)
{
    atomic_fetch_add_explicit(&slot->refs, 1, memory_order_relaxed);
}

/* Called under the lock, so that the notifier may be freed once the owner has dropped the pool or
 * removed the notifier. */
static void ring(const struct zci_pool *pool)
{
    if (pool->notifier != NULL && !pool->dropped)
        zci_notifier_signal(pool->notifier);
}

static void go_home(struct zci_slot *slot)
{
    struct zci_pool *pool = slot->pool;
    pthread_mutex_lock(&pool->lock);
    slot->next_home = pool->home;
    pool->home = slot;
    pool->home_count++;
    ring(pool);
    const int last = pool->dropped && pool->home_count == pool->count;
    pthread_mutex_unlock(&pool->lock);
    if (last)
        pool_free(pool);
}

void zci_slot_unref(struct zci_slot *slot)
{
    if (atomic_fetch_sub_explicit(&slot->refs, 1, memory_order_acq_rel) != 1)
        return;
    zci_frame_memory_unuse(slot->pool->backend, slot->use);
    slot->use = NULL;
    const zcs_release_fn release = slot->release;
    slot->release = NULL;
    if (release != NULL)
        release(slot->release_user, slot->release_memory);
    go_home(slot);
}

/* A frame is its slot's first member, and every slot is writable memory of a pool. */
static struct zci_slot *slot_of(const struct zcs_frame *frame)
{
    return (struct zci_slot *)(uintptr_t)frame;
}

const struct zcs_frame *zcs_frame_ref(const struct zcs_frame *frame)
{
    zci_slot_ref(slot_of(frame));
    return frame;
}

void zcs_frame_unref(const struct zcs_frame **frame)
{
    const struct zcs_frame *held = *frame;
    *frame = NULL;
    if (held != NULL)
        zci_slot_unref(slot_of(held));
}

/* No log: the frame may have outlived its context. */
zcs_status zcs_frame_cuda(const struct zcs_frame *frame, struct zcs_cuda_frame *out)
{
    if (frame == NULL || out == NULL)
        return ZCS_ERR_ARG;
    const struct zci_slot *slot = slot_of(frame);
    if (slot->cuda.stream == NULL)
        return ZCS_ERR_UNSUPPORTED;
    *out = slot->cuda;
    return ZCS_OK;
}
