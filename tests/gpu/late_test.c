/* SPDX-License-Identifier: MIT */
/* Copies that are held up: by what lies before them on their stream, and by another thread's
 * cudaFree. Frames are right, and nobody waits for good. */
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

#include "backend/backend.h"
#include "core/plan_compile.h"
#include "backend/cuda/frame_ctx.h"
#include "backend/cuda/persistent.h"
#include "os/clock.h"
#include "group.h"

#define HELD_UP_NS 150000000
#define LIMIT_NS 5000000000
#define FREEING_NS 3000000000
#define MAX_OFFSET 48u

static struct zci_backend *backend, *host;
static struct zci_memory slot, result;
static uint64_t seed = 11;
static size_t offset; /* of the frame in the slot */

static void print(void *user, enum zcs_log_level level, const char *line)
{
    (void)user, (void)level;
    fprintf(stderr, "  log: %s\n", line);
}

static const struct zci_log log_all = {.fn = print, .level = ZCS_LOG_WARNING};

/* A frame context of each backend for the same frames. */
struct pair {
    struct zci_plan plan;
    struct zci_frame_ctx *quick, *cpu;
};

static void open_pair(struct pair *pair, const struct zcs_image *image, const char *stages,
                      int held)
{
    const struct zci_plan_params params = {.stages = stages, .depth = ZCS_DEPTH_8};
    struct zci_reservation hold;
    CHECK_EQ(zci_plan_compile(&pair->plan, image, &params, &log_all), ZCS_OK);
    CHECK_EQ(frame_ctx_alone(backend, 0, &pair->plan, NULL, &pair->quick), ZCS_OK);
    CHECK_EQ(frame_ctx_alone(host, 0, &pair->plan, NULL, &pair->cpu), ZCS_OK);
    CHECK_EQ(
        backend->ops->memory_alloc(backend, ZCS_ROLE_INGEST, MAX_OFFSET + image->size_bytes, &slot),
        ZCS_OK);
    CHECK_EQ(
        backend->ops->memory_alloc(backend, ZCS_ROLE_READBACK, pair->plan.image_bytes[0], &result),
        ZCS_OK);
    if (!held)
        return;
    CHECK_EQ(backend->ops->frame_ctx_reserve(pair->quick, &hold), ZCS_OK);
    CHECK(hold.units > 0);
}

static void close_pair(struct pair *pair)
{
    backend->ops->frame_ctx_destroy(&pair->quick);
    host->ops->frame_ctx_destroy(&pair->cpu);
    zci_plan_finish(&pair->plan);
    backend->ops->memory_free(backend, &slot);
    backend->ops->memory_free(backend, &result);
}

static void submit(const struct zci_backend *on, struct zci_frame_ctx *fctx, enum zcs_route route)
{
    const struct zci_job job = {.source = (const uint8_t *)slot.host + offset,
                                .source_memory = &slot,
                                .result = result.host,
                                .result_memory = &result,
                                .route = route};
    CHECK_EQ(on->ops->frame_ctx_submit(fctx, &job), ZCS_OK);
}

/* Other bytes everywhere, so that a place that keeps the frame before shows. */
static void fill_slot(size_t bytes)
{
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        const uint64_t r = test_random(&seed);
        memcpy((uint8_t *)slot.host + offset + i, &r, 8);
    }
}

static uint64_t digest_on(const struct zci_backend *on, struct zci_frame_ctx *fctx)
{
    struct zci_job_result done;
    CHECK_EQ(on->ops->frame_ctx_wait(fctx, LIMIT_NS), ZCS_OK);
    CHECK_EQ(on->ops->frame_ctx_poll(fctx, &done), ZCS_OK);
    return done.digest;
}

/* When the kernel has said that it is done, and when the source is given back. */
struct times {
    int64_t reported_ns, over_ns;
};

/* Frames in turn with what the host makes of them; the source changes as soon as it is given
 * back. */
static void run_frame(struct pair *pair, enum zcs_route route, struct times *times)
{
    fill_slot(pair->plan.source.size_bytes);
    const int64_t begin_ns = zci_now_ns();
    submit(backend, pair->quick, route);
    while (!zci_cuda_frame_ctx_reported((const struct zci_cuda_frame_ctx *)pair->quick) &&
           zci_now_ns() - begin_ns < LIMIT_NS)
        (void)backend->ops->frame_ctx_wait(pair->quick, 0);
    times->reported_ns = zci_now_ns() - begin_ns;
    CHECK_EQ(backend->ops->frame_ctx_wait(pair->quick, LIMIT_NS), ZCS_OK);
    times->over_ns = zci_now_ns() - begin_ns;
    const uint64_t got = digest_on(backend, pair->quick);
    submit(host, pair->cpu, ZCS_ROUTE_MAPPED);
    CHECK(got == digest_on(host, pair->cpu));
}

/* ---- copies behind something slow ---- */

static _Atomic int over;

static void CUDART_CB hold_up(void *user)
{
    (void)user;
    const struct timespec time = {.tv_nsec = HELD_UP_NS};
    nanosleep(&time, NULL);
    atomic_store(&over, 1);
}

