/* SPDX-License-Identifier: MIT */
/* The low-latency mode: what a frame takes beside a bare copy, whether a kernel that stays sees
 * each frame's own bytes, and that nobody waits for it for long: calls that wait for the device,
 * others' kernels, other streams, and whoever comes after a process that was killed. */
#include "check.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

#include "backend/backend.h"
#include "backend/cuda/frame_ctx.h"
#include "os/clock.h"
#include "plan_make.h"
#include "group.h"
#include "zcstream/zcstream.h"

enum { MAX_FRAMES = 10000, FRESH_FRAMES = 3000 };
#define LIMIT_NS 1000000000 /* how long anybody may wait */
#define SPIN_NS 15000       /* about what the smallest frame takes */

static struct zci_backend *backend, *host;
static const struct zci_cuda_api *api = &zci_cuda_runtime;
static void *stream, *device_memory;
static struct zci_memory slot, result, device_result;
static uint32_t frames = MAX_FRAMES;

static void print(void *user, enum zcs_log_level level, const char *line)
{
    (void)user, (void)level;
    fprintf(stderr, "  log: %s\n", line);
}

static const struct zci_log log_all = {.fn = print, .level = ZCS_LOG_WARNING};

/* ---- time ---- */

static int order(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

struct series {
    int64_t values[MAX_FRAMES];
    double median, p99, max;
};

static void sum_up(struct series *s, uint32_t count)
{
    qsort(s->values, count, sizeof *s->values, order);
    s->median = (double)s->values[count / 2] / 1e3;
    s->p99 = (double)s->values[count - 1 - count / 100] / 1e3;
    s->max = (double)s->values[count - 1] / 1e3;
}

static int64_t time_copy(size_t bytes)
{
    const int64_t begin = zci_now_ns();
    CHECK_EQ(api->copy(device_memory, slot.host, bytes, ZCI_CUDA_TO_DEVICE, stream), 0);
    CHECK_EQ(api->stream_wait(stream), 0);
    return zci_now_ns() - begin;
}

/* What comes of that time where nobody is waited for: who else has the processor shows in the
 * p99 of all others. */
static int64_t time_host(void)
{
    const int64_t begin = zci_now_ns();
    int64_t now = begin;
    while (now - begin < SPIN_NS)
        now = zci_now_ns();
    return now - begin;
}

static int64_t time_frame(struct zci_frame_ctx *fctx, enum zcs_route route,
                          struct zci_job_result *done)
{
    const struct zci_job job = {.source = slot.host,
                                .source_memory = &slot,
                                .result_memory = &device_result,
                                .route = route};
    const int64_t begin = zci_now_ns();
    CHECK_EQ(backend->ops->frame_ctx_submit(fctx, &job), ZCS_OK);
    CHECK_EQ(backend->ops->frame_ctx_wait(fctx, 10000000000), ZCS_OK);
    CHECK_EQ(backend->ops->frame_ctx_poll(fctx, done), ZCS_OK);
    return zci_now_ns() - begin;
}

static void make(struct zci_plan *plan, enum zcs_pixfmt format, uint32_t width, uint32_t height,
                 const char *stages, struct zci_frame_ctx **fctx)
{
    const struct zci_plan_params params = {.stages = stages, .depth = ZCS_DEPTH_8};
    plan_make(plan, format, width, height, &params);
    CHECK_EQ(frame_ctx_alone(backend, 0, plan, NULL, fctx), ZCS_OK);
}

static void show(const char *name, const struct series *s, const struct series *copy)
{
    printf(
        "  %-22s median %8.2f us  p99 %8.2f (%.3f of the median)  most %9.2f  x%.3f of the copy\n",
        name, s->median, s->p99, s->p99 / s->median, s->max, s->median / copy->median);
}

/* All in turn; a frame context that holds and one that does not, on both ways. */
static void times(enum zcs_pixfmt format, uint32_t width, uint32_t height, const char *stages)
{
    static struct series copy, alone, mapped, staged, plain[2];
    struct zci_plan plan;
    struct zci_frame_ctx *quick, *usual;
    struct zci_job_result done;
    struct zci_reservation hold;
    make(&plan, format, width, height, stages, &usual);
    const size_t bytes = plan.source.size_bytes;
    CHECK_EQ(frame_ctx_alone(backend, 0, &plan, NULL, &quick), ZCS_OK);
    CHECK_EQ(backend->ops->frame_ctx_reserve(quick, &hold), ZCS_OK);
    CHECK(hold.units > 0);
    for (uint32_t i = 0; i < frames + 100; i++) {
        const uint32_t k = i < 100 ? 0 : i - 100;
        copy.values[k] = time_copy(bytes);
        alone.values[k] = time_host();
        mapped.values[k] = time_frame(quick, ZCS_ROUTE_MAPPED, &done);
        staged.values[k] = time_frame(quick, ZCS_ROUTE_STAGED, &done);
        plain[0].values[k] = time_frame(usual, ZCS_ROUTE_MAPPED, &done);
        plain[1].values[k] = time_frame(usual, ZCS_ROUTE_STAGED, &done);
    }
    printf("%s %ux%u, %s, to device, %u multiprocessors held, %u frames\n",
           zcs_pixfmt_info(format)->name, width, height, stages, hold.units, frames);
    sum_up(&copy, frames);
    show("copy, sync", &copy, &copy);
    sum_up(&alone, frames);
    show("the host alone", &alone, &copy);
    sum_up(&mapped, frames);
    show("low latency, mapped", &mapped, &copy);
    sum_up(&staged, frames);
    show("low latency, staged", &staged, &copy);
    sum_up(&plain[0], frames);
    show("ordinary, mapped", &plain[0], &copy);
    sum_up(&plain[1], frames);
    show("ordinary, staged", &plain[1], &copy);
    fflush(stdout);
    backend->ops->frame_ctx_destroy(&quick);
    backend->ops->frame_ctx_destroy(&usual);
    zci_plan_finish(&plan);
}

/* From a push to the frame, through the library's interface; the device is not held by a frame
 * context of another's. */
static void times_of_stream(zcs_context *ctx, enum zcs_pixfmt format, uint32_t width,
                            uint32_t height, const char *stages)
{
    static struct series copy, whole_way;
    const struct zcs_stream_params params = {.stages = stages,
                                             .depth = ZCS_DEPTH_8,
                                             .device_count = 1,
                                             .in_flight = 1,
                                             .device_results = 1,
                                             .wait = ZCS_WAIT_SPIN,
                                             .low_latency = 1};
    struct zcs_push_params push = {.queue = 2};
    const struct zcs_frame *frame = NULL;
    struct zcs_stream_stats stats;
    zcs_source *source = NULL;
    zcs_stream *quick = NULL;
    void *memory = NULL;
    CHECK_EQ(zcs_image_init(&push.image, format, width, height, 0), ZCS_OK);
    CHECK_EQ(zcs_memory_alloc(ctx, ZCS_ROLE_INGEST, push.image.size_bytes, &memory), ZCS_OK);
    memcpy(memory, slot.host, push.image.size_bytes);
    CHECK_EQ(zcs_source_open_push(ctx, &push, &source), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &quick), ZCS_OK);
    zcs_stream_stats(quick, &stats);
    CHECK(stats.reserved_sms > 0);
    for (uint32_t i = 0; i < frames + 100; i++) {
        const uint32_t k = i < 100 ? 0 : i - 100;
        const struct zcs_push_meta meta = {.sequence = i};
        copy.values[k] = time_copy(push.image.size_bytes);
        const int64_t begin = zci_now_ns();
        CHECK_EQ(zcs_source_push(source, memory, &meta, NULL, NULL), ZCS_OK);
        CHECK_EQ(zcs_stream_next(quick, -1, &frame), ZCS_OK);
        whole_way.values[k] = zci_now_ns() - begin;
        zcs_frame_unref(&frame);
    }
    printf("%s %ux%u, %s, to device, from a push to the frame, %u multiprocessors held, %u frames; "
           "%s: %s\n",
           zcs_pixfmt_info(format)->name, width, height, stages, stats.reserved_sms, frames,
           zcs_route_name(stats.route), stats.route_reason);
    sum_up(&copy, frames);
    show("copy, sync", &copy, &copy);
    sum_up(&whole_way, frames);
    show("low latency, stream", &whole_way, &copy);
    fflush(stdout);
    zcs_stream_destroy(&quick);
    zcs_source_close(&source);
    zcs_memory_free(ctx, &memory);
}

