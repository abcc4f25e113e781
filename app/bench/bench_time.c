/* SPDX-License-Identifier: MIT */
/* Timing the series of a group: in turn, medians, as many rounds as half a second has room for. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "app/bench/bench.h"

#define GROUP_NS 500000000
#define MIN_ROUNDS 5u
#define WARM_ROUNDS 2u

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

struct bench_group *bench_group(struct bench_table *table, const char *title)
{
    struct bench_group *group = &table->groups[table->count++];
    *group = (struct bench_group){.count = 0};
    snprintf(group->title, sizeof group->title, "%s", title);
    return group;
}

struct bench_series *bench_add(struct bench *bench, struct bench_table *table, const char *name)
{
    struct bench_group *group = &table->groups[table->count - 1];
    struct bench_series *series = &group->series[group->count++];
    *series = (struct bench_series){.bench = bench};
    snprintf(series->name, sizeof series->name, "%s", name);
    return series;
}

static zcs_status run_way(struct bench_series *series, int64_t *ns)
{
    return zcs_measure_run(series->bench->measure, series->benchmark, series->bytes, ns);
}

void bench_add_way(struct bench *bench, struct bench_table *table, const char *name,
                   enum zcs_benchmark benchmark, size_t bytes)
{
    struct bench_series *series = bench_add(bench, table, name);
    series->run = run_way;
    series->benchmark = benchmark;
    series->bytes = bytes;
}

static zcs_status round_of(struct bench_group *group, unsigned round)
{
    for (unsigned i = 0; i < group->count; i++) {
        struct bench_series *series = &group->series[i];
        if (series->left_out)
            continue;
        const zcs_status status = series->run(series, &series->values[round]);
        series->left_out = status == ZCS_ERR_UNSUPPORTED;
        if (status != ZCS_OK && !series->left_out)
            return status;
    }
    return ZCS_OK;
}

static int order(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* What is left out makes room. */
static void close_up(struct bench_group *group)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < group->count; i++) {
        struct bench_series *series = &group->series[i];
        if (series->end != NULL)
            series->end(series);
        if (series->left_out)
            continue;
        qsort(series->values, group->rounds, sizeof *series->values, order);
        if (kept != i)
            group->series[kept] = *series;
        kept++;
    }
    group->count = kept;
}

zcs_status bench_time(struct bench_group *group)
{
    zcs_status status = ZCS_OK;
    for (unsigned i = 0; i < WARM_ROUNDS && status == ZCS_OK; i++)
        status = round_of(group, 0);
    const int64_t begin_ns = now_ns();
    while (status == ZCS_OK && group->rounds < BENCH_ROUNDS &&
           (group->rounds < MIN_ROUNDS || now_ns() - begin_ns < GROUP_NS)) {
        status = round_of(group, group->rounds);
        group->rounds++;
    }
    close_up(group);
    return status;
}

double bench_median_us(const struct bench_group *group, unsigned series)
{
    const unsigned middle = group->rounds / 2;
    return (double)group->series[series].values[middle] / 1e3;
}

double bench_rate(const struct bench_group *group, unsigned series)
{
    const double us = bench_median_us(group, series);
    return us > 0 ? (double)group->series[series].bytes / us / 1e3 : 0;
}
