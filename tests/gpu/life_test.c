/* SPDX-License-Identifier: MIT */
/* Streams on a GPU through the public API: results and digests equal the host backend's, results
 * that stay on the device, pushed memory of every kind, ways of waiting, and no growth over many
 * openings. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_FIXED */
#include "check.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

#include "zcstream/zcstream.h"

enum { WIDTH = 321, HEIGHT = 122, FRAMES = 12, CYCLES = 300, KIB = 1024 };

static uint64_t digests[FRAMES], copied[FRAMES];

static void print(void *user, enum zcs_log_level level, const char *line)
{
    (void)user, (void)level;
    fprintf(stderr, "  log: %s\n", line);
}

static zcs_status open_context(enum zcs_backend backend, zcs_context **out)
{
    const struct zcs_params params = {.backend = backend, .log = print};
    return zcs_open(&params, out);
}

static zcs_source *open_pattern(zcs_context *ctx)
{
    zcs_source *source = NULL;
    const struct zcs_pattern_params params = {.name = "square",
                                              .format = ZCS_PIXFMT_SGBRG10P,
                                              .width = WIDTH,
                                              .height = HEIGHT,
                                              .frames = FRAMES};
    CHECK_EQ(zcs_source_open_pattern(ctx, &params, &source), ZCS_OK);
    return source;
}

/* All frames of a stream; the digests are noted or compared. */
static void run(zcs_context *ctx, const struct zcs_stream_params *params, int note,
                enum zcs_route *route)
{
    zcs_source *source = open_pattern(ctx);
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    struct zcs_stream_stats stats;
    uint32_t count = 0;
    CHECK_EQ(zcs_stream_create(ctx, source, params, &stream), ZCS_OK);
    for (; zcs_stream_next(stream, -1, &frame) == ZCS_OK; zcs_frame_unref(&frame), count++) {
        CHECK_EQ(frame->sequence, count);
        CHECK_EQ(frame->host == NULL, params->device_results);
        if (note) {
            digests[count] = frame->digest;
            copied[count] = frame->cpu_bytes_copied;
        }
        CHECK_EQ(frame->cpu_bytes_copied, copied[count]); /* by the source alone */
        CHECK(frame->digest == digests[count]);
    }
    CHECK_EQ(count, FRAMES);
    zcs_stream_stats(stream, &stats);
    *route = stats.route;
    if (params->route == ZCS_ROUTE_AUTO)
        printf("route %s: %s\n", zcs_route_name(stats.route), stats.route_reason);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
}

static void all_routes(zcs_context *ctx)
{
    for (enum zcs_route route = ZCS_ROUTE_AUTO; route <= ZCS_ROUTE_WHOLE; route++)
        for (enum zcs_wait wait = ZCS_WAIT_AUTO; wait <= ZCS_WAIT_BLOCK; wait++) {
            enum zcs_route taken;
            const struct zcs_stream_params params = {.stages = "wb,demosaic,gamma,digest",
                                                     .route = route,
                                                     .wait = wait,
                                                     .in_flight = 1 + wait,
                                                     .device_results = wait % 2,
                                                     .device_count =
                                                         wait % 2}; /* of several: the first */
            run(ctx, &params, 0, &taken);
            CHECK(route == ZCS_ROUTE_AUTO ? taken != ZCS_ROUTE_AUTO : taken == route);
        }
}

/* A frame that outlives its stream, source and context: pixels, CUDA's handles, the user's own
 * work. */