/* ---- freshness: one frame context, one slot, other bytes in each frame ---- */

static void fresh(enum zcs_route route, int held)
{
    struct zci_plan plan;
    struct zci_frame_ctx *quick, *cpu;
    struct zci_job_result want, got;
    struct zci_reservation hold;
    const struct timespec pause = {.tv_nsec = 300000000};
    uint64_t seed = 3;
    make(&plan, ZCS_PIXFMT_SRGGB8, 640, 300, "demosaic=mhc,digest", &quick);
    CHECK_EQ(frame_ctx_alone(host, 0, &plan, NULL, &cpu), ZCS_OK);
    if (held)
        CHECK_EQ(backend->ops->frame_ctx_reserve(quick, &hold), ZCS_OK);
    for (uint32_t i = 0; i < FRESH_FRAMES; i++) {
        for (uint32_t k = 0; k < 50; k++) {
            const uint64_t r = test_random(&seed);
            memcpy((uint8_t *)slot.host + r % (plan.source.size_bytes - 8), &r, 8);
        }
        const struct zci_job job = {.source = slot.host,
                                    .source_memory = &slot,
                                    .result = result.host,
                                    .result_memory = &result,
                                    .route = ZCS_ROUTE_MAPPED};
        (void)time_frame(quick, route, &got);
        CHECK_EQ(host->ops->frame_ctx_submit(cpu, &job), ZCS_OK);
        CHECK_EQ(host->ops->frame_ctx_wait(cpu, -1), ZCS_OK);
        CHECK_EQ(host->ops->frame_ctx_poll(cpu, &want), ZCS_OK);
        CHECK(got.digest == want.digest);
        if (i % 1000 == 999)
            nanosleep(&pause, NULL); /* it closes, and is launched anew */
    }
    printf("%u frames, each with other bytes, %s, %s: all digests right\n", (unsigned)FRESH_FRAMES,
           zcs_route_name(route), held ? "low latency" : "ordinary");
    backend->ops->frame_ctx_destroy(&quick);
    host->ops->frame_ctx_destroy(&cpu);
    zci_plan_finish(&plan);
}

