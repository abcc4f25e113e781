/* SPDX-License-Identifier: MIT */
/* Registered ranges: once with CUDA, found again by address. */
#include "backend/cuda/ranges.h"

#include <stdlib.h>

#include "backend/cuda/cuda.h"

struct zci_cuda_range {
    struct zci_cuda_range *next;
    uint8_t *memory;
    size_t bytes;
    uint64_t count;
    int foreign;                          /* pinned by somebody else, whose it stays */
    const uint8_t *seen[ZCS_MAX_DEVICES]; /* by kernels of each device; NULL: not at all */
};

static struct zci_cuda_range **find(struct zci_cuda *cuda, const void *memory)
{
    struct zci_cuda_range **link = &cuda->ranges.first;
    while (*link != NULL && (*link)->memory != memory)
        link = &(*link)->next;
    return link;
}

/* The device address is asked for with each device current: it may differ. */
static zcs_status ask_addresses(struct zci_cuda *cuda, struct zci_cuda_range *range)
{
    for (uint32_t i = 0; i < cuda->device_count; i++) {
        int previous;
        if (atomic_load(&cuda->devices[i].lost) || !cuda->devices[i].facts.can_map)
            continue;
        zcs_status status = zci_cuda_enter(cuda, i, &previous);
        if (status != ZCS_OK)
            return status;
        void *seen = NULL;
        status = zci_cuda_check(cuda, i, cuda->api->host_device_pointer(&seen, range->memory),
                                "asking for a registered range's address");
        zci_cuda_leave(cuda, previous);
        if (status != ZCS_OK)
            return status;
        range->seen[i] = seen;
    }
    return ZCS_OK;
}

/* Registered already, or, which CUDA calls an invalid argument, from its own allocator. */
static int is_foreign(struct zci_cuda *cuda, int error, const void *memory)
{
    int pinned = 0;
    if (error == ZCI_CUDA_ALREADY_REGISTERED)
        return 1;
    if (cuda->api->is_pinned(&pinned, memory) != ZCI_CUDA_SUCCESS)
        cuda->api->last_error();
    return pinned;
}

static zcs_status pin(struct zci_cuda *cuda, struct zci_cuda_range *range)
{
    int previous;
    zcs_status status = zci_cuda_enter(cuda, 0, &previous);
    if (status != ZCS_OK)
        return status;
    const int error = cuda->api->host_register(range->memory, range->bytes);
    range->foreign = error != ZCI_CUDA_SUCCESS && is_foreign(cuda, error, range->memory);
    if (range->foreign)
        cuda->api->last_error();
    else
        status = zci_cuda_check(cuda, 0, error, "registering memory");
    zci_cuda_leave(cuda, previous);
    if (status != ZCS_OK)
        zci_log(&cuda->base.log, ZCS_LOG_ERROR, "memory %p: %zu bytes cannot be registered",
                (void *)range->memory, range->bytes);
    return status;
}

static void unpin(struct zci_cuda *cuda, struct zci_cuda_range *range)
{
    int previous;
    if (range->foreign || !zci_cuda_enter_quietly(cuda, 0, &previous))
        return;
    zci_cuda_judge(cuda, 0, cuda->api->host_unregister(range->memory));
    zci_cuda_leave(cuda, previous);
}

static zcs_status add(struct zci_cuda *cuda, void *memory, size_t bytes)
{
    struct zci_cuda_range *range = calloc(1, sizeof *range);
    if (range == NULL)
        return zci_fail(&cuda->base.log, ZCS_ERR_NOMEM, "memory %p: registration: no memory",
                        memory);
    range->memory = memory;
    range->bytes = bytes;
    range->count = 1;
    zcs_status status = pin(cuda, range);
    if (status == ZCS_OK) {
        status = ask_addresses(cuda, range);
        if (status != ZCS_OK)
            unpin(cuda, range);
    }
    if (status != ZCS_OK) {
        free(range);
        return status;
    }
    range->next = cuda->ranges.first;
    cuda->ranges.first = range;
    return ZCS_OK;
}

zcs_status zci_cuda_memory_register(struct zci_backend *backend, void *memory, size_t bytes)
{
    struct zci_cuda *cuda = zci_cuda_of(backend);
    zcs_status status = ZCS_OK;
    pthread_mutex_lock(&cuda->lock);
    struct zci_cuda_range *range = *find(cuda, memory);
    if (range == NULL)
        status = add(cuda, memory, bytes);
    else if (range->bytes != bytes)
        status = zci_fail(&backend->log, ZCS_ERR_ARG,
                          "memory %p: registered with %zu bytes, now with %zu", memory,
                          range->bytes, bytes);
    else
        range->count++;
    pthread_mutex_unlock(&cuda->lock);
    return status;
}

zcs_status zci_cuda_memory_release(struct zci_backend *backend, void *memory)
{
    struct zci_cuda *cuda = zci_cuda_of(backend);
    pthread_mutex_lock(&cuda->lock);
    struct zci_cuda_range **link = find(cuda, memory), *range = *link;
    const int known = range != NULL;
    if (known && --range->count == 0) {
        *link = range->next;
        unpin(cuda, range);
        free(range);
    }
    pthread_mutex_unlock(&cuda->lock);
    return known ? ZCS_OK
                 : zci_fail(&backend->log, ZCS_ERR_ARG, "memory %p: is not registered", memory);
}

const void *zci_cuda_ranges_find(struct zci_cuda *cuda, uint32_t device, const void *memory,
                                 size_t bytes)
{
    const uint8_t *at = memory, *seen = NULL;
    pthread_mutex_lock(&cuda->lock);
    for (struct zci_cuda_range *range = cuda->ranges.first; range != NULL; range = range->next) {
        if (at < range->memory || (size_t)(at - range->memory) > range->bytes ||
            range->bytes - (size_t)(at - range->memory) < bytes || range->seen[device] == NULL)
            continue;
        seen = range->seen[device] + (at - range->memory);
        break;
    }
    pthread_mutex_unlock(&cuda->lock);
    return seen;
}

void zci_cuda_ranges_finish(struct zci_cuda *cuda, int usable)
{
    while (cuda->ranges.first != NULL) {
        struct zci_cuda_range *range = cuda->ranges.first;
        cuda->ranges.first = range->next;
        if (usable)
            unpin(cuda, range);
        free(range);
    }
}