static void behind(enum zcs_pixfmt format, uint32_t width, uint32_t height)
{
    struct zcs_image image;
    struct pair pair;
    struct times times;
    int64_t max_ns = 0;
    CHECK_EQ(zcs_image_init(&image, format, width, height, 0), ZCS_OK);
    open_pair(&pair, &image, "digest", 1);
    const struct zci_cuda_frame_ctx *fctx = (const struct zci_cuda_frame_ctx *)pair.quick;
    for (int i = 0; i < 4; i++) {
        run_frame(&pair, ZCS_ROUTE_STAGED, &times);
        CHECK(fctx->persistent->completion->late != fctx->awaited_frame);
        atomic_store(&over, 0);
        CHECK_EQ(cudaLaunchHostFunc(fctx->copy_stream->handle, hold_up, NULL), 0);
        run_frame(&pair, ZCS_ROUTE_STAGED, &times);
        CHECK_EQ(fctx->persistent->completion->late, fctx->awaited_frame);
        CHECK(times.reported_ns < HELD_UP_NS); /* the frame did not wait for its copies */
        CHECK(atomic_load(&over));             /* its source did */
        max_ns = times.reported_ns > max_ns ? times.reported_ns : max_ns;
        if (i % 2)
            run_frame(&pair, ZCS_ROUTE_MAPPED, &times);
    }
    printf("%s %ux%u at %zu: copies %d ms late, reported after %.1f ms at most, all right\n",
           zcs_pixfmt_info(format)->name, width, height, offset, HELD_UP_NS / 1000000,
           (double)max_ns / 1e6);
    fflush(stdout);
    close_pair(&pair);
}

/* ---- few and wide bands in chunks, of which tiles need the one before ---- */

static void wide_bands(enum zcs_pixfmt format, uint32_t width, uint32_t height)
{
    struct zcs_image image;
    struct pair pair;
    struct times times;
    CHECK_EQ(zcs_image_init(&image, format, width, height, 0), ZCS_OK);
    open_pair(&pair, &image, "demosaic=mhc,digest", 1);
    for (int i = 0; i < 40; i++) {
        ((struct zci_cuda_frame_ctx *)pair.quick)->sentinel_filled =
            0; /* so that no words are looked at */
        run_frame(&pair, ZCS_ROUTE_STAGED, &times);
    }
    printf("%s %ux%u in chunks: all right\n", zcs_pixfmt_info(format)->name, width, height);
    close_pair(&pair);
}

/* ---- another thread that allocates and frees ---- */

static _Atomic int stop;

static void *free_again_and_again(void *user)
{
    uint32_t *count = user;
    for (; !atomic_load(&stop); ++*count) {
        void *memory = NULL;
        CHECK_EQ(cudaMalloc(&memory, 1 << 20), 0);
        CHECK_EQ(cudaFree(memory), 0);
    }
    return NULL;
}

static void beside_frees(int held)
{
    struct zcs_image image;
    struct pair pair;
    pthread_t thread;
    uint32_t frees = 0, frames = 0;
    struct times times;
    int64_t max_ns = 0;
    CHECK_EQ(zcs_image_init(&image, ZCS_PIXFMT_SRGGB8, 640, 480, 0), ZCS_OK);
    open_pair(&pair, &image, "digest", held);
    atomic_store(&stop, 0);
    CHECK_EQ(pthread_create(&thread, NULL, free_again_and_again, &frees), 0);
    const int64_t end_ns = zci_now_ns() + FREEING_NS;
    for (; zci_now_ns() < end_ns; frames++) {
        run_frame(&pair, ZCS_ROUTE_STAGED, &times);
        max_ns = times.over_ns > max_ns ? times.over_ns : max_ns;
    }
    atomic_store(&stop, 1);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    printf(
        "%s: %u staged frames beside %u cudaFree of another thread, %.1f ms at most, all right\n",
        held ? "low latency" : "ordinary", frames, frees, (double)max_ns / 1e6);
    fflush(stdout);
    CHECK(frames > 0 && frees > 0);
    close_pair(&pair);
}

int main(void)
{
    if (access("/dev/nvidiactl", F_OK) != 0)
        SKIP("no GPU");
    if (zci_backend_open_cuda(&log_all, &backend) != ZCS_OK)
        SKIP("no GPU");
    CHECK_EQ(zci_backend_open_host(&log_all, 0, &host), ZCS_OK);
    behind(ZCS_PIXFMT_SRGGB8, 64, 48);
    behind(ZCS_PIXFMT_SRGGB8, 640, 480);
    behind(ZCS_PIXFMT_SRGGB10P, 3840, 2160);
    behind(ZCS_PIXFMT_NV12, 1920, 1080);
    behind(ZCS_PIXFMT_RGB24, 640, 480);
    behind(ZCS_PIXFMT_RGB24, 1922, 1080);
    behind(ZCS_PIXFMT_SRGGB8, 100, 100);
    behind(ZCS_PIXFMT_NV12, 642, 482);
    offset = MAX_OFFSET;
    behind(ZCS_PIXFMT_SRGGB8, 64, 48);
    behind(ZCS_PIXFMT_SRGGB8, 642, 482);
    behind(ZCS_PIXFMT_NV12, 642, 482);
    offset = 0;
    wide_bands(ZCS_PIXFMT_SRGGB8, 16384, 256);
    wide_bands(ZCS_PIXFMT_SRGGB16, 7680, 320);
    beside_frees(1);
    beside_frees(0);
    zci_backend_unref(&host);
    zci_backend_unref(&backend);
    return 0;
}
