/* SPDX-License-Identifier: MIT */
/* Pinning the caller's memory: cudaHostRegister, what its errors mean, and the devices' addresses. */
#include "backend/cuda/pin.h"

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
        status =
            zci_cuda_check(cuda, i, cuda->api->host_device_pointer(&seen, range->mapping.memory),
                           "asking for a registered range's address");
        zci_cuda_leave(cuda, previous);
        if (status != ZCS_OK)
            return status;
        range->mapping.seen[i] = seen;
    }
    return ZCS_OK;
}

int zci_cuda_is_pinned(struct zci_cuda *cuda, const void *memory)
{
    int pinned = 0;
    if (cuda->api->is_pinned(&pinned, memory) != ZCI_CUDA_SUCCESS)
        cuda->api->last_error();
    return pinned;
}

/* Registered already, or, which CUDA calls an invalid argument, from its own allocator. Both are the same
 * to us if all of it is, of which the ends are a sign. */
static zcs_status judge(struct zci_cuda *cuda, struct zci_cuda_range *range, int error,
                        enum zcs_log_level level)
{
    const struct zci_log *log = &cuda->base.log;
    const zcs_status status = zci_cuda_classify(cuda, 0, error);
    if (status == ZCS_ERR_NOMEM)
        return status;
    const int first = zci_cuda_is_pinned(cuda, range->mapping.memory);
    const int last = zci_cuda_is_pinned(cuda, range->mapping.memory + range->mapping.bytes - 1);
    if (first && last) {
        range->foreign = 1;
        return ZCS_OK;
    }
    if (first || last || error == ZCI_CUDA_ALREADY_REGISTERED)
        return zci_fail(log, ZCS_ERR_ARG,
                        "memory %p: %zu bytes: a part of them is registered with CUDA, outside "
                        "this context",
                        (void *)range->mapping.memory, range->mapping.bytes);
    zci_log(log, level, "memory %p: %zu bytes cannot be registered: %s (%d)",
            (void *)range->mapping.memory, range->mapping.bytes, cuda->api->error_text(error),
            error);
    return status;
}

zcs_status zci_cuda_pin(struct zci_cuda *cuda, struct zci_cuda_range *range,
                        enum zcs_log_level level)
{
    int previous;
    zcs_status status = zci_cuda_enter(cuda, 0, &previous);
    if (status != ZCS_OK)
        return status;
    const int error = cuda->api->host_register(range->mapping.memory, range->mapping.bytes);
    if (error != ZCI_CUDA_SUCCESS)
        status = judge(cuda, range, error, level);
    zci_cuda_leave(cuda, previous);
    if (status != ZCS_OK)
        return status;
    status = ask_addresses(cuda, range);
    if (status != ZCS_OK)
        zci_cuda_unpin(cuda, range);
    return status;
}

void zci_cuda_unpin(struct zci_cuda *cuda, const struct zci_cuda_range *range)
{
    int previous;
    if (range->foreign || !zci_cuda_enter_quietly(cuda, 0, &previous))
        return;
    zci_cuda_classify(cuda, 0, cuda->api->host_unregister(range->mapping.memory));
    zci_cuda_leave(cuda, previous);
}
