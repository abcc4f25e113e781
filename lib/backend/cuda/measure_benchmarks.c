/* SPDX-License-Identifier: MIT */
/* What is timed on a GPU: copies, kernels on host memory, registering, streams, two devices. */
#include "backend/cuda/measure_benchmarks.h"

#include "backend/cuda/memory.h"
#include "os/clock.h"
#include "kernels/cuda/measure.h"
#include "kernels/cuda/probe.h"

#define PIECES 8u

/* Each of these is called with the device current, and gives a CUDA error. */

static int wait_for(struct zci_cuda_measuring *s)
{
    return s->cuda->api->stream_wait(s->queues[0]->stream);
}

static int copy(struct zci_cuda_measuring *s, void *to, const void *from, size_t bytes,
                enum zci_cuda_benchmark benchmark)
{
    return s->cuda->api->copy(to, from, bytes, benchmark, s->queues[0]->stream);
}

static int copy_and_wait(struct zci_cuda_measuring *s, void *to, const void *from, size_t bytes,
                         enum zci_cuda_benchmark benchmark, int64_t *ns)
{
    const int64_t begin_ns = zci_now_ns();
    int error = copy(s, to, from, bytes, benchmark);
    if (error == ZCI_CUDA_SUCCESS)
        error = wait_for(s);
    *ns = zci_now_ns() - begin_ns;
    return error;
}

static int call_alone(struct zci_cuda_measuring *s, const void *from, size_t bytes, int64_t *ns)
{
    const int64_t begin_ns = zci_now_ns();
    const int error = copy(s, s->in, from, bytes, ZCI_CUDA_TO_DEVICE);
    *ns = zci_now_ns() - begin_ns;
    return error != ZCI_CUDA_SUCCESS ? error : wait_for(s);
}

static int read_in_place(struct zci_cuda_measuring *s, const struct zci_memory *memory,
                         size_t bytes, int64_t *ns)
{
    struct zck_cuda_probe probe = {.memory = zci_cuda_memory_seen(memory, s->device),
                                   .words = bytes / 16,
                                   .sums = zci_cuda_memory_seen(&s->sums, s->device)};
    void *arguments[] = {&probe};
    const int64_t begin_ns = zci_now_ns();
    int error = s->cuda->api->launch(zck_cuda_probe_kernel(), ZCK_CUDA_PROBE_BLOCKS,
                                     ZCK_CUDA_PROBE_THREADS, arguments, s->queues[0]->stream);
    if (error == ZCI_CUDA_SUCCESS)
        error = wait_for(s);
    *ns = zci_now_ns() - begin_ns;
    return error;
}

static int launch(struct zci_cuda_measuring *s, const void *kernel, struct zck_cuda_measure *args,
                  void *stream)
{
    void *arguments[] = {args};
    return s->cuda->api->launch(kernel, ZCK_CUDA_MEASURE_BLOCKS, ZCK_CUDA_MEASURE_THREADS,
                                arguments, stream);
}

/* Two vectors, the halves of `from`; copied first, or, with NULL, read where pinned memory lies. */
static int dot(struct zci_cuda_measuring *s, const uint8_t *from, size_t bytes, int64_t *ns)
{
    const size_t half = bytes / 32 * 16;
    const uint8_t *at = from != NULL ? s->in : zci_cuda_memory_seen(&s->memory->pinned, s->device);
    struct zck_cuda_measure args = {.a = (const float *)(const void *)at,
                                    .b = (const float *)(const void *)(at + half),
                                    .out = zci_cuda_memory_seen(&s->sums, s->device),
                                    .count = half / sizeof(float)};
    int error = ZCI_CUDA_SUCCESS;
    const int64_t begin_ns = zci_now_ns();
    if (from != NULL)
        error = copy(s, s->in, from, 2 * half, ZCI_CUDA_TO_DEVICE);
    if (error == ZCI_CUDA_SUCCESS)
        error = launch(s, zck_cuda_dot_kernel(), &args, s->queues[0]->stream);
    if (error == ZCI_CUDA_SUCCESS)
        error = wait_for(s);
    const volatile float *sums = s->sums.host;
    float sum = 0;
    for (uint32_t i = 0; i < ZCK_CUDA_MEASURE_BLOCKS; i++)
        sum += sums[i];
    *ns = zci_now_ns() - begin_ns;
    ((volatile float *)s->sums.host)[0] = sum;
    return error;
}

