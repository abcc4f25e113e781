/* SPDX-License-Identifier: MIT */
/* What several GPUs bring, both sides in turn in one run: gpu_multi [OUT.json]. With one GPU it
 * is listed twice, which shows that everything runs, and no gain. Rows that memory may limit
 * have a row of plain copies of the same bytes behind them, from the same rounds: what the
 * machine gives two GPUs at most. Which routes the streams ended with, and whether one was
 * measured anew, goes to stderr. */
#include "check.h"

#include <cuda_runtime_api.h>

#include "os/clock.h"
#include "stream/drift.h"
#include "gpu/copies.h"
#include "kernels/cuda/measure.h"
#include "zcstream/zcstream.h"

enum { WIDTH = 3840, HEIGHT = 2160, FRAME_BYTES = WIDTH * HEIGHT };
enum {
    BUFFERS = COPIES_SOURCES,
    ROUNDS = 5,
    WORK_BLOCKS = 1056,
    WORK_FLOATS = 1 << 22,
    WORK_TIMES = 10
};
#define SECOND_NS INT64_C(1000000000)
#define RUN_NS (SECOND_NS * 3 / 10)
#define WARM_NS (SECOND_NS / 20)
#define DEVELOP "black=16,wb=manual:r=1.5:b=1.25,demosaic=mhc"
/* What comes back is small, so that memory does not limit two GPUs. */
#define TO_DIGEST DEVELOP ",digest,crop=256x256"

static zcs_context *ctx;
static uint32_t second; /* the other device */

/* What became of the routes of one side's streams. */
struct side {
    uint32_t ended[ZCS_ROUTE_WHOLE + 1]; /* chains with each */
    uint32_t anew;                       /* chains whose routes were measured once more */
    char reason[200];                    /* of the latest stream, for its first chain */
};
static struct side *side; /* NULL: nothing is measured */

/* The library tells of every route, and of a broadcast's other chains nowhere else. */
static void print(void *user, enum zcs_log_level level, const char *line)
{
    (void)user;
    const int anew = strstr(line, "; anew, as ") != NULL;
    if (side != NULL)
        side->anew += anew != 0;
    if (anew || level <= ZCS_LOG_WARNING)
        fprintf(stderr, "  log: %s\n", line);
}

/* ---- frames that are pushed again as soon as they are let go ---- */

static struct feed {
    zcs_source *source;
    struct zcs_image image;
    void *buffers[BUFFERS];
    uint64_t next;
    int stop;
} feed;

static void push(void *memory);

static void release(void *user, void *memory)
{
    (void)user;
    if (!feed.stop)
        push(memory);
}

static void push(void *memory)
{
    const struct zcs_push_meta meta = {.sequence = feed.next++};
    CHECK_EQ(zcs_source_push(feed.source, memory, &meta, release, NULL), ZCS_OK);
}

static void open_feed(uint32_t width, uint32_t height)
{
    uint64_t seed = 7;
    struct zcs_push_params params = {.queue = BUFFERS};
    feed = (struct feed){.next = 0};
    CHECK_EQ(zcs_image_init(&feed.image, ZCS_PIXFMT_SRGGB8, width, height, 0), ZCS_OK);
    params.image = feed.image;
    CHECK_EQ(zcs_source_open_push(ctx, &params, &feed.source), ZCS_OK);
    for (uint32_t i = 0; i < BUFFERS; i++) {
        CHECK_EQ(zcs_memory_alloc(ctx, ZCS_ROLE_INGEST, feed.image.size_bytes, &feed.buffers[i]),
                 ZCS_OK);
        for (size_t k = 0; k + 8 <= feed.image.size_bytes; k += 8) {
            const uint64_t value = test_random(&seed);
            memcpy((uint8_t *)feed.buffers[i] + k, &value, 8);
        }
    }
}

static void close_feed(void)
{
    zcs_source_close(&feed.source);
    for (uint32_t i = 0; i < BUFFERS; i++)
        zcs_memory_free(ctx, &feed.buffers[i]);
}

static zcs_stream *open_stream(const struct zcs_stream_params *params)
{
    zcs_stream *stream = NULL;
    CHECK_EQ(zcs_stream_create(ctx, feed.source, params, &stream), ZCS_OK);
    return stream;
}

/* The next result's route. */
static enum zcs_route take(zcs_stream *stream)
{
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
    const enum zcs_route route = frame->route;
    zcs_frame_unref(&frame);
    return route;
}

