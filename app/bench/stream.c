/* SPDX-License-Identifier: MIT */
/* The tables of zcapp bench that run streams: routes by size, latency, threads. */
#include "app/bench/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/signals.h"

#define CHAIN "black=16,wb=manual:r=1.5:b=1.25,demosaic=mhc"
#define TIMEOUT_NS 10000000000

/* A stream that receives one frame at a time, always in the same memory. */
struct push_run {
    zcs_context *ctx;
    zcs_context *own; /* equal to ctx if this run owns it, else NULL */
    zcs_source *source;
    struct zcs_stream_params params;
    zcs_stream *stream; /* created with the first frame */
    void *memory;
    uint64_t sequence;
};

/* Called when the group is timed, not earlier: a low-latency stream reserves multiprocessors, which
 * the streams of other groups could not use. */
static zcs_status make_stream(struct push_run *run)
{
    struct zcs_stream_stats stats;
    zcs_status status = ZCS_OK;
    if (run->stream == NULL)
        status = zcs_stream_create(run->ctx, run->source, &run->params, &run->stream);
    if (status != ZCS_OK || !run->params.low_latency)
        return status;
    zcs_stream_stats(run->stream, &stats);
    return stats.reserved_sms > 0 ? ZCS_OK : ZCS_ERR_UNSUPPORTED;
}

/* Signals may end a wait early, several times. ZCS_AGAIN: no result within the timeout. */
static zcs_status take_result(zcs_stream *stream, const struct zcs_frame **frame)
{
    const int64_t end_ns = bench_now_ns() + TIMEOUT_NS;
    zcs_status status;
    do
        status = zcs_stream_next(stream, TIMEOUT_NS, frame);
    while (status == ZCS_AGAIN && bench_now_ns() < end_ns);
    return status;
}

static zcs_status run_frame(struct bench_series *series, int64_t *ns)
{
    struct push_run *run = series->user;
    const struct zcs_frame *frame = NULL;
    const struct zcs_push_meta meta = {.sequence = run->sequence++};
    zcs_status status = make_stream(run);
    if (status != ZCS_OK)
        return status;
    const int64_t begin_ns = bench_now_ns();
    status = zcs_source_push(run->source, run->memory, &meta, NULL, NULL);
    if (status == ZCS_OK)
        status = take_result(run->stream, &frame);
    *ns = bench_now_ns() - begin_ns;
    zcs_frame_unref(&frame);
    return status > ZCS_OK ? ZCS_ERR_DEVICE : status;
}

static void end_run(struct bench_series *series)
{
    struct push_run *run = series->user;
    zcs_stream_destroy(&run->stream);
    zcs_source_close(&run->source);
    zcs_memory_free(run->ctx, &run->memory);
    zcs_close(&run->own);
    free(run);
    series->user = NULL;
}

/* Draws a picture, so that stages that depend on the content work as usual. */
static zcs_status draw(struct push_run *run, struct zcs_image *image, uint32_t width,
                       uint32_t height)
{
    const struct zcs_pattern_params pattern = {
        .name = "zone", .format = image->format, .width = width, .height = height, .frames = 1};
    zcs_source *drawn = NULL;
    const struct zcs_frame *frame = NULL;
    zcs_status status = zcs_source_open_pattern(run->ctx, &pattern, &drawn);
    if (status == ZCS_OK)
        status = zcs_source_next(drawn, TIMEOUT_NS, &frame);
    if (status == ZCS_OK) {
        *image = frame->image;
        status = zcs_memory_alloc(run->ctx, ZCS_ROLE_INGEST, image->size_bytes, &run->memory);
    }
    if (status == ZCS_OK)
        memcpy(run->memory, frame->host, image->size_bytes);
    zcs_frame_unref(&frame);
    zcs_source_close(&drawn);
    return status;
}

static zcs_status add_run(struct bench *bench, struct bench_table *table, const char *name,
                          struct push_run made, enum zcs_pixfmt format, uint32_t width,
                          uint32_t height, const struct zcs_stream_params *params)
{
    struct bench_series *series = bench_add(bench, table, name);
    struct push_run *run = calloc(1, sizeof *run);
    struct zcs_push_params push = {.image = {.format = format}, .queue = 2};
    if (run == NULL) {
        zcs_close(&made.own);
        return ZCS_ERR_NOMEM;
    }
    *run = made;
    run->params = *params;
    series->user = run;
    series->run = run_frame;
    series->end = end_run;
    zcs_status status = draw(run, &push.image, width, height);
    series->bytes = push.image.size_bytes;
    if (status == ZCS_OK)
        status = zcs_source_open_push(run->ctx, &push, &run->source);
    return status;
}

/* --- routes --- */

static const uint32_t route_sizes[BENCH_GROUPS][2] = {
    {320, 240},   {640, 480},   {1280, 720},  {1920, 1080},
    {2560, 1440}, {3840, 2160}, {5120, 2880}, {7680, 4320},
};