/* The pieces go round the streams: on several, one's copies run beside another's. */
static int stream_pieces(struct zci_cuda_measuring *s, uint32_t streams, size_t bytes, int64_t *ns)
{
    const struct zci_cuda_api *api = s->cuda->api;
    const size_t piece = bytes / PIECES / 16 * 16;
    int error = ZCI_CUDA_SUCCESS;
    const int64_t begin_ns = zci_now_ns();
    for (uint32_t i = 0; i < PIECES && error == ZCI_CUDA_SUCCESS; i++) {
        void *stream = s->queues[i % streams]->stream;
        uint8_t *in = (uint8_t *)s->in + i * piece, *out = (uint8_t *)s->out + i * piece;
        struct zck_cuda_measure args = {.a = (const float *)(void *)in,
                                        .out = (float *)(void *)out,
                                        .count = piece / sizeof(float)};
        error = api->copy(in, (uint8_t *)s->memory->wc.host + i * piece, piece, ZCI_CUDA_TO_DEVICE,
                          stream);
        if (error == ZCI_CUDA_SUCCESS)
            error = launch(s, zck_cuda_work_kernel(), &args, stream);
        if (error == ZCI_CUDA_SUCCESS)
            error = api->copy((uint8_t *)s->memory->pinned.host + i * piece, out, piece,
                              ZCI_CUDA_TO_HOST, stream);
    }
    for (uint32_t i = 0; i < streams && error == ZCI_CUDA_SUCCESS; i++)
        error = api->stream_wait(s->queues[i]->stream);
    *ns = zci_now_ns() - begin_ns;
    return error;
}

static int register_once(struct zci_cuda_measuring *s, size_t bytes, int64_t *register_ns,
                         int64_t *unregister_ns)
{
    const int64_t begin_ns = zci_now_ns();
    int error = s->cuda->api->host_register(s->memory->pageable, bytes);
    *register_ns = zci_now_ns() - begin_ns;
    if (error != ZCI_CUDA_SUCCESS)
        return error;
    const int64_t then_ns = zci_now_ns();
    error = s->cuda->api->host_unregister(s->memory->pageable);
    *unregister_ns = zci_now_ns() - then_ns;
    return error;
}

static int two_devices(struct zci_cuda_measuring *s, const void *from, size_t bytes, int64_t *ns)
{
    const struct zci_cuda_api *api = s->cuda->api;
    const int64_t begin_ns = zci_now_ns();
    int error = copy(s, s->in, from, bytes, ZCI_CUDA_TO_DEVICE);
    if (error == ZCI_CUDA_SUCCESS)
        error = api->set_device((int)s->second);
    if (error == ZCI_CUDA_SUCCESS)
        error = api->copy(s->second_in, from, bytes, ZCI_CUDA_TO_DEVICE, s->second_queue->stream);
    if (error == ZCI_CUDA_SUCCESS)
        error = api->stream_wait(s->second_queue->stream);
    const int back = api->set_device((int)s->device);
    if (error == ZCI_CUDA_SUCCESS)
        error = back != ZCI_CUDA_SUCCESS ? back : wait_for(s);
    *ns = zci_now_ns() - begin_ns;
    return error;
}

static int launch_nothing(struct zci_cuda_measuring *s, int64_t *ns)
{
    struct zck_cuda_measure args = {.count = 0};
    const int64_t begin_ns = zci_now_ns();
    int error = launch(s, zck_cuda_nothing_kernel(), &args, s->queues[0]->stream);
    if (error == ZCI_CUDA_SUCCESS)
        error = wait_for(s);
    *ns = zci_now_ns() - begin_ns;
    return error;
}

