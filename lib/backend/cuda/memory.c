/* SPDX-License-Identifier: MIT */
/* Memory by role, pinning, reusable report memory, and the digest of memory as a kernel reads
 * it. */
#include "backend/cuda/memory.h"

#include <stdlib.h>
#include <unistd.h>

#include "backend/cuda/cuda.h"
#include "backend/cuda/streams.h"
#include "kernels/cuda/measure.h"

/* --- by role --- */

/* zci_memory.handle: a struct zci_cuda_mapping for pinned memory, the address itself for DEVICE
 * memory. */

static zcs_status find_device_pointer(struct zci_cuda *cuda, uint32_t device, void *host,
                                      void **seen)
{
    int previous;
    zcs_status status = zci_cuda_enter(cuda, device, &previous);
    if (status != ZCS_OK)
        return status;
    status = zci_cuda_check(cuda, device, cuda->api->host_device_pointer(seen, host),
                            "getting the device address of pinned memory");
    if (status != ZCS_OK)
        *seen = NULL;
    zci_cuda_leave(cuda, previous);
    return status;
}

/* For each device that maps host memory. `need_all`: one failure is a failure; else one success
 * is enough, and the other devices cannot read the memory. */
static zcs_status find_device_pointers(struct zci_cuda *cuda, void *host, int need_all,
                                       struct zci_cuda_mapping *mapping)
{
    zcs_status failure = ZCS_OK;
    uint32_t found = 0;
    for (uint32_t i = 0; i < cuda->device_count; i++) {
        if (atomic_load(&cuda->devices[i].lost) || !cuda->devices[i].properties.can_map)
            continue;
        const zcs_status status = find_device_pointer(cuda, i, host, &mapping->device_pointers[i]);
        if (status != ZCS_OK && need_all)
            return status;
        found += status == ZCS_OK;
        failure = status != ZCS_OK ? status : failure;
    }
    return found > 0 ? ZCS_OK : failure;
}

static zcs_status add_own(struct zci_cuda *cuda, struct zci_cuda_mapping *mapping)
{
    pthread_mutex_lock(&cuda->range_lock);
    const zcs_status status = zci_cuda_range_table_insert(&cuda->own, mapping);
    pthread_mutex_unlock(&cuda->range_lock);
    return status;
}

static void remove_own(struct zci_cuda *cuda, const struct zci_cuda_mapping *mapping)
{
    if (mapping == NULL)
        return;
    pthread_mutex_lock(&cuda->range_lock);
    zci_cuda_range_table_remove(&cuda->own, mapping);
    pthread_mutex_unlock(&cuda->range_lock);
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
        status = find_device_pointers(cuda, memory->host, 0, mapping);
    mapping->memory = memory->host;
    mapping->bytes = memory->bytes;
    return status == ZCS_OK ? add_own(cuda, mapping) : status;
}

/* All devices share pinned memory: the first device that is not lost allocates it. */
static uint32_t allocating_device(const struct zci_cuda *cuda, enum zcs_role role)
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
    return zci_cuda_check(cuda, 0, error, "allocating device memory");
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
    const uint32_t device = allocating_device(cuda, role);
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

/* The error may belong to any device, and no caller waits for the result. */
static void forget(struct zci_cuda *cuda, int error)
{
    if (error != ZCI_CUDA_SUCCESS)
        cuda->api->last_error();
}

