/* SPDX-License-Identifier: MIT */
/* The tables of zcapp bench on the processor alone: memory copies by threads, and PNG. */
#include "app/bench/tables.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/output/png.h"

#define MIB ((size_t)1 << 20)
#define MAX_THREADS 16u

/* --- memory --- */

struct copying {
    uint8_t *from, *to;
    unsigned threads;
};

struct slice {
    pthread_t thread;
    uint8_t *from, *to;
    size_t bytes;
};

static void *copy_slice(void *user)
{
    const struct slice *slice = user;
    memcpy(slice->to, slice->from, slice->bytes);
    return NULL;
}

static zcs_status run_copying(struct bench_series *series, int64_t *ns)
{
    const struct copying *copying = series->user;
    struct slice slices[MAX_THREADS];
    const size_t bytes = series->bytes / copying->threads;
    unsigned started = 0;
    const int64_t begin_ns = bench_now_ns();
    for (unsigned i = 0; i < copying->threads; i++) {
        slices[i] = (struct slice){
            .from = copying->from + i * bytes, .to = copying->to + i * bytes, .bytes = bytes};
        if (pthread_create(&slices[i].thread, NULL, copy_slice, &slices[i]) != 0)
            break;
        started++;
    }
    for (unsigned i = 0; i < started; i++)
        pthread_join(slices[i].thread, NULL);
    *ns = bench_now_ns() - begin_ns;
    return started == copying->threads ? ZCS_OK : ZCS_ERR_NOMEM;
}

static void end_copying(struct bench_series *series)
{
    struct copying *copying = series->user;
    free(copying->from);
    free(copying->to);
    free(copying);
}

static zcs_status add_copying(struct bench *bench, struct bench_table *table, unsigned threads)
{
    char name[48];
    snprintf(name, sizeof name, "%u threads", threads);
    struct bench_series *series = bench_add(bench, table, name);
    struct copying *copying = calloc(1, sizeof *copying);
    if (copying == NULL)
        return ZCS_ERR_NOMEM;
    series->user = copying;
    series->run = run_copying;
    series->end = end_copying;
    series->bytes = BENCH_MAX_BYTES;
    copying->threads = threads;
    copying->from = malloc(series->bytes);
    copying->to = malloc(series->bytes);
    if (copying->from == NULL || copying->to == NULL)
        return ZCS_ERR_NOMEM;
    memset(copying->from, 1, series->bytes);
    memset(copying->to, 2, series->bytes);
    return ZCS_OK;
}

zcs_status bench_fill_memory(struct bench *bench, struct bench_table *table)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    zcs_status status = ZCS_OK;
    bench_group(table, "memcpy by one thread");
    bench_add_benchmark(bench, table, "64 KiB", ZCS_BENCHMARK_CPU_COPY, MIB / 16);
    bench_add_benchmark(bench, table, "1 MiB", ZCS_BENCHMARK_CPU_COPY, MIB);
    bench_add_benchmark(bench, table, "64 MiB", ZCS_BENCHMARK_CPU_COPY, 64 * MIB);
    bench_group(table, "memcpy of 64 MiB");
    bench_add_benchmark(bench, table, "1 thread", ZCS_BENCHMARK_CPU_COPY, 64 * MIB);
    for (unsigned threads = 2; threads <= MAX_THREADS && status == ZCS_OK; threads *= 2)
        if ((long)threads <= cores)
            status = add_copying(bench, table, threads);
    return status;
}

/* --- PNG --- */

struct png_run {
    FILE *file; /* /dev/null */
    const struct zcs_frame *frame;
    unsigned level;
};

static zcs_status run_png(struct bench_series *series, int64_t *ns)
{
    const struct png_run *run = series->user;
    const struct encoder_options style = {.png_level = run->level, .source = "bench"};
    char why[256];
    const int64_t begin_ns = bench_now_ns();
    const int failed = png_frame(run->file, run->frame, &style, why, sizeof why);
    *ns = bench_now_ns() - begin_ns;
    return failed ? ZCS_ERR_IO : ZCS_OK;
}

static void end_png(struct bench_series *series)
{
    struct png_run *run = series->user;
    if (run->file != NULL)
        fclose(run->file);
    zcs_frame_unref(&run->frame);
    free(run);
}

/* Makes a result as in a run: a synthetic frame, processed on the host. */
static zcs_status make_result(const struct bench *bench, const struct zcs_frame **out)
{
    const struct zcs_pattern_params pattern = {
        .name = "zone", .format = ZCS_PIXFMT_SRGGB8, .width = 1280, .height = 720, .frames = 1};
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    zcs_status status = zcs_source_open_pattern(bench->host, &pattern, &source);
    if (status == ZCS_OK)
        status = zcs_stream_create(bench->host, source, NULL, &stream);
    if (status == ZCS_OK)
        do
            status = zcs_stream_next(stream, -1, out);
        while (status == ZCS_AGAIN); /* a signal ended the wait */
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    return status;
}

zcs_status bench_fill_png(struct bench *bench, struct bench_table *table)
{
    static const unsigned levels[] = {0, 1, 6};
    zcs_status status = ZCS_OK;
    bench_group(table, "1280x720 RGB, one thread");
    for (unsigned i = 0; i < sizeof levels / sizeof *levels && status == ZCS_OK; i++) {
        char name[48];
        snprintf(name, sizeof name, "--png-level %u", levels[i]);
        struct bench_series *series = bench_add(bench, table, name);
        struct png_run *run = calloc(1, sizeof *run);
        if (run == NULL)
            return ZCS_ERR_NOMEM;
        series->user = run;
        series->run = run_png;
        series->end = end_png;
        run->level = levels[i];
        run->file = fopen("/dev/null", "wb");
        status = run->file == NULL ? ZCS_ERR_IO : make_result(bench, &run->frame);
        series->bytes = (size_t)1280 * 720 * 3;
    }
    return status;
}