/* ---- nobody waits for long ---- */

static void soon(const char *what, int64_t begin_ns)
{
    const int64_t took_ns = zci_now_ns() - begin_ns;
    printf("%s: %.1f ms\n", what, (double)took_ns / 1e6);
    CHECK(took_ns < LIMIT_NS);
}

static void others(void)
{
    struct zci_plan plan;
    struct zci_frame_ctx *quick, *second;
    struct zci_job_result done;
    struct zci_reservation hold;
    void *memory, *pinned;
    make(&plan, ZCS_PIXFMT_SRGGB8, 640, 480, "demosaic=mhc", &quick);
    CHECK_EQ(backend->ops->frame_ctx_reserve(quick, &hold), ZCS_OK);
    (void)time_frame(quick, ZCS_ROUTE_MAPPED, &done);
    int64_t begin = zci_now_ns();
    CHECK_EQ(cudaMalloc(&memory, 1 << 20), 0);
    CHECK_EQ(cudaMemset(memory, 1, 1 << 20), 0);
    CHECK_EQ(cudaDeviceSynchronize(), 0);
    soon("cudaMalloc, cudaMemset, cudaDeviceSynchronize beside it", begin);
    (void)time_frame(quick, ZCS_ROUTE_MAPPED, &done);
    begin = zci_now_ns();
    CHECK_EQ(cudaFree(memory), 0);
    soon("cudaFree beside it", begin);
    (void)time_frame(quick, ZCS_ROUTE_STAGED, &done);
    begin = zci_now_ns();
    CHECK_EQ(cudaHostAlloc(&pinned, 1 << 20, cudaHostAllocMapped), 0);
    CHECK_EQ(cudaFreeHost(pinned), 0);
    soon("cudaHostAlloc, cudaFreeHost beside it", begin);
    (void)time_frame(quick, ZCS_ROUTE_MAPPED, &done);
    begin = zci_now_ns();
    CHECK_EQ(frame_ctx_alone(backend, 0, &plan, NULL, &second), ZCS_OK);
    CHECK_EQ(backend->ops->frame_ctx_reserve(second, &hold), ZCS_OK);
    CHECK(hold.units == 0 && hold.reason != NULL);
    printf("a second frame context: %s\n", hold.reason);
    for (enum zcs_route route = ZCS_ROUTE_MAPPED; route <= ZCS_ROUTE_WHOLE; route++)
        for (uint32_t i = 0; i < 100; i++) {
            (void)time_frame(second, route, &done);
            (void)time_frame(quick, route, &done);
        }
    soon("300 frames on each of two frame contexts", begin);
    (void)time_frame(quick, ZCS_ROUTE_MAPPED, &done);
    begin = zci_now_ns();
    backend->ops->frame_ctx_destroy(&second);
    soon("destroying the second beside it", begin);
    begin = zci_now_ns();
    backend->ops->frame_ctx_destroy(&quick);
    soon("destroying it", begin);
    zci_plan_finish(&plan);
}

