/* SPDX-License-Identifier: MIT */
/* The ways of a GPU: what they need, made and let go, and errors told. */
#include "backend/cuda/measure.h"

#include <stdlib.h>

#include "backend/cuda/measure_benchmarks.h"
#include "backend/cuda/memory.h"
#include "os/clock.h"

#define REPEATS 256 /* of what is too short for the clock */
#define SUM_BYTES 4096

/* What a push of registered memory adds to one of memory that needs none. */
static zcs_status find_known(struct zci_cuda_measuring *s, size_t bytes, int64_t *ns)
{
    struct zci_backend *backend = &s->cuda->base;
    zcs_status status = ZCS_OK;
    if (!s->registered)
        status = backend->ops->memory_register(backend, s->memory->known, s->memory->bytes);
    if (status != ZCS_OK)
        return status;
    s->registered = 1;
    const int64_t begin_ns = zci_now_ns();
    for (int i = 0; i < REPEATS && status == ZCS_OK; i++) {
        void *use = NULL;
        status = backend->ops->memory_use(backend, s->memory->known, bytes, &use);
        if (use != NULL)
            backend->ops->memory_unuse(backend, use);
    }
    *ns = (zci_now_ns() - begin_ns) / REPEATS;
    return status;
}

static zcs_status run(void *state, enum zcs_benchmark benchmark, size_t bytes, int64_t *ns)
{
    struct zci_cuda_measuring *s = state;
    int previous;
    if (benchmark == ZCS_BENCHMARK_KNOWN)
        return find_known(s, bytes, ns);
    const zcs_status status = zci_cuda_enter(s->cuda, s->device, &previous);
    if (status != ZCS_OK)
        return status;
    const int error = zci_cuda_measure_benchmark(s, benchmark, bytes, ns);
    zci_cuda_leave(s->cuda, previous);
    if (error == ZCI_CUDA_MEASURE_NOT_HERE)
        return ZCS_ERR_UNSUPPORTED;
    return zci_cuda_check(s->cuda, s->device, error, "measuring");
}

static zcs_status make_on(struct zci_cuda_measuring *s, uint32_t device,
                          struct zci_cuda_queue **queues, uint32_t queue_count, void **memories[2])
{
    struct zci_cuda *cuda = s->cuda;
    int previous;
    zcs_status status = zci_cuda_enter(cuda, device, &previous);
    if (status != ZCS_OK)
        return status;
    for (uint32_t i = 0; i < queue_count && status == ZCS_OK; i++)
        status = zci_cuda_queue_take(cuda, device, &queues[i]);
    for (int i = 0; i < 2 && memories[i] != NULL && status == ZCS_OK; i++) {
        status =
            zci_cuda_check(cuda, device, cuda->api->device_alloc(memories[i], s->memory->bytes),
                           "taking memory for measuring");
        if (status == ZCS_OK)
            status = zci_cuda_check(
                cuda, device, cuda->api->fill(*memories[i], 0, s->memory->bytes, queues[0]->stream),
                "clearing memory for measuring");
    }
    zci_cuda_leave(cuda, previous);
    return status;
}

static void end_on(struct zci_cuda_measuring *s, uint32_t device, struct zci_cuda_queue **queues,
                   uint32_t queue_count, void *memories[2])
{
    struct zci_cuda *cuda = s->cuda;
    int previous;
    const int usable = zci_cuda_enter_quietly(cuda, device, &previous);
    for (uint32_t i = 0; i < queue_count; i++) {
        if (usable && queues[i] != NULL)
            zci_cuda_classify(cuda, device, cuda->api->stream_wait(queues[i]->stream));
        zci_cuda_queue_give(cuda, device, queues[i]);
    }
    for (int i = 0; i < 2; i++)
        if (usable && memories[i] != NULL)
            zci_cuda_classify(cuda, device, cuda->api->device_free(memories[i]));
    if (usable)
        zci_cuda_leave(cuda, previous);
}

static void close_state(void *state)
{
    struct zci_cuda_measuring *s = state;
    end_on(s, s->device, s->queues, ZCI_CUDA_MEASURE_STREAMS, (void *[2]){s->in, s->out});
    end_on(s, s->second, &s->second_queue, 1, (void *[2]){s->second_in, NULL});
    if (s->registered)
        (void)s->cuda->base.ops->memory_release(&s->cuda->base, s->memory->known);
    if (s->sums.bytes > 0)
        zci_cuda_memory_free(&s->cuda->base, &s->sums);
    free(s);
}

static zcs_status open_state(struct zci_backend *backend, uint32_t device,
                             const struct zci_measure_memory *memory, void **out)
{
    struct zci_cuda *cuda = zci_cuda_of(backend);
    struct zci_cuda_measuring *s = calloc(1, sizeof *s);
    if (s == NULL)
        return zci_fail(&backend->log, ZCS_ERR_NOMEM, "measure: no memory");
    s->cuda = cuda;
    s->memory = memory;
    s->device = device;
    s->second = (device + 1) % cuda->device_count;
    zcs_status status =
        make_on(s, device, s->queues, ZCI_CUDA_MEASURE_STREAMS, (void **[2]){&s->in, &s->out});
    if (status == ZCS_OK && s->second != device)
        status = make_on(s, s->second, &s->second_queue, 1, (void **[2]){&s->second_in, NULL});
    if (status == ZCS_OK)
        status = zci_cuda_memory_alloc(backend, ZCS_ROLE_READBACK, SUM_BYTES, &s->sums);
    if (status != ZCS_OK)
        goto fail;
    *out = s;
    return ZCS_OK;
fail:
    close_state(s);
    return status;
}

const struct zci_measure_ops zci_cuda_measure = {
    .open = open_state,
    .run = run,
    .close = close_state,
};
