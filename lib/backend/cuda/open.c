/* SPDX-License-Identifier: MIT */
/* The CUDA backend's function table: opening, closing, its devices and their routes. */
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/registration.h"
#include "backend/cuda/cuda.h"
#include "backend/cuda/streams.h"
#include "backend/cuda/memory.h"
#include "backend/cuda/persistent.h"
#include "backend/cuda/group.h"

static void cuda_close(struct zci_backend *backend)
{
    struct zci_cuda *cuda = zci_cuda_of(backend);
    zci_cuda_memory_finish(cuda);
    zci_cuda_registrations_destroy(cuda, zci_fork_guard_same_process(&cuda->fork_guard));
    for (uint32_t i = 0; i < cuda->device_count; i++) {
        int previous;
        const int usable = zci_cuda_enter_quietly(cuda, i, &previous);
        zci_cuda_streams_finish(cuda, i, usable);
        if (usable)
            zci_cuda_leave(cuda, previous);
    }
    pthread_mutex_destroy(&cuda->digest_lock);
    pthread_mutex_destroy(&cuda->range_lock);
    pthread_mutex_destroy(&cuda->lock);
    zci_fork_guard_finish(&cuda->fork_guard);
    free(cuda);
}

static uint32_t cuda_device_count(const struct zci_backend *backend)
{
    return ((const struct zci_cuda *)backend)->device_count;
}

static void cuda_device_info(const struct zci_backend *backend, uint32_t device,
                             struct zcs_device_info *out)
{
    const struct zci_cuda_properties *properties =
        &((const struct zci_cuda *)backend)->devices[device].properties;
    *out = (struct zcs_device_info){
        .backend = ZCS_BACKEND_CUDA,
        .units = properties->sm_count,
        .memory_bytes = properties->memory_bytes,
        .driver = properties->driver,
        .integrated = properties->integrated,
        .node = properties->node,
        .can_map = properties->can_map,
        .toolkit = properties->toolkit,
    };
    memcpy(out->pci, properties->pci, sizeof out->pci);
    memcpy(out->name, properties->name, sizeof out->name);
}

static uint32_t cuda_routes(const struct zci_backend *backend, uint32_t device, uint32_t *automatic,
                            const char **reason)
{
    const struct zci_cuda_properties *properties =
        &((const struct zci_cuda *)backend)->devices[device].properties;
    const uint32_t mapped = 1u << ZCS_ROUTE_MAPPED;
    const uint32_t copying = 1u << ZCS_ROUTE_STAGED | 1u << ZCS_ROUTE_WHOLE;
    const uint32_t have = properties->can_map ? mapped | copying : copying;
    *automatic = properties->can_map && properties->integrated ? mapped : have;
    *reason = properties->integrated
                  ? "an integrated GPU reads host memory at its own memory's rate"
                  : "not measured";
    return have;
}

static const struct zci_backend_ops cuda_ops = {
    .name = "cuda",
    .id = ZCS_BACKEND_CUDA,
    .polled = 1,
    .close = cuda_close,
    .device_count = cuda_device_count,
    .device_info = cuda_device_info,
    .memory_alloc = zci_cuda_memory_alloc,
    .memory_free = zci_cuda_memory_free,
    .memory_register = zci_cuda_memory_register,
    .memory_release = zci_cuda_memory_release,
    .memory_use = zci_cuda_memory_use,
    .memory_unuse = zci_cuda_memory_unuse,
    .memory_limits = zci_cuda_memory_limits,
    .memory_stats = zci_cuda_memory_stats,
    .memory_digest = zci_cuda_memory_digest,
    .measure = &zci_cuda_measure,
    .routes = cuda_routes,
    .frame_ctx_create = zci_cuda_group_create,
    .frame_ctx_submit = zci_cuda_group_submit,
    .frame_ctx_poll = zci_cuda_group_poll,
    .frame_ctx_wait = zci_cuda_group_wait,
    .frame_ctx_destroy = zci_cuda_group_destroy,
    .frame_ctx_reserve = zci_cuda_frame_ctx_reserve,
    .reserve_refusal = zci_cuda_reserve_refusal,
};

static zcs_status find_devices(struct zci_cuda *cuda, const struct zci_log *log)
{
    int count = 0, error = cuda->api->device_count(&count);
    if (error != ZCI_CUDA_SUCCESS)
        cuda->api->last_error();
    if (error != ZCI_CUDA_SUCCESS || count < 1)
        return zci_fail(log, ZCS_ERR_UNSUPPORTED, "backend cuda: no device: %s (%d)%s",
                        error ? cuda->api->error_text(error) : "CUDA finds none", error,
                        error == ZCI_CUDA_OLD_DRIVER ? ": NVIDIA's driver is missing or too old"
                                                     : "");
    cuda->device_count = count < ZCS_MAX_DEVICES ? (uint32_t)count : ZCS_MAX_DEVICES;
    for (uint32_t i = 0; i < cuda->device_count; i++) {
        const zcs_status status = zci_cuda_check(
            cuda, i, cuda->api->device_properties((int)i, &cuda->devices[i].properties),
            "reading its properties");
        if (status != ZCS_OK)
            return status;
        zci_log(log, ZCS_LOG_INFO, "cuda device %u: %s, %u multiprocessors", i,
                cuda->devices[i].properties.name, cuda->devices[i].properties.sm_count);
    }
    return ZCS_OK;
}

zcs_status zci_cuda_open(const struct zci_cuda_api *api, const struct zci_log *log,
                         struct zci_backend **out)
{
    struct zci_cuda *cuda = calloc(1, sizeof *cuda);
    if (cuda == NULL)
        return zci_fail(log, ZCS_ERR_NOMEM, "backend cuda: no memory");
    struct zci_backend *backend = &cuda->base;
    backend->ops = &cuda_ops;
    backend->log = *log;
    atomic_init(&backend->refs, 1);
    cuda->api = api;
    zci_fork_guard_init(&cuda->fork_guard);
    pthread_mutex_init(&cuda->lock, NULL);
    pthread_mutex_init(&cuda->range_lock, NULL);
    pthread_mutex_init(&cuda->digest_lock, NULL);
    cuda->registrations = zci_cuda_registrations_create();
    const zcs_status status = cuda->registrations != NULL
                                  ? find_devices(cuda, log)
                                  : zci_fail(log, ZCS_ERR_NOMEM, "backend cuda: no memory");
    if (status != ZCS_OK)
        goto fail;
    *out = backend;
    return ZCS_OK;
fail:
    zci_backend_unref(&backend);
    return status;
}

zcs_status zci_backend_open_cuda(const struct zci_log *log, struct zci_backend **out)
{
    return zci_cuda_open(&zci_cuda_runtime, log, out);
}
