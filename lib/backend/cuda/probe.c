/* SPDX-License-Identifier: MIT */
/* One kernel on a queue of its own, and a page for its sums, made when first needed. */
#include "backend/cuda/probe.h"

#include "backend/cuda/cuda.h"
#include "backend/cuda/memory.h"
#include "kernels/cuda/probe.h"

/* Under zci_cuda.probe_lock. */
static zcs_status make_sums(struct zci_cuda *cuda)
{
    if (cuda->probe_sums.bytes > 0)
        return ZCS_OK;
    const zcs_status status =
        zci_cuda_memory_alloc(&cuda->base, ZCS_ROLE_READBACK,
                              ZCK_CUDA_PROBE_BLOCKS * sizeof(uint64_t), &cuda->probe_sums);
    return status == ZCS_ERR_NOMEM
               ? zci_fail(&cuda->base.log, status, "cuda: no pinned memory for looking at slots")
               : status;
}

/* The device is current. */
static zcs_status run(struct zci_cuda *cuda, uint32_t device, struct zck_cuda_probe *probe)
{
    struct zci_cuda_queue *queue = NULL;
    void *arguments[] = {probe};
    zcs_status status = zci_cuda_queue_take(cuda, device, &queue);
    if (status != ZCS_OK)
        return status;
    int error = cuda->api->launch(zck_cuda_probe_kernel(), ZCK_CUDA_PROBE_BLOCKS,
                                  ZCK_CUDA_PROBE_THREADS, arguments, queue->stream);
    if (error == ZCI_CUDA_SUCCESS)
        error = cuda->api->stream_wait(queue->stream);
    zci_cuda_queue_give(cuda, device, queue);
    return zci_cuda_check(cuda, device, error, "looking at a slot");
}

static zcs_status look(struct zci_cuda *cuda, uint32_t device, struct zck_cuda_probe *probe,
                       uint64_t *out)
{
    zcs_status status = make_sums(cuda);
    if (status != ZCS_OK)
        return status;
    probe->sums = zci_cuda_memory_seen(&cuda->probe_sums, device);
    status = run(cuda, device, probe);
    if (status != ZCS_OK)
        return status;
    const uint64_t *sums = cuda->probe_sums.host;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < ZCK_CUDA_PROBE_BLOCKS; i++)
        sum += sums[i];
    *out = sum;
    return ZCS_OK;
}

zcs_status zci_cuda_memory_digest(struct zci_backend *backend, uint32_t device,
                                  const struct zci_memory *memory, size_t bytes, uint64_t *out)
{
    struct zci_cuda *cuda = zci_cuda_of(backend);
    struct zck_cuda_probe probe = {.memory = zci_cuda_memory_seen(memory, device),
                                   .words = bytes / 16};
    int previous;
    if (probe.memory == NULL)
        return ZCS_ERR_UNSUPPORTED;
    zcs_status status = zci_cuda_enter(cuda, device, &previous);
    if (status != ZCS_OK)
        return status;
    pthread_mutex_lock(&cuda->probe_lock);
    status = look(cuda, device, &probe, out);
    pthread_mutex_unlock(&cuda->probe_lock);
    zci_cuda_leave(cuda, previous);
    return status;
}

void zci_cuda_probe_finish(struct zci_cuda *cuda)
{
    if (cuda->probe_sums.bytes > 0)
        zci_cuda_memory_free(&cuda->base, &cuda->probe_sums);
    pthread_mutex_destroy(&cuda->probe_lock);
}