static void device_results(void)
{
    zcs_context *ctx = NULL;
    CHECK_EQ(open_context(ZCS_BACKEND_CUDA, &ctx), ZCS_OK);
    zcs_source *source = open_pattern(ctx);
    zcs_stream *stream = NULL;
    const struct zcs_stream_params params = {
        .stages = "none", .device_results = 1, .device_count = 1};
    const struct zcs_frame *frame = NULL;
    struct zcs_cuda_frame handles;
    static uint16_t pixels[HEIGHT][1024];
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    zcs_close(&ctx);
    CHECK_EQ(zcs_frame_cuda(frame, &handles), ZCS_OK);
    CHECK_EQ(handles.cuda_device, 0);
    cudaStream_t mine;
    CHECK_EQ(cudaStreamCreate(&mine), 0);
    CHECK_EQ(cudaStreamWaitEvent(mine, handles.event, 0), 0);
    CHECK(frame->image.size_bytes <= sizeof pixels && frame->host == NULL);
    CHECK_EQ(cudaMemcpyAsync(pixels, frame->device_data, frame->image.size_bytes,
                             cudaMemcpyDeviceToHost, mine),
             0);
    CHECK_EQ(cudaStreamSynchronize(mine), 0);
    CHECK_EQ(cudaStreamDestroy(mine), 0);
    uint64_t sum = 0;
    for (size_t i = 0; i < frame->image.size_bytes / 2; i++)
        sum += (&pixels[0][0])[i];
    CHECK(sum > 0);
    zcs_frame_unref(&frame);
}

static uint32_t released;

static void release(void *user, void *memory)
{
    (void)user, (void)memory;
    released++;
}

/* Memory that is registered, the library's, pinned by the application, and not pinned at all,
 * which is kept registered where that can be. */
static void push_all_kinds(zcs_context *ctx)
{
    struct zcs_push_params push = {.queue = 4};
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_image_init(&push.image, ZCS_PIXFMT_YUYV, 640, 480, 0), ZCS_OK);
    const size_t bytes = push.image.size_bytes;
    void *kinds[4] = {malloc(bytes), NULL, NULL, malloc(bytes)};
    CHECK_EQ(zcs_memory_register(ctx, kinds[0], bytes), ZCS_OK);
    CHECK_EQ(zcs_memory_alloc(ctx, ZCS_ROLE_INGEST, bytes, &kinds[1]), ZCS_OK);
    CHECK_EQ(cudaHostAlloc(&kinds[2], bytes, cudaHostAllocDefault), 0);
    CHECK_EQ(zcs_source_open_push(ctx, &push, &source), ZCS_OK);
    const struct zcs_stream_params params = {.stages = "digest", .route = ZCS_ROUTE_MAPPED};
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    for (uint32_t i = 0; i < 4; i++) {
        const struct zcs_push_meta meta = {.sequence = i};
        memset(kinds[i], 0x40, bytes);
        CHECK_EQ(zcs_source_push(source, kinds[i], &meta, release, NULL), ZCS_OK);
    }
    zcs_source_push_end(source);
    struct zcs_memory_stats memory;
    zcs_memory_stats(ctx, &memory);
    const int kept = memory.refused == 0;
    CHECK(memory.hits == 1 && memory.misses == (kept ? 2 : 1) && memory.ranges == memory.misses);
    uint64_t digest = 0;
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
        CHECK(i == 0 || digest == frame->digest);
        CHECK_EQ(frame->route, i < 3 || kept ? ZCS_ROUTE_MAPPED : ZCS_ROUTE_WHOLE);
        CHECK_EQ(frame->cpu_bytes_copied, i < 3 || kept ? 0 : bytes);
        digest = frame->digest;
        zcs_frame_unref(&frame);
    }
    CHECK_EQ(released, 4);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    CHECK_EQ(zcs_memory_release(ctx, kinds[0]), ZCS_OK);
    /* Pinned already, by the application: used, and not unregistered by us. */
    CHECK_EQ(zcs_memory_register(ctx, kinds[2], bytes), ZCS_OK);
    CHECK_EQ(zcs_memory_release(ctx, kinds[2]), ZCS_OK);
    CHECK_EQ(cudaFreeHost(kinds[2]), 0);
    CHECK_EQ(cudaGetLastError(), 0);
    zcs_memory_free(ctx, &kinds[1]);
    free(kinds[0]);
    free(kinds[3]);
}