/* Notes what became of its routes, by a last frame, and ends it. */
static void end_stream(zcs_stream **stream, uint32_t chains)
{
    struct zcs_stream_stats stats;
    for (uint32_t i = 0; i < chains; i++)
        side->ended[take(*stream)]++;
    zcs_stream_stats(*stream, &stats);
    snprintf(side->reason, sizeof side->reason, "%s", stats.route_reason);
    feed.stop = 1;
    zcs_stream_destroy(stream);
    close_feed();
}

/* Frames a second; a broadcast's count as one with all their results. */
static double rate_of(const struct zcs_stream_params *wanted, uint32_t width, uint32_t height)
{
    struct zcs_stream_params params = *wanted;
    const uint32_t chains = params.chain_count ? params.chain_count : 1;
    uint64_t frames = 0;
    params.in_flight = COPIES_FLIGHT;
    open_feed(width, height);
    zcs_stream *stream = open_stream(&params);
    for (uint32_t i = 0; i < BUFFERS; i++)
        push(feed.buffers[i]);
    const int64_t warm_ns = zci_now_ns() + WARM_NS;
    while (zci_now_ns() < warm_ns)
        for (uint32_t i = 0; i < chains; i++)
            take(stream);
    const int64_t begin_ns = zci_now_ns();
    for (; zci_now_ns() < begin_ns + RUN_NS; frames++)
        for (uint32_t i = 0; i < chains; i++)
            take(stream);
    const double seconds = (double)(zci_now_ns() - begin_ns) / (double)SECOND_NS;
    end_stream(&stream, chains);
    return (double)frames / seconds;
}

/* Microseconds from a push to its result, one frame at a time. */
static double latency_of(const struct zcs_stream_params *wanted, uint32_t width, uint32_t height)
{
    enum { TIMES = 41, WARM = 8 };
    struct zcs_stream_params params = *wanted;
    int64_t ns[TIMES];
    params.in_flight = 1;
    params.wait = ZCS_WAIT_SPIN;
    open_feed(width, height);
    feed.stop = 1;
    zcs_stream *stream = open_stream(&params);
    for (int i = 0; i < WARM + TIMES; i++) {
        const int64_t begin_ns = zci_now_ns();
        push(feed.buffers[i % BUFFERS]);
        take(stream);
        if (i >= WARM)
            ns[i - WARM] = zci_now_ns() - begin_ns;
    }
    push(feed.buffers[0]);
    end_stream(&stream, 1);
    return (double)zci_median(ns, TIMES) / 1000.0;
}

/* ---- a stage that takes its time: arithmetic that fills the GPU ---- */

static float *work[ZCS_MAX_DEVICES];

static zcs_status toil(void *user, const struct zcs_view *in, const struct zcs_view *out,
                       void *cuda_stream)
{
    int device = 0;
    (void)user;
    CHECK_EQ(cudaGetDevice(&device), 0);
    if (work[device] == NULL)
        CHECK_EQ(cudaMalloc((void **)&work[device], 2 * WORK_FLOATS * sizeof(float)), 0);
    CHECK_EQ(cudaMemcpyAsync(out->data, in->data, in->stride_bytes * in->height,
                             cudaMemcpyDeviceToDevice, cuda_stream),
             0);
    struct zck_cuda_measure measure = {
        .a = work[device], .out = work[device] + WORK_FLOATS, .count = WORK_FLOATS};
    void *arguments[] = {&measure};
    const dim3 grid = {WORK_BLOCKS, 1, 1}, block = {ZCK_CUDA_MEASURE_THREADS, 1, 1};
    for (int i = 0; i < WORK_TIMES; i++)
        if (cudaLaunchKernel(zck_cuda_work_kernel(), grid, block, arguments, 0, cuda_stream) != 0)
            return ZCS_ERR_DEVICE;
    return ZCS_OK;
}

/* ---- the table ---- */

static FILE *json;