/* A child that runs frames without end: killed, the GPU is another's at once. */
static void forever(int ready)
{
    zcs_context *ctx = NULL;
    zcs_source *source = NULL;
    zcs_stream *frames_of = NULL;
    const struct zcs_frame *frame = NULL;
    const struct zcs_params params = {.backend = ZCS_BACKEND_CUDA, .log = print};
    const struct zcs_pattern_params pattern = {
        .name = "square", .format = ZCS_PIXFMT_SRGGB8, .width = 1920, .height = 1080};
    const struct zcs_stream_params low = {.stages = "demosaic=mhc", .low_latency = 1};
    struct zcs_stream_stats stats;
    CHECK_EQ(zcs_open(&params, &ctx), ZCS_OK);
    CHECK_EQ(zcs_source_open_pattern(ctx, &pattern, &source), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, &low, &frames_of), ZCS_OK);
    zcs_stream_stats(frames_of, &stats);
    CHECK(stats.reserved_sms > 0 && stats.low_latency_reason == NULL);
    for (uint32_t i = 0; zcs_stream_next(frames_of, -1, &frame) == ZCS_OK; i++) {
        zcs_frame_unref(&frame);
        if (i == 50)
            CHECK_EQ(write(ready, "x", 1), 1);
    }
}

/* What another process needs to get a context, memory and a result. */
static void use_gpu(void)
{
    void *memory;
    uint32_t word = 0;
    CHECK_EQ(cudaMalloc(&memory, 64 << 20), 0);
    CHECK_EQ(cudaMemset(memory, 1, 64 << 20), 0);
    CHECK_EQ(cudaMemcpy(&word, memory, sizeof word, cudaMemcpyDeviceToHost), 0);
    CHECK_EQ(word, 0x01010101);
}

static pid_t start(void (*what)(int), int fd)
{
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        what(fd);
        _exit(0);
    }
    return child;
}

