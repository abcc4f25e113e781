/* SPDX-License-Identifier: MIT */
/* The tables of zcapp bench: measured, shown as text for a terminal, and as JSON.
 *
 * A table has groups, and a group has series. The series of a group are timed in turn, round after
 * round, and compared with the first of them. */
#ifndef ZCAPP_BENCH_TABLE_H
#define ZCAPP_BENCH_TABLE_H

#include "zcstream/zcstream.h"

#include "app/cli/console.h"
#include "app/run/json.h"

#define BENCH_SERIES 8
#define BENCH_GROUPS 8
#define BENCH_ROUNDS 25
#define BENCH_MAX_BYTES ((size_t)64 << 20)

struct bench;

/* One thing that is timed. */
struct bench_series {
    char name[48];
    /* Runs once and sets the time. ZCS_ERR_UNSUPPORTED: leaves the series out. */
    zcs_status (*run)(struct bench_series *series, int64_t *ns);
    void (*end)(struct bench_series *series); /* frees `user`; may be NULL */
    struct bench *bench;
    enum zcs_benchmark benchmark;
    size_t bytes; /* for a rate; 0: it has none */
    void *user;
    int unsupported;
    int64_t values[BENCH_ROUNDS]; /* ns, in order of size when it is done */
};

struct bench_group {
    char title[80];
    struct bench_series series[BENCH_SERIES];
    unsigned count, rounds;
};

struct bench_table {
    const char *name, *title;
    int rates;      /* 1: GB/s, more is better; 0: us */
    int needs_cuda; /* how many GPUs */
    zcs_status (*fill)(struct bench *bench, struct bench_table *table);
    void (*conclude)(struct bench_table *table); /* writes `note`; may be NULL */
    struct bench_group groups[BENCH_GROUPS];
    unsigned count;
    int interrupted; /* of the groups those that were measured are left, perhaps none */
    char note[256];
    const char *skipped; /* why there is nothing; NULL: there is */
    double seconds;
};

struct bench {
    struct console *console;
    zcs_context *ctx; /* AUTO's, and that of the host alone, which may be the same */
    zcs_context *host;
    zcs_measure *measure; /* on ctx */
    struct zcs_device_info device;
    uint32_t cuda_devices;
};

/* CLOCK_MONOTONIC. */
int64_t bench_now_ns(void);

/* Adds an empty group with this title. */
struct bench_group *bench_group(struct bench_table *table, const char *title);
/* Adds a series to the last group. */
struct bench_series *bench_add(struct bench *bench, struct bench_table *table, const char *name);
/* Adds one of the library's benchmarks. */
void bench_add_benchmark(struct bench *bench, struct bench_table *table, const char *name,
                         enum zcs_benchmark benchmark, size_t bytes);

/* Times the series of a group in turn, for half a second or BENCH_ROUNDS. */
zcs_status bench_time(struct bench_group *group);
double bench_median_us(const struct bench_group *group, unsigned series);
double bench_rate(const struct bench_group *group, unsigned series); /* GB/s */

/* Shows a table that was measured. */
void bench_show(const struct bench_table *table);

/* Lists the tables that were skipped, grouped by reason. */
void bench_show_skipped(const struct bench_table *tables, unsigned count);

/* 1 if the run was interrupted before all tables were measured. */
int bench_interrupted(const struct bench_table *tables, unsigned count);

/* If so, tells on the console what was not measured. */
void bench_show_interrupted(const struct bench_table *tables, unsigned count,
                            struct console *console);

/* Writes an element of the array of tables. */
void bench_put(struct json *json, const struct bench_table *table);

#endif