static void report(const char *what, double alone, double together, double ratio, double spread)
{
    printf("%-44s %10.1f %10.1f %8.3f  (%.3f apart)\n", what, alone, together, ratio, spread);
    if (json != NULL)
        fprintf(json, "%s{\"what\": \"%s\", \"one\": %.1f, \"several\": %.1f, \"ratio\": %.3f}",
                ftell(json) > 1 ? ",\n" : "", what, alone, together, ratio);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Both sides by turns; the median of the rounds' ratios. */
struct row {
    const char *what;
    double alone[ROUNDS], together[ROUNDS], ratio[ROUNDS];
    struct side sides[2];
};

static void note(struct row *row, uint32_t round, double alone, double together)
{
    row->alone[round] = alone;
    row->together[round] = together;
    row->ratio[round] = together / alone;
}

static void tell(const char *which, const struct side *of)
{
    fprintf(stderr, "  %s:", which);
    for (int i = 0; i <= (int)ZCS_ROUTE_WHOLE; i++)
        if (of->ended[i] > 0)
            fprintf(stderr, " %s %" PRIu32 " times,", zcs_route_name((enum zcs_route)i),
                    of->ended[i]);
    fprintf(stderr, " measured anew %" PRIu32 " times; at last: %s\n", of->anew, of->reason);
}

static void sum_up(struct row *row)
{
    qsort(row->alone, ROUNDS, sizeof *row->alone, by_size);
    qsort(row->together, ROUNDS, sizeof *row->together, by_size);
    qsort(row->ratio, ROUNDS, sizeof *row->ratio, by_size);
    report(row->what, row->alone[ROUNDS / 2], row->together[ROUNDS / 2], row->ratio[ROUNDS / 2],
           row->ratio[ROUNDS - 1] - row->ratio[0]);
}

typedef double (*measure_fn)(const struct zcs_stream_params *, uint32_t, uint32_t);

/* One round of both sides. */
static void measure_both(struct row *row, uint32_t round, measure_fn measure,
                         const struct zcs_stream_params *one,
                         const struct zcs_stream_params *several, uint32_t width, uint32_t height)
{
    side = &row->sides[0];
    const double alone = measure(one, width, height);
    side = &row->sides[1];
    note(row, round, alone, measure(several, width, height));
    side = NULL;
}

static void finish(struct row *row)
{
    tell("one", &row->sides[0]);
    tell("several", &row->sides[1]);
    sum_up(row);
    fflush(stdout); /* in order with those, where both go to one file */
}

static void compare(const char *what, measure_fn measure, const struct zcs_stream_params *one,
                    const struct zcs_stream_params *several, uint32_t width, uint32_t height)
{
    struct row row = {.what = what};
    for (uint32_t i = 0; i < ROUNDS; i++)
        measure_both(&row, i, measure, one, several, width, height);
    finish(&row);
}

/* A 4K stream's rates, and those of its bytes alone: out_bytes come back of each frame. */
static void compare_with_copies(const char *what, const char *copies_what,
                                const struct zcs_stream_params *one,
                                const struct zcs_stream_params *several, size_t out_bytes)
{
    const uint32_t devices[COPIES_DEVICES] = {0, second};
    const uint32_t first = one->devices[0] != devices[0];
    const int to_all = several->dispatch == ZCS_DISPATCH_BROADCAST;
    struct row row = {.what = what}, copies_row = {.what = copies_what};
    struct copies copies;
    copies_open(&copies, ctx, devices, FRAME_BYTES, out_bytes);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        measure_both(&row, i, rate_of, one, several, WIDTH, HEIGHT);
        const double plain = copies_rate(&copies, first, 1, 0, WARM_NS, RUN_NS);
        note(&copies_row, i, plain, copies_rate(&copies, 0, 2, to_all, WARM_NS, RUN_NS));
    }
    copies_close(&copies);
    finish(&row);
    sum_up(&copies_row);
}

static struct zcs_stream_params on(const char *stages, enum zcs_dispatch dispatch, uint32_t count,
                                   uint32_t first)
{
    struct zcs_stream_params params = {.stages = stages, .dispatch = dispatch};
    params.device_count = count;
    params.devices[0] = first;
    params.devices[1] = second;
    return params;
}

static void compare_frames(void)
{
    static const char *const chains[] = {TO_DIGEST, DEVELOP ",gray", DEVELOP};
    static const char *const names[] = {"frames, 4K to a digest and a crop, frames/s",
                                        "frames, 4K to grey, frames/s",
                                        "frames, 4K to RGBA, frames/s"};
    static const char *const plain[] = {"plain copies, 4K in, frames/s",
                                        "plain copies, 4K in, grey out, frames/s",
                                        "plain copies, 4K in, RGBA out, frames/s"};
    static const size_t out_bytes[] = {0, FRAME_BYTES, (size_t)4 * FRAME_BYTES};
    for (int i = 0; i < 3; i++) {
        const struct zcs_stream_params one = on(chains[i], ZCS_DISPATCH_FRAMES, 1, 0);
        const struct zcs_stream_params two = on(chains[i], ZCS_DISPATCH_FRAMES, 2, 0);
        compare_with_copies(names[i], plain[i], &one, &two, out_bytes[i]);
    }
}