static void *map_filled(void *at, size_t bytes, int value)
{
    void *memory = mmap(at, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | (at != NULL ? MAP_FIXED : 0), -1, 0);
    CHECK(memory != MAP_FAILED);
    memset(memory, value, bytes);
    return memory;
}

static uint64_t digest_of(zcs_source *source, zcs_stream *stream, void *memory)
{
    const struct zcs_push_meta meta = {.sequence = 0};
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_source_push(source, memory, &meta, NULL, NULL), ZCS_OK);
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
    const uint64_t digest = frame->digest;
    zcs_frame_unref(&frame);
    return digest;
}

/* CUDA goes on reading the pages that were there when it registered them. */
static void mapped_anew(zcs_context *ctx)
{
    struct zcs_push_params push = {.queue = 1};
    const struct zcs_stream_params params = {.stages = "digest", .route = ZCS_ROUTE_MAPPED};
    struct zcs_memory_stats before, after;
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    CHECK_EQ(zcs_image_init(&push.image, ZCS_PIXFMT_GREY, 1024, 512, 0), ZCS_OK);
    const size_t bytes = push.image.size_bytes;
    CHECK_EQ(zcs_source_open_push(ctx, &push, &source), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    void *memory = map_filled(NULL, bytes, 1), *other = map_filled(NULL, bytes, 2);
    zcs_memory_stats(ctx, &before);
    const uint64_t ones = digest_of(source, stream, memory),
                   twos = digest_of(source, stream, other);
    CHECK(ones != twos);
    CHECK(digest_of(source, stream, memory) == ones);
    munmap(memory, bytes);
    CHECK(map_filled(memory, bytes, 2) == memory);
    CHECK(digest_of(source, stream, memory) == twos);
    zcs_memory_stats(ctx, &after);
    CHECK(after.refused > 0 || after.remapped == before.remapped + 1);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    munmap(memory, bytes);
    munmap(other, bytes);
}

static size_t resident_kib(void)
{
    unsigned long pages = 0, ignored = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%lu %lu", &ignored, &pages) == 2);
    fclose(file);
    return pages * ((size_t)sysconf(_SC_PAGESIZE) / KIB);
}

static void no_growth(void)
{
    size_t persistent = 0, free_bytes = 0, total, now;
    for (uint32_t i = 0; i < CYCLES; i++) {
        enum zcs_route taken;
        zcs_context *ctx = NULL;
        const struct zcs_stream_params params = {.stages = "wb,demosaic,gamma,digest",
                                                 .route = ZCS_ROUTE_MAPPED + i % 3};
        CHECK_EQ(open_context(ZCS_BACKEND_CUDA, &ctx), ZCS_OK);
        run(ctx, &params, 0, &taken);
        zcs_close(&ctx);
        if (i == CYCLES / 3) {
            persistent = resident_kib();
            CHECK_EQ(cudaMemGetInfo(&free_bytes, &total), 0);
        }
    }
    CHECK_EQ(cudaMemGetInfo(&now, &total), 0);
    printf("%u cycles: resident %zu then %zu KiB, device memory free %zu then %zu KiB\n", CYCLES,
           persistent, resident_kib(), free_bytes / KIB, now / KIB);
    CHECK(resident_kib() <= persistent + 2048);
    CHECK(now + (4 << 20) >= free_bytes);
}

int main(void)
{
    zcs_context *host = NULL, *ctx = NULL;
    enum zcs_route route;
    const struct zcs_stream_params plain = {.stages = "wb,demosaic,gamma,digest"};
    if (open_context(ZCS_BACKEND_CUDA, &ctx) != ZCS_OK)
        SKIP("no GPU");
    CHECK_EQ(open_context(ZCS_BACKEND_HOST, &host), ZCS_OK);
    run(host, &plain, 1, &route);
    all_routes(ctx);
    push_all_kinds(ctx);
    mapped_anew(ctx);
    zcs_close(&ctx);
    zcs_close(&host);
    device_results();
    no_growth();
    return 0;
}
