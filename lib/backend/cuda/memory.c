/* SPDX-License-Identifier: MIT */
/* Memory by role over cudaHostAlloc and cudaMalloc. */
#include "backend/cuda/memory.h"

#include <stdlib.h>
#include <unistd.h>

#include "backend/cuda/cuda.h"

/* The handle of pinned memory is its struct zci_cuda_mapping, DEVICE memory's the memory itself. */

static zcs_status ask_address(struct zci_cuda *cuda, uint32_t device, void *host, void **seen)
{
    int previous;
    zcs_status status = zci_cuda_enter(cuda, device, &previous);
    if (status != ZCS_OK)
        return status;
    status = zci_cuda_check(cuda, device, cuda->api->host_device_pointer(seen, host),
                            "asking for pinned memory's address");
    if (status != ZCS_OK)
        *seen = NULL;
    zci_cuda_leave(cuda, previous);
    return status;
}

/* A device that does not answer is one that cannot read it; one at least must, of those that could. */
static zcs_status ask_addresses(struct zci_cuda *cuda, void *host, struct zci_cuda_mapping *mapping)
{
    zcs_status failure = ZCS_OK;
    uint32_t answers = 0;
    for (uint32_t i = 0; i < cuda->device_count; i++) {
        if (atomic_load(&cuda->devices[i].lost) || !cuda->devices[i].facts.can_map)
            continue;
        const zcs_status status = ask_address(cuda, i, host, &mapping->seen[i]);
        answers += status == ZCS_OK;
        failure = status != ZCS_OK ? status : failure;
    }
    return answers > 0 ? ZCS_OK : failure;
}

static zcs_status make_known(struct zci_cuda *cuda, struct zci_cuda_mapping *mapping)
{
    pthread_mutex_lock(&cuda->registrations.lock);
    const zcs_status status = zci_cuda_range_table_insert(&cuda->registrations.own, mapping);
    pthread_mutex_unlock(&cuda->registrations.lock);
    return status;
}

static void make_unknown(struct zci_cuda *cuda, const struct zci_cuda_mapping *mapping)
{
    if (mapping == NULL)
        return;
    pthread_mutex_lock(&cuda->registrations.lock);
    zci_cuda_range_table_remove(&cuda->registrations.own, mapping);
    pthread_mutex_unlock(&cuda->registrations.lock);
}

/* `device` is current. */
static zcs_status alloc_pinned(struct zci_cuda *cuda, uint32_t device, struct zci_memory *memory)
{
    struct zci_cuda_mapping *mapping = calloc(1, sizeof *mapping);
    if (mapping == NULL)
        return ZCS_ERR_NOMEM;
    memory->handle = mapping;
    const int error =
        cuda->api->host_alloc(&memory->host, memory->bytes, memory->kind == ZCS_MEMORY_WC);
    if (error == ZCI_CUDA_NO_MEMORY)
        return zci_cuda_classify(cuda, device, error);
    zcs_status status = zci_cuda_check(cuda, device, error, "pinning memory");
    if (status == ZCS_OK)
        status = ask_addresses(cuda, memory->host, mapping);
    mapping->memory = memory->host;
    mapping->bytes = memory->bytes;
    return status == ZCS_OK ? make_known(cuda, mapping) : status;
}

/* Pinned memory is any device's: the first that is not lost makes it. */
static uint32_t maker_of(const struct zci_cuda *cuda, enum zcs_role role)
{
    for (uint32_t i = 0; i < cuda->device_count && role != ZCS_ROLE_DEVICE; i++)
        if (!atomic_load(&cuda->devices[i].lost))
            return i;
    return 0;
}

static zcs_status alloc_device(struct zci_cuda *cuda, struct zci_memory *memory)
{
    const int error = cuda->api->device_alloc(&memory->handle, memory->bytes);
    if (error == ZCI_CUDA_NO_MEMORY)
        return zci_cuda_classify(cuda, 0, error);
    return zci_cuda_check(cuda, 0, error, "taking device memory");
}

zcs_status zci_cuda_memory_alloc(struct zci_backend *backend, enum zcs_role role, size_t bytes,
                                 struct zci_memory *out)
{
    struct zci_cuda *cuda = zci_cuda_of(backend);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (bytes > SIZE_MAX - page)
        return ZCS_ERR_NOMEM;
    struct zci_memory memory = {.bytes = (bytes + page - 1) / page * page, .role = role};
    memory.kind = role == ZCS_ROLE_DEVICE   ? ZCS_MEMORY_DEVICE
                  : role == ZCS_ROLE_INGEST ? ZCS_MEMORY_WC
                                            : ZCS_MEMORY_CACHED;
    const uint32_t device = maker_of(cuda, role);
    int previous;
    zcs_status status = zci_cuda_enter(cuda, device, &previous);
    if (status != ZCS_OK)
        return status;
    status =
        role == ZCS_ROLE_DEVICE ? alloc_device(cuda, &memory) : alloc_pinned(cuda, device, &memory);
    zci_cuda_leave(cuda, previous);
    if (status != ZCS_OK)
        goto fail;
    *out = memory;
    return ZCS_OK;
fail:
    zci_cuda_memory_free(backend, &memory);
    return status;
}

/* It may be any device's error, and nobody waits for this. */
static void forget(struct zci_cuda *cuda, int error)
{
    if (error != ZCI_CUDA_SUCCESS)
        cuda->api->last_error();
}

void zci_cuda_memory_free(struct zci_backend *backend, struct zci_memory *memory)
{
    struct zci_cuda *cuda = zci_cuda_of(backend);
    int previous;
    const uint32_t device = maker_of(cuda, memory->role);
    if (memory->kind != ZCS_MEMORY_DEVICE)
        make_unknown(cuda, memory->handle);
    const int usable = zci_cuda_enter_quietly(cuda, device, &previous);
    if (usable && memory->host != NULL)
        forget(cuda, cuda->api->host_free(memory->host));
    if (memory->kind != ZCS_MEMORY_DEVICE)
        free(memory->handle);
    else if (usable && memory->handle != NULL)
        forget(cuda, cuda->api->device_free(memory->handle));
    if (usable)
        zci_cuda_leave(cuda, previous);
    *memory = (struct zci_memory){0};
}

void *zci_cuda_memory_seen(const struct zci_memory *memory, uint32_t device)
{
    if (memory->kind == ZCS_MEMORY_DEVICE)
        return device == 0 ? memory->handle : NULL;
    return ((const struct zci_cuda_mapping *)memory->handle)->seen[device];
}