static void compare_bands(void)
{
    static const char *const chains[] = {DEVELOP, DEVELOP ",gray", TO_DIGEST,
                                         "black=16,wb=auto,demosaic=mhc",
                                         "black=16,wb=auto,demosaic=mhc,flip=v"};
    static const char *const names[] = {
        "bands, one 8K frame to RGBA, us", "bands, one 8K frame to grey, us",
        "bands, one 8K frame to a digest, crop, us", "bands, one 8K frame, wb=auto, us",
        "bands, one 8K frame, wb=auto, then flip, us"};
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        const struct zcs_stream_params one = on(chains[i], ZCS_DISPATCH_FRAMES, 1, 0);
        const struct zcs_stream_params two = on(chains[i], ZCS_DISPATCH_BANDS, 2, 0);
        compare(names[i], latency_of, &one, &two, 7680, 4320);
    }
}

static void compare_relay(void)
{
    static const struct zcs_custom_stage toils[] = {{.name = "toil", .cuda_fn = toil}};
    static const char *const names[] = {"relay, 1080p, mapped, equal halves, frames/s",
                                        "relay, 1080p, staged, equal halves, frames/s",
                                        "relay, 1080p, whole, equal halves, frames/s"};
    static const enum zcs_route fixed[] = {ZCS_ROUTE_MAPPED, ZCS_ROUTE_STAGED, ZCS_ROUTE_WHOLE};
    for (int i = 0; i < 3; i++) {
        struct zcs_stream_params one = on("toil,toil", ZCS_DISPATCH_FRAMES, 1, 0);
        struct zcs_stream_params two = on("toil,toil", ZCS_DISPATCH_RELAY, 2, 0);
        one.custom = two.custom = toils;
        one.custom_count = two.custom_count = 1;
        one.route = two.route = fixed[i];
        compare(names[i], rate_of, &one, &two, 1920, 1080);
    }
}

/* Each chain on its GPU, alone and in the broadcast. Equal chains, as every frame goes to both. */
static void compare_broadcast(void)
{
    static const char *const chains[] = {DEVELOP, DEVELOP ",gray", TO_DIGEST};
    static const char *const names[][2] = {
        {"broadcast, 4K to RGBA, beside the first", "broadcast, 4K to RGBA, beside the second"},
        {"broadcast, 4K to grey, beside the first", "broadcast, 4K to grey, beside the second"},
        {"broadcast, 4K to a digest, beside the first",
         "broadcast, 4K to a digest, beside the second"}};
    static const char *const plain[][2] = {
        {NULL, NULL},
        {"plain copies to both, grey out, beside the first",
         "plain copies to both, grey out, beside the second"},
        {"plain copies to both, beside the first", "plain copies to both, beside the second"}};
    static const size_t out_bytes[] = {0, FRAME_BYTES, 0};
    for (int i = 0; i < 3; i++) {
        const char *const equal[] = {chains[i], chains[i]};
        struct zcs_stream_params both = on(NULL, ZCS_DISPATCH_BROADCAST, 2, 0);
        both.chains = equal;
        both.chain_count = 2;
        for (uint32_t k = 0; k < 2; k++) {
            const struct zcs_stream_params alone =
                on(chains[i], ZCS_DISPATCH_FRAMES, 1, k ? second : 0);
            if (plain[i][k] != NULL)
                compare_with_copies(names[i][k], plain[i][k], &alone, &both, out_bytes[i]);
            else
                compare(names[i][k], rate_of, &alone, &both, WIDTH, HEIGHT);
        }
    }
}

int main(int argc, char **argv)
{
    const struct zcs_params params = {
        .backend = ZCS_BACKEND_CUDA, .log = print, .log_level = ZCS_LOG_INFO};
    if (zcs_open(&params, &ctx) != ZCS_OK)
        SKIP("no GPU");
    json = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (json != NULL)
        fputs("[", json);
    second = zcs_device_count(ctx) > 1 ? 1 : 0;
    printf("%-44s %10s %10s %8s\n", second ? "two GPUs" : "one GPU, listed twice", "one", "several",
           "ratio");
    compare_frames();
    compare_bands();
    compare_relay();
    compare_broadcast();
    if (json != NULL) {
        fputs("]\n", json);
        fclose(json);
    }
    zcs_close(&ctx);
    return 0;
}
