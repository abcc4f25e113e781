/* SPDX-License-Identifier: MIT */
/* The benchmarks of a GPU: copies, kernels on host memory, registering, streams, two devices. */
#include "backend/measure.h"

#include <stdlib.h>

#include "backend/cuda/cuda.h"
#include "backend/cuda/memory.h"
#include "backend/cuda/streams.h"
#include "os/clock.h"
#include "kernels/cuda/measure.h"

#define STREAMS 4u
#define PIECES 8u
#define REPEATS 256 /* of an operation that is too short for the clock */
#define SUM_BYTES 4096
#define NOT_AVAILABLE (-1) /* in place of a CUDA error: this device cannot run the benchmark */

struct measurement {
    struct zci_cuda *cuda;
    const struct zci_measure_memory *memory;
    uint32_t device, second; /* equal: there is only one device */
    struct zci_cuda_kernel_stream *streams[STREAMS], *second_stream;
    void *in, *out, *second_in; /* device memory, each of memory->bytes */
    int registered;             /* 1: `memory->known` is registered */
    struct zci_memory sums;     /* results of kernels, in host memory */
};

/* Each of these runs one benchmark once, with the device current, and returns a CUDA error. */

static int wait_for(struct measurement *s)
{
    return s->cuda->api->stream_wait(s->streams[0]->handle);
}

static int copy(struct measurement *s, void *to, const void *from, size_t bytes,
                enum zci_cuda_copy_kind kind)
{
    return s->cuda->api->copy(to, from, bytes, kind, s->streams[0]->handle);
}

static int copy_and_wait(struct measurement *s, void *to, const void *from, size_t bytes,
                         enum zci_cuda_copy_kind kind, int64_t *ns)
{
    const int64_t begin_ns = zci_now_ns();
    int error = copy(s, to, from, bytes, kind);
    if (error == ZCI_CUDA_SUCCESS)
        error = wait_for(s);
    *ns = zci_now_ns() - begin_ns;
    return error;
}

static int call_alone(struct measurement *s, const void *from, size_t bytes, int64_t *ns)
{
    const int64_t begin_ns = zci_now_ns();
    const int error = copy(s, s->in, from, bytes, ZCI_CUDA_TO_DEVICE);
    *ns = zci_now_ns() - begin_ns;
    return error != ZCI_CUDA_SUCCESS ? error : wait_for(s);
}

static int read_in_place(struct measurement *s, const struct zci_memory *memory, size_t bytes,
                         int64_t *ns)
{
    struct zck_cuda_digest probe = {.memory = zci_cuda_device_pointer(memory, s->device),
                                    .words = bytes / 16,
                                    .sums = zci_cuda_device_pointer(&s->sums, s->device)};
    void *arguments[] = {&probe};
    const int64_t begin_ns = zci_now_ns();
    int error = s->cuda->api->launch(zck_cuda_digest_kernel(), ZCK_CUDA_DIGEST_BLOCKS,
                                     ZCK_CUDA_DIGEST_THREADS, arguments, s->streams[0]->handle);
    if (error == ZCI_CUDA_SUCCESS)
        error = wait_for(s);
    *ns = zci_now_ns() - begin_ns;
    return error;
}

static int launch(struct measurement *s, const void *kernel, struct zck_cuda_measure *args,
                  void *stream)
{
    void *arguments[] = {args};
    return s->cuda->api->launch(kernel, ZCK_CUDA_MEASURE_BLOCKS, ZCK_CUDA_MEASURE_THREADS,
                                arguments, stream);
}

/* Of two vectors, the halves of `from`. They are copied first; NULL: the kernel reads pinned
 * memory itself. */
