/* SPDX-License-Identifier: MIT */
/* Frames in memory from zcs_memory_alloc: CUDA is not asked where they are, until the memory is
 * let go. CUDA is a stand-in that counts what it is asked. */
#include "check.h"

#include <pthread.h>

#include "backend/cuda/registration.h"
#include "gpu/fake_api.h"
#include "gpu/open_over.h"

enum { PAGE = 4096, WIDTH = 64, HEIGHT = 128, BYTES = WIDTH * HEIGHT, FRAMES = 50 };

/* The questions, whoever asks. */
static atomic_uint asked_pinned, asked_address, asked_device;

static int is_pinned(int *out, const void *host)
{
    atomic_fetch_add(&asked_pinned, 1);
    return fake_cuda.is_pinned(out, host);
}

static int host_device_pointer(void **out, void *host)
{
    atomic_fetch_add(&asked_address, 1);
    return fake_cuda.host_device_pointer(out, host);
}

static int get_device(int *out)
{
    atomic_fetch_add(&asked_device, 1);
    *out = 0;
    return 0;
}

static int set_device(int device)
{
    (void)device;
    return 0;
}

static struct zci_cuda_api table;

static zcs_context *open_counted(void)
{
    zcs_context *ctx = NULL;
    table = fake_cuda;
    table.is_pinned = is_pinned;
    table.host_device_pointer = host_device_pointer;
    table.get_device = get_device;
    table.set_device = set_device;
    CHECK_EQ(open_over(&table, NULL, &ctx), ZCS_OK);
    return ctx;
}

/* Pushed by turns from the begin and the end of the piece, two in flight. */
static void push_all(zcs_context *ctx, uint8_t *memory, enum zcs_route route)
{
    struct zcs_push_params push = {.queue = 2};
    const struct zcs_stream_params params = {
        .stages = "none", .route = route, .wait = ZCS_WAIT_SPIN};
    const struct zcs_frame *frame = NULL;
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    unsigned pinned = 0, address = 0, device = 0;
    CHECK_EQ(zcs_image_init(&push.image, ZCS_PIXFMT_GREY, WIDTH, HEIGHT, 0), ZCS_OK);
    CHECK_EQ(zcs_source_open_push(ctx, &push, &source), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    for (uint32_t i = 0; i < FRAMES; i++) {
        const struct zcs_push_meta meta = {.sequence = i};
        if (i == 1) {
            pinned = atomic_load(&asked_pinned);
            address = atomic_load(&asked_address);
            device = atomic_load(&asked_device);
        }
        CHECK_EQ(zcs_source_push(source, memory + i % 2 * BYTES, &meta, NULL, NULL), ZCS_OK);
        CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
        CHECK_EQ(frame->route, route);
        CHECK_EQ(frame->cpu_bytes_copied, 0);
        zcs_frame_unref(&frame);
    }
    printf("%s: asked of %d frames: pinned %u, address %u, current device %u\n",
           zcs_route_name(route), FRAMES - 1, atomic_load(&asked_pinned) - pinned,
           atomic_load(&asked_address) - address, atomic_load(&asked_device) - device);
    CHECK_EQ(atomic_load(&asked_pinned), pinned);
    CHECK_EQ(atomic_load(&asked_address), address);
    CHECK_EQ(atomic_load(&asked_device) - device, 2 * (FRAMES - 1)); /* in and out of submit */
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
}

/* What it was made for does not matter: results of one stream may be another's frames. */
static void pushed(void)
{
    zcs_context *ctx = open_counted();
    struct zcs_memory_stats stats;
    for (int role = ZCS_ROLE_INGEST; role <= ZCS_ROLE_READBACK; role++) {
        void *memory = NULL;
        CHECK_EQ(zcs_memory_alloc(ctx, (enum zcs_role)role, 2 * BYTES, &memory), ZCS_OK);
        push_all(ctx, memory, ZCS_ROUTE_MAPPED);
        push_all(ctx, memory, ZCS_ROUTE_STAGED);
        zcs_memory_free(ctx, &memory);
    }
    zcs_memory_stats(ctx, &stats);
    CHECK(stats.misses == 0 && stats.ranges == 0 && stats.refused == 0);
    zcs_close(&ctx);
}

static const void *find(zcs_context *ctx, const void *memory, size_t bytes)
{
    return zci_cuda_registration_find(zci_cuda_of(ctx->backend), 0, memory, bytes);
}

/* Whole pages, no byte more; gone with the memory, of which the rest stays known. */
static void edges(void)
{
    enum { PIECES = 100 };
    zcs_context *ctx = open_counted();
    void *memory[PIECES];
    const uint8_t *was[PIECES];
    for (int i = 0; i < PIECES; i++) {
        CHECK_EQ(zcs_memory_alloc(ctx, ZCS_ROLE_INGEST, PAGE + 1, &memory[i]), ZCS_OK);
        was[i] = memory[i];
    }
    for (int i = 0; i < PIECES; i++) {
        CHECK(find(ctx, was[i], 2 * PAGE) == was[i]);
        CHECK(find(ctx, was[i] + 2 * PAGE - 1, 1) == was[i] + 2 * PAGE - 1);
        CHECK(find(ctx, was[i] + 1, 2 * PAGE) == NULL);
    }
    for (int i = 0; i < PIECES; i += 2)
        zcs_memory_free(ctx, &memory[i]);
    for (int i = 0; i < PIECES; i++)
        CHECK(find(ctx, was[i], 1) == (i % 2 ? was[i] : NULL));
    const unsigned asked = atomic_load(&asked_pinned);
    void *held = NULL;
    CHECK_EQ(ctx->backend->ops->memory_use(ctx->backend, memory[1], PAGE, &held), ZCS_OK);
    CHECK(held == NULL && atomic_load(&asked_pinned) == asked);
    zcs_close(&ctx); /* which lets go of the others */
}

/* Registered on top of that: a range like any other, and the piece is there when it has gone. */
static void registered(void)
{
    zcs_context *ctx = open_counted();
    void *memory = NULL;
    CHECK_EQ(zcs_memory_alloc(ctx, ZCS_ROLE_INGEST_CACHED, 2 * PAGE, &memory), ZCS_OK);
    CHECK_EQ(zcs_memory_register(ctx, memory, PAGE), ZCS_OK);
    CHECK(find(ctx, memory, PAGE) == memory);
    CHECK_EQ(zcs_memory_release(ctx, memory), ZCS_OK);
    CHECK(find(ctx, memory, 2 * PAGE) == memory);
    zcs_memory_free(ctx, &memory);
    zcs_close(&ctx);
}

static void *come_and_go(void *user)
{
    zcs_context *ctx = user;
    for (int i = 0; i < 300; i++) {
        void *memory = NULL, *held = NULL;
        const size_t bytes = (size_t)(1 + i % 5) * PAGE;
        CHECK_EQ(zcs_memory_alloc(ctx, ZCS_ROLE_INGEST, bytes, &memory), ZCS_OK);
        CHECK_EQ(ctx->backend->ops->memory_use(ctx->backend, memory, bytes, &held), ZCS_OK);
        CHECK(held == NULL);
        CHECK(find(ctx, memory, bytes) == memory);
        zcs_memory_free(ctx, &memory);
    }
    return NULL;
}

static void several_threads(void)
{
    zcs_context *ctx = open_counted();
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, come_and_go, ctx), 0);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    CHECK_EQ(atomic_load(&asked_pinned), 0);
    zcs_close(&ctx);
}

int main(void)
{
    several_threads();
    pushed();
    edges();
    registered();
    return 0;
}