static void use_gpu_in_child(int fd)
{
    (void)fd;
    use_gpu();
}

/* How long another process takes; the starting of CUDA alone takes most of it. */
static int64_t time_other(void)
{
    int status = 0;
    const int64_t begin = zci_now_ns();
    const pid_t child = start(use_gpu_in_child, -1);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return zci_now_ns() - begin;
}

static void killed(void)
{
    int pipe_fds[2], status = 0;
    char byte;
    (void)time_other();
    const int64_t usual_ns = time_other();
    CHECK_EQ(pipe(pipe_fds), 0);
    const pid_t child = start(forever, pipe_fds[1]);
    CHECK_EQ(read(pipe_fds[0], &byte, 1), 1);
    CHECK_EQ(kill(child, SIGKILL), 0);
    const int64_t begin = zci_now_ns();
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status));
    const int64_t gone_ns = zci_now_ns() - begin;
    const int64_t other_ns = time_other();
    printf("kill -9 among frames: gone after %.0f ms; then another process takes %.0f ms, before "
           "it %.0f\n",
           (double)gone_ns / 1e6, (double)other_ns / 1e6, (double)usual_ns / 1e6);
    CHECK(gone_ns < LIMIT_NS && other_ns < usual_ns + LIMIT_NS);
}

static void take_memory(void)
{
    const size_t room = 64u << 20;
    uint64_t seed = 7;
    CHECK_EQ(backend->ops->memory_alloc(backend, ZCS_ROLE_INGEST, room, &slot), ZCS_OK);
    CHECK_EQ(backend->ops->memory_alloc(backend, ZCS_ROLE_READBACK, room, &result), ZCS_OK);
    CHECK_EQ(backend->ops->memory_alloc(backend, ZCS_ROLE_DEVICE, room, &device_result), ZCS_OK);
    for (size_t k = 0; k + 8 <= room; k += 8) {
        const uint64_t r = test_random(&seed);
        memcpy((uint8_t *)slot.host + k, &r, 8);
    }
    CHECK_EQ(api->device_alloc(&device_memory, room), 0);
    CHECK_EQ(api->stream_create(&stream), 0);
}

/* Usage: latency [FRAMES] */
int main(int argc, char **argv)
{
    static const uint32_t sizes[3][2] = {{640, 480}, {1920, 1080}, {3840, 2160}};
    if (access("/dev/nvidiactl", F_OK) != 0)
        SKIP("no GPU");
    if (argc > 1)
        frames = (uint32_t)atoi(argv[1]);
    CHECK(frames > 0 && frames <= MAX_FRAMES);
    killed(); /* first: a process that has a context must not fork others */
    if (zci_backend_open_cuda(&log_all, &backend) != ZCS_OK)
        SKIP("no GPU");
    CHECK_EQ(zci_backend_open_host(&log_all, 0, &host), ZCS_OK);
    take_memory();
    for (int i = 0; i < 3; i++)
        times(ZCS_PIXFMT_SRGGB8, sizes[i][0], sizes[i][1], "demosaic=mhc");
    times(ZCS_PIXFMT_SRGGB10P, 1920, 1080, "black=16,wb,demosaic,ccm,gamma");
    const struct zcs_params params = {.backend = ZCS_BACKEND_CUDA, .log = print};
    zcs_context *ctx = NULL;
    CHECK_EQ(zcs_open(&params, &ctx), ZCS_OK);
    for (int i = 0; i < 3; i++)
        times_of_stream(ctx, ZCS_PIXFMT_SRGGB8, sizes[i][0], sizes[i][1], "demosaic=mhc");
    zcs_close(&ctx);
    fresh(ZCS_ROUTE_MAPPED, 1);
    fresh(ZCS_ROUTE_STAGED, 1);
    fresh(ZCS_ROUTE_STAGED, 0);
    others();
    return 0;
}