static int dot(struct measurement *s, const uint8_t *from, size_t bytes, int64_t *ns)
{
    const size_t half = bytes / 32 * 16;
    const uint8_t *at =
        from != NULL ? s->in : zci_cuda_device_pointer(&s->memory->pinned, s->device);
    struct zck_cuda_measure args = {.a = (const float *)(const void *)at,
                                    .b = (const float *)(const void *)(at + half),
                                    .out = zci_cuda_device_pointer(&s->sums, s->device),
                                    .count = half / sizeof(float)};
    int error = ZCI_CUDA_SUCCESS;
    const int64_t begin_ns = zci_now_ns();
    if (from != NULL)
        error = copy(s, s->in, from, 2 * half, ZCI_CUDA_TO_DEVICE);
    if (error == ZCI_CUDA_SUCCESS)
        error = launch(s, zck_cuda_dot_kernel(), &args, s->streams[0]->handle);
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

/* Piece i uses stream i % streams. With several streams, their copies overlap. */
static int stream_pieces(struct measurement *s, uint32_t streams, size_t bytes, int64_t *ns)
{
    const struct zci_cuda_api *api = s->cuda->api;
    const size_t piece = bytes / PIECES / 16 * 16;
    int error = ZCI_CUDA_SUCCESS;
    const int64_t begin_ns = zci_now_ns();
    for (uint32_t i = 0; i < PIECES && error == ZCI_CUDA_SUCCESS; i++) {
        void *stream = s->streams[i % streams]->handle;
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
        error = api->stream_wait(s->streams[i]->handle);
    *ns = zci_now_ns() - begin_ns;
    return error;
}

static int register_once(struct measurement *s, size_t bytes, int64_t *register_ns,
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

static int two_devices(struct measurement *s, const void *from, size_t bytes, int64_t *ns)
{
    const struct zci_cuda_api *api = s->cuda->api;
    const int64_t begin_ns = zci_now_ns();
    int error = copy(s, s->in, from, bytes, ZCI_CUDA_TO_DEVICE);
    if (error == ZCI_CUDA_SUCCESS)
        error = api->set_device((int)s->second);
    if (error == ZCI_CUDA_SUCCESS)
        error = api->copy(s->second_in, from, bytes, ZCI_CUDA_TO_DEVICE, s->second_stream->handle);
    if (error == ZCI_CUDA_SUCCESS)
        error = api->stream_wait(s->second_stream->handle);
    const int back = api->set_device((int)s->device);
    if (error == ZCI_CUDA_SUCCESS)
        error = back != ZCI_CUDA_SUCCESS ? back : wait_for(s);
    *ns = zci_now_ns() - begin_ns;
    return error;
}

static int launch_nothing(struct measurement *s, int64_t *ns)
{
    struct zck_cuda_measure args = {.count = 0};
    const int64_t begin_ns = zci_now_ns();
    int error = launch(s, zck_cuda_nothing_kernel(), &args, s->streams[0]->handle);
    if (error == ZCI_CUDA_SUCCESS)
        error = wait_for(s);
    *ns = zci_now_ns() - begin_ns;
    return error;
}

static int run_benchmark(struct measurement *s, enum zcs_benchmark benchmark, size_t bytes,
                         int64_t *ns)
{
    const struct zci_measure_memory *memory = s->memory;
    const int can_map = s->cuda->devices[s->device].properties.can_map;
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
        return can_map ? read_in_place(s, &memory->pinned, bytes, ns) : NOT_AVAILABLE;
    case ZCS_BENCHMARK_READ_WC:
        return can_map ? read_in_place(s, &memory->wc, bytes, ns) : NOT_AVAILABLE;
    case ZCS_BENCHMARK_DOT_PAGEABLE:
        return can_map ? dot(s, memory->pageable, bytes, ns) : NOT_AVAILABLE;
    case ZCS_BENCHMARK_DOT_PINNED:
        return can_map ? dot(s, memory->pinned.host, bytes, ns) : NOT_AVAILABLE;
    case ZCS_BENCHMARK_DOT_MAPPED:
        return can_map ? dot(s, NULL, bytes, ns) : NOT_AVAILABLE;
    case ZCS_BENCHMARK_ONE_STREAM:
        return stream_pieces(s, 1, bytes, ns);
    case ZCS_BENCHMARK_FOUR_STREAMS:
        return stream_pieces(s, STREAMS, bytes, ns);
    case ZCS_BENCHMARK_REGISTER:
        return register_once(s, bytes, ns, &other_ns);
    case ZCS_BENCHMARK_UNREGISTER:
        return register_once(s, bytes, &other_ns, ns);
    case ZCS_BENCHMARK_TWO_IN_PAGEABLE:
        return s->second != s->device ? two_devices(s, memory->pageable, bytes, ns) : NOT_AVAILABLE;
    case ZCS_BENCHMARK_TWO_IN_PINNED:
        return s->second != s->device ? two_devices(s, memory->pinned.host, bytes, ns)
                                      : NOT_AVAILABLE;
    case ZCS_BENCHMARK_LAUNCH:
        return launch_nothing(s, ns);
    default:
        return NOT_AVAILABLE;
    }
}

/* The time that registered memory adds to a push. */
static zcs_status find_known(struct measurement *s, size_t bytes, int64_t *ns)
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
    struct measurement *s = state;
    int previous;
    if (benchmark == ZCS_BENCHMARK_KNOWN)
        return find_known(s, bytes, ns);
    const zcs_status status = zci_cuda_enter(s->cuda, s->device, &previous);
    if (status != ZCS_OK)
        return status;
    const int error = run_benchmark(s, benchmark, bytes, ns);
    zci_cuda_leave(s->cuda, previous);
    if (error == NOT_AVAILABLE)
        return ZCS_ERR_UNSUPPORTED;
    return zci_cuda_check(s->cuda, s->device, error, "measuring");
}

static zcs_status make_on(struct measurement *s, uint32_t device,
                          struct zci_cuda_kernel_stream **streams, uint32_t stream_count,
                          void **memories[2])
{
    struct zci_cuda *cuda = s->cuda;
    int previous;
    zcs_status status = zci_cuda_enter(cuda, device, &previous);
    if (status != ZCS_OK)
        return status;
    for (uint32_t i = 0; i < stream_count && status == ZCS_OK; i++)
        status = zci_cuda_kernel_stream_take(cuda, device, &streams[i]);
    for (int i = 0; i < 2 && memories[i] != NULL && status == ZCS_OK; i++) {
        status =
            zci_cuda_check(cuda, device, cuda->api->device_alloc(memories[i], s->memory->bytes),
                           "taking memory for measuring");
        if (status == ZCS_OK)
            status = zci_cuda_check(
                cuda, device,
                cuda->api->fill(*memories[i], 0, s->memory->bytes, streams[0]->handle),
                "clearing memory for measuring");
    }
    zci_cuda_leave(cuda, previous);
    return status;
}

static void end_on(struct measurement *s, uint32_t device, struct zci_cuda_kernel_stream **streams,
                   uint32_t stream_count, void *memories[2])
{
    struct zci_cuda *cuda = s->cuda;
    int previous;
    const int usable = zci_cuda_enter_quietly(cuda, device, &previous);
    for (uint32_t i = 0; i < stream_count; i++) {
        if (usable && streams[i] != NULL)
            zci_cuda_classify(cuda, device, cuda->api->stream_wait(streams[i]->handle));
        zci_cuda_kernel_stream_give(cuda, device, streams[i]);
    }
    for (int i = 0; i < 2; i++)
        if (usable && memories[i] != NULL)
            zci_cuda_classify(cuda, device, cuda->api->device_free(memories[i]));
    if (usable)
        zci_cuda_leave(cuda, previous);
}

static void close_state(void *state)
{
    struct measurement *s = state;
    end_on(s, s->device, s->streams, STREAMS, (void *[2]){s->in, s->out});
    end_on(s, s->second, &s->second_stream, 1, (void *[2]){s->second_in, NULL});
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
    struct measurement *s = calloc(1, sizeof *s);
    if (s == NULL)
        return zci_fail(&backend->log, ZCS_ERR_NOMEM, "measure: no memory");
    s->cuda = cuda;
    s->memory = memory;
    s->device = device;
    s->second = (device + 1) % cuda->device_count;
    zcs_status status = make_on(s, device, s->streams, STREAMS, (void **[2]){&s->in, &s->out});
    if (status == ZCS_OK && s->second != device)
        status = make_on(s, s->second, &s->second_stream, 1, (void **[2]){&s->second_in, NULL});
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