void zci_cuda_memory_free(struct zci_backend *backend, struct zci_memory *memory)
{
    struct zci_cuda *cuda = zci_cuda_of(backend);
    int previous;
    const uint32_t device = allocating_device(cuda, memory->role);
    if (memory->kind != ZCS_MEMORY_DEVICE)
        remove_own(cuda, memory->handle);
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

void *zci_cuda_device_pointer(const struct zci_memory *memory, uint32_t device)
{
    if (memory->kind == ZCS_MEMORY_DEVICE)
        return device == 0 ? memory->handle : NULL;
    return ((const struct zci_cuda_mapping *)memory->handle)->device_pointers[device];
}

/* --- memory of the caller --- */

int zci_cuda_is_pinned(struct zci_cuda *cuda, const void *memory)
{
    int pinned = 0;
    if (cuda->api->is_pinned(&pinned, memory) != ZCI_CUDA_SUCCESS)
        cuda->api->last_error();
    return pinned;
}

/* host_register failed. The memory may be registered already, or come from CUDA's own allocator,
 * which CUDA reports as an invalid argument. Both are fine if all of the memory is pinned; its
 * first and last byte tell. */
static zcs_status explain_failure(struct zci_cuda *cuda, struct zci_cuda_mapping *mapping,
                                  int error, enum zcs_log_level level)
{
    const struct zci_log *log = &cuda->base.log;
    const zcs_status status = zci_cuda_classify(cuda, 0, error);
    if (status == ZCS_ERR_NOMEM)
        return status;
    const int first = zci_cuda_is_pinned(cuda, mapping->memory);
    const int last = zci_cuda_is_pinned(cuda, mapping->memory + mapping->bytes - 1);
    if (first && last) {
        mapping->foreign = 1;
        return ZCS_OK;
    }
    if (first || last || error == ZCI_CUDA_ALREADY_REGISTERED)
        return zci_fail(log, ZCS_ERR_ARG,
                        "memory %p: %zu bytes: a part of them is registered with CUDA, outside "
                        "this context",
                        (void *)mapping->memory, mapping->bytes);
    zci_log(log, level, "memory %p: %zu bytes cannot be registered: %s (%d)",
            (void *)mapping->memory, mapping->bytes, cuda->api->error_text(error), error);
    return status;
}

zcs_status zci_cuda_pin(struct zci_cuda *cuda, struct zci_cuda_mapping *mapping,
                        enum zcs_log_level level)
{
    int previous;
    zcs_status status = zci_cuda_enter(cuda, 0, &previous);
    if (status != ZCS_OK)
        return status;
    const int error = cuda->api->host_register(mapping->memory, mapping->bytes);
    if (error != ZCI_CUDA_SUCCESS)
        status = explain_failure(cuda, mapping, error, level);
    zci_cuda_leave(cuda, previous);
    if (status != ZCS_OK)
        return status;
    status = find_device_pointers(cuda, mapping->memory, 1, mapping);
    if (status != ZCS_OK)
        zci_cuda_unpin(cuda, mapping);
    return status;
}

void zci_cuda_unpin(struct zci_cuda *cuda, const struct zci_cuda_mapping *mapping)
{
    int previous;
    if (mapping->foreign || !zci_cuda_enter_quietly(cuda, 0, &previous))
        return;
    zci_cuda_classify(cuda, 0, cuda->api->host_unregister(mapping->memory));
    zci_cuda_leave(cuda, previous);
}

/* --- memory for reports --- */

struct zci_cuda_report_memory {
    struct zci_cuda_report_memory *next;
    struct zci_memory memory;
};

static struct zci_cuda_report_memory *pop(struct zci_cuda *cuda)
{
    pthread_mutex_lock(&cuda->lock);
    struct zci_cuda_report_memory *spare = cuda->spare_reports;
    if (spare != NULL)
        cuda->spare_reports = spare->next;
    pthread_mutex_unlock(&cuda->lock);
    return spare;
}

/* Frees spare memory that this device cannot access: it was pinned while the device failed. */
zcs_status zci_cuda_report_memory_take(struct zci_cuda *cuda, uint32_t device,
                                       struct zci_memory *out)
{
    struct zci_cuda_report_memory *spare;
    while ((spare = pop(cuda)) != NULL) {
        struct zci_memory memory = spare->memory;
        free(spare);
        if (!cuda->devices[device].properties.can_map ||
            zci_cuda_device_pointer(&memory, device) != NULL) {
            *out = memory;
            return ZCS_OK;
        }
        zci_cuda_memory_free(&cuda->base, &memory);
    }
    return zci_cuda_memory_alloc(&cuda->base, ZCS_ROLE_READBACK, ZCI_CUDA_REPORT_BYTES, out);
}

void zci_cuda_report_memory_give(struct zci_cuda *cuda, struct zci_memory *memory)
{
    if (memory->bytes == 0)
        return;
    struct zci_cuda_report_memory *spare = calloc(1, sizeof *spare);
    if (spare == NULL) {
        zci_cuda_memory_free(&cuda->base, memory);
        return;
    }
    spare->memory = *memory;
    *memory = (struct zci_memory){0};
    pthread_mutex_lock(&cuda->lock);
    spare->next = cuda->spare_reports;
    cuda->spare_reports = spare;
    pthread_mutex_unlock(&cuda->lock);
}

static void finish_report_memory(struct zci_cuda *cuda)
{
    for (struct zci_cuda_report_memory *spare; (spare = pop(cuda)) != NULL; free(spare))
        zci_cuda_memory_free(&cuda->base, &spare->memory);
}

/* --- digest: memory as a kernel reads it --- */

/* Under zci_cuda.digest_lock. */
static zcs_status make_sums(struct zci_cuda *cuda)
{
    if (cuda->digest_sums.bytes > 0)
        return ZCS_OK;
    const zcs_status status =
        zci_cuda_memory_alloc(&cuda->base, ZCS_ROLE_READBACK,
                              ZCK_CUDA_DIGEST_BLOCKS * sizeof(uint64_t), &cuda->digest_sums);
    return status == ZCS_ERR_NOMEM ? zci_fail(&cuda->base.log, status,
                                              "cuda: no pinned memory for the digest of a slot")
                                   : status;
}

/* The device is current. */
static zcs_status run_digest(struct zci_cuda *cuda, uint32_t device, struct zck_cuda_digest *probe)
{
    struct zci_cuda_kernel_stream *stream = NULL;
    void *arguments[] = {probe};
    zcs_status status = zci_cuda_kernel_stream_take(cuda, device, &stream);
    if (status != ZCS_OK)
        return status;
    int error = cuda->api->launch(zck_cuda_digest_kernel(), ZCK_CUDA_DIGEST_BLOCKS,
                                  ZCK_CUDA_DIGEST_THREADS, arguments, stream->handle);
    if (error == ZCI_CUDA_SUCCESS)
        error = cuda->api->stream_wait(stream->handle);
    zci_cuda_kernel_stream_give(cuda, device, stream);
    return zci_cuda_check(cuda, device, error, "reading a slot");
}

static zcs_status digest(struct zci_cuda *cuda, uint32_t device, struct zck_cuda_digest *probe,
                         uint64_t *out)
{
    zcs_status status = make_sums(cuda);
    if (status != ZCS_OK)
        return status;
    probe->sums = zci_cuda_device_pointer(&cuda->digest_sums, device);
    status = run_digest(cuda, device, probe);
    if (status != ZCS_OK)
        return status;
    const uint64_t *sums = cuda->digest_sums.host;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < ZCK_CUDA_DIGEST_BLOCKS; i++)
        sum += sums[i];
    *out = sum;
    return ZCS_OK;
}

zcs_status zci_cuda_memory_digest(struct zci_backend *backend, uint32_t device,
                                  const struct zci_memory *memory, size_t bytes, uint64_t *out)
{
    struct zci_cuda *cuda = zci_cuda_of(backend);
    struct zck_cuda_digest probe = {.memory = zci_cuda_device_pointer(memory, device),
                                    .words = bytes / 16};
    int previous;
    if (probe.memory == NULL)
        return ZCS_ERR_UNSUPPORTED;
    zcs_status status = zci_cuda_enter(cuda, device, &previous);
    if (status != ZCS_OK)
        return status;
    pthread_mutex_lock(&cuda->digest_lock);
    status = digest(cuda, device, &probe, out);
    pthread_mutex_unlock(&cuda->digest_lock);
    zci_cuda_leave(cuda, previous);
    return status;
}

static void finish_digest(struct zci_cuda *cuda)
{
    if (cuda->digest_sums.bytes > 0)
        zci_cuda_memory_free(&cuda->base, &cuda->digest_sums);
}

void zci_cuda_memory_finish(struct zci_cuda *cuda)
{
    finish_digest(cuda);
    finish_report_memory(cuda);
    zci_cuda_range_table_finish(&cuda->own);
}