zcs_status bench_fill_routes(struct bench *bench, struct bench_table *table)
{
    zcs_status status = ZCS_OK;
    for (unsigned i = 0; i < BENCH_GROUPS && status == ZCS_OK; i++) {
        char title[64];
        const uint32_t width = route_sizes[i][0], height = route_sizes[i][1];
        snprintf(title, sizeof title, "%" PRIu32 "x%" PRIu32 " Bayer 8", width, height);
        bench_group(table, title);
        for (enum zcs_route route = ZCS_ROUTE_MAPPED; route <= ZCS_ROUTE_WHOLE && status == ZCS_OK;
             route++) {
            const struct zcs_stream_params params = {.stages = CHAIN,
                                                     .depth = ZCS_DEPTH_8,
                                                     .device_count = 1,
                                                     .in_flight = 1,
                                                     .device_results = 1,
                                                     .wait = ZCS_WAIT_SPIN,
                                                     .route = route};
            status =
                add_run(bench, table, zcs_route_name(route), (struct push_run){.ctx = bench->ctx},
                        ZCS_PIXFMT_SRGGB8, width, height, &params);
        }
    }
    return status;
}

static unsigned best_of(const struct bench_group *group)
{
    unsigned best = 0;
    for (unsigned i = 1; i < group->count; i++)
        if (bench_median_us(group, i) < bench_median_us(group, best))
            best = i;
    return best;
}

void bench_conclude_routes(struct bench_table *table)
{
    size_t used = 0;
    const char *latest = "";
    for (unsigned i = 0; i < table->count && used < sizeof table->note; i++) {
        const struct bench_group *group = &table->groups[i];
        const char *best = group->count > 0 ? group->series[best_of(group)].name : "";
        if (strcmp(best, latest) != 0)
            used +=
                (size_t)snprintf(table->note + used, sizeof table->note - used, "%s%s from %s on",
                                 used > 0 ? ", " : "fastest: ", best, group->title);
        latest = best;
    }
}

/* --- latency --- */

static zcs_status run_copy(struct bench_series *series, int64_t *ns)
{
    return zcs_measure_run(series->bench->measure, ZCS_BENCHMARK_IN_PINNED, series->bytes, ns);
}

static const uint32_t latency_sizes[3][2] = {{640, 480}, {1920, 1080}, {3840, 2160}};

/* Begins a group whose first series is the copy alone. */
static void begin_latency(struct bench *bench, struct bench_table *table, unsigned i,
                          const char *how)
{
    char title[64];
    snprintf(title, sizeof title, "%" PRIu32 "x%" PRIu32 " Bayer 8, to the GPU and demosaiced%s",
             latency_sizes[i][0], latency_sizes[i][1], how);
    bench_group(table, title);
    struct bench_series *copy = bench_add(bench, table, "the copy alone, pinned");
    copy->run = run_copy;
    copy->bytes = (size_t)latency_sizes[i][0] * latency_sizes[i][1];
}

static zcs_status add_latency(struct bench *bench, struct bench_table *table, unsigned i,
                              const char *name, enum zcs_wait wait, int low_latency)
{
    const struct zcs_stream_params params = {.stages = CHAIN,
                                             .depth = ZCS_DEPTH_8,
                                             .device_count = 1,
                                             .in_flight = 1,
                                             .device_results = 1,
                                             .wait = wait,
                                             .low_latency = low_latency};
    return add_run(bench, table, name, (struct push_run){.ctx = bench->ctx}, ZCS_PIXFMT_SRGGB8,
                   latency_sizes[i][0], latency_sizes[i][1], &params);
}

/* Low latency has groups of its own: its SM reservation would slow the other series down. */
zcs_status bench_fill_latency(struct bench *bench, struct bench_table *table)
{
    static const char *const waits[] = {[ZCS_WAIT_AUTO] = "stream, wait: auto",
                                        [ZCS_WAIT_SPIN] = "stream, wait: spin",
                                        [ZCS_WAIT_YIELD] = "stream, wait: yield",
                                        [ZCS_WAIT_BLOCK] = "stream, wait: block"};
    zcs_status status = ZCS_OK;
    for (unsigned i = 0; i < 3 && status == ZCS_OK; i++) {
        begin_latency(bench, table, i, "");
        for (enum zcs_wait wait = ZCS_WAIT_AUTO; wait <= ZCS_WAIT_BLOCK && status == ZCS_OK; wait++)
            status = add_latency(bench, table, i, waits[wait], wait, 0);
    }
    for (unsigned i = 0; i < 3 && status == ZCS_OK; i++) {
        begin_latency(bench, table, i, ", held");
        status = add_latency(bench, table, i, "stream, low latency", ZCS_WAIT_SPIN, 1);
    }
    return status;
}

/* --- threads --- */

zcs_status bench_fill_threads(struct bench *bench, struct bench_table *table)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t max = cores > 0 ? (uint32_t)cores : 1;
    const struct zcs_stream_params params = {.in_flight = 1};
    zcs_status status = ZCS_OK;
    bench_group(table, "1920x1080 SRGGB10P, black,wb,demosaic,ccm,gamma");
    for (uint32_t threads = 1; status == ZCS_OK && table->groups[0].count < BENCH_SERIES;
         threads *= 2) {
        const struct zcs_params open = {.backend = ZCS_BACKEND_HOST,
                                        .host_threads = threads < max ? threads : max,
                                        .log = console_log,
                                        .log_user = bench->console};
        struct push_run run = {.ctx = NULL};
        char name[48];
        snprintf(name, sizeof name, "%" PRIu32 " thread%s", open.host_threads,
                 open.host_threads == 1 ? "" : "s");
        sigset_t before;
        signals_block(&before);
        status = zcs_open(&open, &run.ctx);
        signals_restore(&before);
        run.own = run.ctx;
        if (status == ZCS_OK)
            status = add_run(bench, table, name, run, ZCS_PIXFMT_SRGGB10P, 1920, 1080, &params);
        if (threads >= max)
            break;
    }
    return status;
}
