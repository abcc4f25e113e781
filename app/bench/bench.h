/* SPDX-License-Identifier: MIT */
/* zcapp bench: what copies, kernels, registering and routes cost here, each beside what it is compared
 * with.
 *
 * A table is groups, a group is series that are timed in turn, round after round, and compared with the
 * group's first. */
#ifndef ZCAPP_BENCH_BENCH_H
#define ZCAPP_BENCH_BENCH_H

#include "zcstream/zcstream.h"

#include "app/cli/console.h"

#define BENCH_SERIES 8
#define BENCH_GROUPS 8
#define BENCH_ROUNDS 25
#define BENCH_MAX_BYTES ((size_t)64 << 20)

struct bench;

/* One thing that is timed. */
struct bench_series {
    char name[48];
    /* Does it once. ZCS_ERR_UNSUPPORTED: it is left out. */
    zcs_status (*run)(struct bench_series *series, int64_t *ns);
    void (*end)(struct bench_series *series); /* frees `user`; NULL: nothing to do */
    struct bench *bench;
    enum zcs_benchmark benchmark;
    size_t bytes; /* for a rate; 0: it has none */
    void *user;
    int left_out;
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

/* A new one, empty but for its title. */
struct bench_group *bench_group(struct bench_table *table, const char *title);
/* In the table's last group. */
struct bench_series *bench_add(struct bench *bench, struct bench_table *table, const char *name);
/* One of the library's ways. */
void bench_add_way(struct bench *bench, struct bench_table *table, const char *name,
                   enum zcs_benchmark benchmark, size_t bytes);

/* All series of a group in turn, half a second or BENCH_ROUNDS. */
zcs_status bench_time(struct bench_group *group);
double bench_median_us(const struct bench_group *group, unsigned series);
double bench_rate(const struct bench_group *group, unsigned series); /* GB/s */

/* `zcapp bench ...`: argv[0] is "bench". An exit status. */
int bench_main(int argc, char **argv, struct console *console);

#endif