int zci_cuda_measure_benchmark(struct zci_cuda_measuring *s, enum zcs_benchmark benchmark,
                               size_t bytes, int64_t *ns)
{
    const struct zci_measure_memory *memory = s->memory;
    const int can_map = s->cuda->devices[s->device].facts.can_map;
    int64_t other_ns;
    switch (benchmark) {
    case ZCS_BENCHMARK_IN_PAGEABLE:
        return copy_and_wait(s, s->in, memory->pageable, bytes, ZCI_CUDA_TO_DEVICE, ns);
    case ZCS_BENCHMARK_IN_PINNED:
        return copy_and_wait(s, s->in, memory->pinned.host, bytes, ZCI_CUDA_TO_DEVICE, ns);
    case ZCS_BENCHMARK_IN_WC:
        return copy_and_wait(s, s->in, memory->wc.host, bytes, ZCI_CUDA_TO_DEVICE, ns);
    case ZCS_BENCHMARK_OUT_PAGEABLE:
        return copy_and_wait(s, memory->pageable, s->out, bytes, ZCI_CUDA_TO_HOST, ns);
    case ZCS_BENCHMARK_OUT_PINNED:
        return copy_and_wait(s, memory->pinned.host, s->out, bytes, ZCI_CUDA_TO_HOST, ns);
    case ZCS_BENCHMARK_CALL_PAGEABLE:
        return call_alone(s, memory->pageable, bytes, ns);
    case ZCS_BENCHMARK_CALL_PINNED:
        return call_alone(s, memory->pinned.host, bytes, ns);
    case ZCS_BENCHMARK_READ_PINNED:
        return can_map ? read_in_place(s, &memory->pinned, bytes, ns) : ZCI_CUDA_MEASURE_NOT_HERE;
    case ZCS_BENCHMARK_READ_WC:
        return can_map ? read_in_place(s, &memory->wc, bytes, ns) : ZCI_CUDA_MEASURE_NOT_HERE;
    case ZCS_BENCHMARK_DOT_PAGEABLE:
        return can_map ? dot(s, memory->pageable, bytes, ns) : ZCI_CUDA_MEASURE_NOT_HERE;
    case ZCS_BENCHMARK_DOT_PINNED:
        return can_map ? dot(s, memory->pinned.host, bytes, ns) : ZCI_CUDA_MEASURE_NOT_HERE;
    case ZCS_BENCHMARK_DOT_MAPPED:
        return can_map ? dot(s, NULL, bytes, ns) : ZCI_CUDA_MEASURE_NOT_HERE;
    case ZCS_BENCHMARK_ONE_STREAM:
        return stream_pieces(s, 1, bytes, ns);
    case ZCS_BENCHMARK_FOUR_STREAMS:
        return stream_pieces(s, ZCI_CUDA_MEASURE_STREAMS, bytes, ns);
    case ZCS_BENCHMARK_REGISTER:
        return register_once(s, bytes, ns, &other_ns);
    case ZCS_BENCHMARK_UNREGISTER:
        return register_once(s, bytes, &other_ns, ns);
    case ZCS_BENCHMARK_TWO_IN_PAGEABLE:
        return s->second != s->device ? two_devices(s, memory->pageable, bytes, ns)
                                      : ZCI_CUDA_MEASURE_NOT_HERE;
    case ZCS_BENCHMARK_TWO_IN_PINNED:
        return s->second != s->device ? two_devices(s, memory->pinned.host, bytes, ns)
                                      : ZCI_CUDA_MEASURE_NOT_HERE;
    case ZCS_BENCHMARK_LAUNCH:
        return launch_nothing(s, ns);
    default:
        return ZCI_CUDA_MEASURE_NOT_HERE;
    }
}
