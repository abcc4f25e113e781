/* SPDX-License-Identifier: MIT */
/* The tables of zcapp bench: measured, shown as text for a terminal, and as JSON. */
#include "app/bench/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GROUP_NS 500000000
#define MIN_ROUNDS 5u
#define WARM_ROUNDS 2u

int64_t bench_now_ns(void)
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

static zcs_status run_benchmark(struct bench_series *series, int64_t *ns)
{
    return zcs_measure_run(series->bench->measure, series->benchmark, series->bytes, ns);
}

void bench_add_benchmark(struct bench *bench, struct bench_table *table, const char *name,
                         enum zcs_benchmark benchmark, size_t bytes)
{
    struct bench_series *series = bench_add(bench, table, name);
    series->run = run_benchmark;
    series->benchmark = benchmark;
    series->bytes = bytes;
}

static zcs_status run_round(struct bench_group *group, unsigned round)
{
    for (unsigned i = 0; i < group->count; i++) {
        struct bench_series *series = &group->series[i];
        if (series->unsupported)
            continue;
        const zcs_status status = series->run(series, &series->values[round]);
        series->unsupported = status == ZCS_ERR_UNSUPPORTED;
        if (status != ZCS_OK && !series->unsupported)
            return status;
    }
    return ZCS_OK;
}

static int order(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Ends all series, sorts their times and removes those that are not supported. */
static void finish_group(struct bench_group *group)
{
    unsigned left = 0;
    for (unsigned i = 0; i < group->count; i++) {
        struct bench_series *series = &group->series[i];
        if (series->end != NULL)
            series->end(series);
        if (series->unsupported)
            continue;
        qsort(series->values, group->rounds, sizeof *series->values, order);
        if (left != i)
            group->series[left] = *series;
        left++;
    }
    group->count = left;
}

zcs_status bench_time(struct bench_group *group)
{
    zcs_status status = ZCS_OK;
    for (unsigned i = 0; i < WARM_ROUNDS && status == ZCS_OK; i++)
        status = run_round(group, 0);
    const int64_t begin_ns = bench_now_ns();
    while (status == ZCS_OK && group->rounds < BENCH_ROUNDS &&
           (group->rounds < MIN_ROUNDS || bench_now_ns() - begin_ns < GROUP_NS)) {
        status = run_round(group, group->rounds);
        group->rounds++;
    }
    finish_group(group);
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

/* --- text --- */

#define BAR_COLUMNS 30

static double value_of(const struct bench_table *table, const struct bench_group *group,
                       unsigned series)
{
    return table->rates ? bench_rate(group, series) : bench_median_us(group, series);
}

static double largest_of(const struct bench_table *table, const struct bench_group *group)
{
    double largest = 0;
    for (unsigned i = 0; i < group->count; i++)
        if (value_of(table, group, i) > largest)
            largest = value_of(table, group, i);
    return largest;
}

static void show_group(const struct bench_table *table, const struct bench_group *group)
{
    static const char bar[BAR_COLUMNS + 1] = "##############################";
    const double largest = largest_of(table, group),
                 first = group->count ? value_of(table, group, 0) : 0;
    printf("  %s\n", group->title);
    for (unsigned i = 0; i < group->count; i++) {
        const double value = value_of(table, group, i);
        const double factor = first > 0 ? value / first : 0;
        const int columns = largest > 0 ? (int)(value / largest * BAR_COLUMNS + 0.5) : 0;
        printf("    %-34s %*.*f %-4s ", group->series[i].name, 10,
               table->rates || value < 100 ? 2 : 1, value, table->rates ? "GB/s" : "us");
        printf("%-*.*s  x%.*f", BAR_COLUMNS, columns > 0 ? columns : 1, bar, factor < 0.095 ? 4 : 2,
               factor);
        printf("\n");
    }
}

void bench_show(const struct bench_table *table)
{
    printf("\n%s: %s\n", table->name, table->title);
    for (unsigned i = 0; i < table->count; i++)
        show_group(table, &table->groups[i]);
    if (table->note[0] != '\0')
        printf("  = %s\n", table->note);
    fflush(stdout);
}

/* 1: an earlier table was skipped for the same reason. */
static int is_listed(const struct bench_table *tables, unsigned at)
{
    for (unsigned i = 0; i < at; i++)
        if (tables[i].skipped != NULL && strcmp(tables[i].skipped, tables[at].skipped) == 0)
            return 1;
    return 0;
}

void bench_show_skipped(const struct bench_table *tables, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (tables[i].skipped == NULL || tables[i].interrupted || is_listed(tables, i))
            continue;
        printf("\nnot measured: %s:\n ", tables[i].skipped);
        for (unsigned k = i; k < count; k++)
            if (tables[k].skipped != NULL && strcmp(tables[k].skipped, tables[i].skipped) == 0)
                printf(" %s", tables[k].name);
        printf("\n");
    }
}

int bench_interrupted(const struct bench_table *tables, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (tables[i].interrupted)
            return 1;
    return 0;
}

void bench_show_interrupted(const struct bench_table *tables, unsigned count,
                            struct console *console)
{
    char names[256] = "";
    for (unsigned i = 0; i < count; i++) {
        const size_t used = strlen(names);
        if (tables[i].interrupted)
            snprintf(names + used, sizeof names - used, " %s%s", tables[i].name,
                     tables[i].count > 0 ? " (in part)" : "");
    }
    if (bench_interrupted(tables, count))
        console_note(console, "interrupted; not measured:%s", names);
}

/* --- JSON --- */

static void put_series(struct json *json, const struct bench_table *table,
                       const struct bench_group *group, unsigned i)
{
    const struct bench_series *series = &group->series[i];
    const double first = value_of(table, group, 0);
    json_begin(json, NULL, '{');
    json_string(json, "name", series->name);
    json_real(json, "median_us", bench_median_us(group, i), 3);
    json_real(json, "least_us", (double)series->values[0] / 1e3, 3);
    json_real(json, "most_us", (double)series->values[group->rounds - 1] / 1e3, 3);
    if (series->bytes > 0) {
        json_uint(json, "bytes", series->bytes);
        json_real(json, "gb_per_s", bench_rate(group, i), 4);
    }
    json_real(json, "of_first", first > 0 ? value_of(table, group, i) / first : 0, 5);
    json_end(json, '}');
}

void bench_put(struct json *json, const struct bench_table *table)
{
    json_begin(json, NULL, '{');
    json_string(json, "name", table->name);
    json_string(json, "title", table->title);
    json_string(json, "compares", table->rates ? "gb_per_s" : "median_us");
    json_string(json, "skipped", table->skipped);
    json_string(json, "note", table->note[0] != '\0' ? table->note : NULL);
    json_real(json, "seconds", table->seconds, 3);
    json_begin(json, "groups", '[');
    for (unsigned i = 0; i < table->count && table->skipped == NULL; i++) {
        const struct bench_group *group = &table->groups[i];
        json_begin(json, NULL, '{');
        json_string(json, "title", group->title);
        json_uint(json, "rounds", group->rounds);
        json_begin(json, "series", '[');
        for (unsigned k = 0; k < group->count; k++)
            put_series(json, table, group, k);
        json_end(json, ']');
        json_end(json, '}');
    }
    json_end(json, ']');
    json_end(json, '}');
}
