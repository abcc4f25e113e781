/* SPDX-License-Identifier: MIT */
/* What only time shows on a GPU: gpu_long cycles N opens, uses and closes so many times;
 * gpu_long run SECONDS processes 4K frames at full rate. Memory stays flat, and no frame is lost
 * or wrong. */
#include "check.h"

#include <unistd.h>

#include <cuda_runtime_api.h>

#include "os/clock.h"
#include "zcstream/zcstream.h"

enum { BUFFERS = 8, KIB = 1024, CHAIN_FRAMES = 4 };
#define SECOND_NS INT64_C(1000000000)
#define STAGES "black=16,wb=manual:r=1.5:b=1.25,demosaic=mhc,digest"

struct usage {
    size_t resident_kib, device_kib; /* device: free */
};

static struct usage usage(void)
{
    unsigned long ignored = 0, pages = 0;
    size_t left = 0, total = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%lu %lu", &ignored, &pages) == 2);
    fclose(file);
    CHECK_EQ(cudaMemGetInfo(&left, &total), 0);
    return (struct usage){pages * ((size_t)sysconf(_SC_PAGESIZE) / KIB), left / KIB};
}

static void check_flat(struct usage before, const char *what)
{
    const struct usage now = usage();
    printf("%s: resident %zu then %zu KiB, device memory free %zu then %zu KiB\n", what,
           before.resident_kib, now.resident_kib, before.device_kib, now.device_kib);
    CHECK(now.resident_kib <= before.resident_kib + 2048);
    CHECK(now.device_kib + 4096 >= before.device_kib);
}

static void print(void *user, enum zcs_log_level level, const char *line)
{
    (void)user, (void)level;
    fprintf(stderr, "  log: %s\n", line);
}

static zcs_context *open_context(void)
{
    const struct zcs_params params = {.backend = ZCS_BACKEND_CUDA, .log = print};
    zcs_context *ctx = NULL;
    if (zcs_open(&params, &ctx) != ZCS_OK)
        SKIP("no GPU");
    return ctx;
}

static void cycle(enum zcs_route route)
{
    zcs_context *ctx = open_context();
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    const struct zcs_pattern_params pattern = {
        .format = ZCS_PIXFMT_SGBRG10P, .width = 321, .height = 122, .frames = CHAIN_FRAMES};
    const struct zcs_stream_params params = {.stages = STAGES, .route = route};
    uint32_t count = 0;
    CHECK_EQ(zcs_source_open_pattern(ctx, &pattern, &source), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    for (; zcs_stream_next(stream, -1, &frame) == ZCS_OK; count++)
        zcs_frame_unref(&frame);
    CHECK_EQ(count, CHAIN_FRAMES);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    zcs_close(&ctx);
}

static void cycles(uint32_t count)
{
    struct usage before = usage();
    for (uint32_t i = 0; i < count; i++) {
        cycle((enum zcs_route)(i % (ZCS_ROUTE_WHOLE + 1)));
        if (i == count / 10)
            before = usage();
    }
    char what[32];
    snprintf(what, sizeof what, "%u cycles", count);
    check_flat(before, what);
}

/* A camera SDK's buffers, pushed again as soon as they are let go. */
static struct feed {
    zcs_source *source;
    uint64_t next;    /* sequence */
    int64_t until_ns; /* when no more are pushed */
    uint32_t out;     /* buffers with the library */
} feed;

static void release(void *user, void *memory)
{
    (void)user;
    feed.out--;
    if (zci_now_ns() >= feed.until_ns)
        return;
    feed.out++;
    const struct zcs_push_meta meta = {.sequence = feed.next++};
    CHECK_EQ(zcs_source_push(feed.source, memory, &meta, release, user), ZCS_OK);
}

static void fill(uint8_t *pixels, size_t bytes, uint64_t seed)
{
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        const uint64_t value = test_random(&seed);
        memcpy(pixels + i, &value, 8);
    }
}

/* Buffer i's frames are those with sequence % BUFFERS == i: as results come in order, so do
 * releases. */
static void run(int64_t seconds)
{
    zcs_context *ctx = open_context();
    struct zcs_push_params push = {.queue = BUFFERS};
    const struct zcs_stream_params params = {
        .stages = STAGES, .device_results = 1, .device_count = 1, .in_flight = 3};
    void *buffers[BUFFERS] = {NULL};
    uint64_t digests[BUFFERS] = {0}, count = 0;
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    struct usage before = {0};
    CHECK_EQ(zcs_image_init(&push.image, ZCS_PIXFMT_SRGGB8, 3840, 2160, 0), ZCS_OK);
    CHECK_EQ(zcs_source_open_push(ctx, &push, &feed.source), ZCS_OK);
    for (uint32_t i = 0; i < BUFFERS; i++) {
        CHECK_EQ(zcs_memory_alloc(ctx, ZCS_ROLE_INGEST, push.image.size_bytes, &buffers[i]),
                 ZCS_OK);
        fill(buffers[i], push.image.size_bytes, 77 + i);
    }
    CHECK_EQ(zcs_stream_create(ctx, feed.source, &params, &stream), ZCS_OK);
    const int64_t begin_ns = zci_now_ns();
    feed.until_ns = begin_ns + seconds * SECOND_NS;
    for (uint32_t i = 0; i < BUFFERS; i++) {
        feed.out++;
        release(NULL, buffers[i]);
    }
    while (feed.out > 0) {
        CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
        CHECK_EQ(frame->sequence, count);
        CHECK_EQ(frame->cpu_bytes_copied, 0);
        if (count < BUFFERS)
            digests[count] = frame->digest;
        CHECK(frame->digest == digests[count % BUFFERS]);
        zcs_frame_unref(&frame);
        if (++count == 1000)
            before = usage();
    }
    const double took = (double)(zci_now_ns() - begin_ns) / 1e9;
    struct zcs_stream_stats stats;
    zcs_stream_stats(stream, &stats);
    CHECK_EQ(stats.processed, feed.next);
    for (int i = 0; i < ZCS_LOSS_COUNT; i++)
        CHECK_EQ(stats.lost[i], 0);
    printf("%.0f s: route %s (%s)\n", took, zcs_route_name(stats.route), stats.route_reason);
    char what[128];
    snprintf(what, sizeof what, "%" PRIu64 " 4K frames, %.1f a second, %.1f GB/s, none lost", count,
             (double)count / took, (double)count * (double)push.image.size_bytes / took / 1e9);
    check_flat(before, what);
    zcs_stream_destroy(&stream);
    zcs_source_close(&feed.source);
    for (uint32_t i = 0; i < BUFFERS; i++)
        zcs_memory_free(ctx, &buffers[i]);
    zcs_close(&ctx);
}

int main(int argc, char **argv)
{
    const int count = argc > 2 ? atoi(argv[2]) : 0;
    if (count > 0 && strcmp(argv[1], "cycles") == 0)
        cycles((uint32_t)count);
    else if (count > 0 && strcmp(argv[1], "run") == 0)
        run(count);
    else {
        fprintf(stderr, "usage: gpu_long cycles N | run SECONDS\n");
        return 2;
    }
    return 0;
}
