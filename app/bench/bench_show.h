/* SPDX-License-Identifier: MIT */
/* What zcapp bench found: as pictures for a terminal, and as JSON. */
#ifndef ZCAPP_BENCH_BENCH_SHOW_H
#define ZCAPP_BENCH_BENCH_SHOW_H

#include "app/bench/bench.h"
#include "app/run/json.h"

/* One that was measured. */
void bench_show(const struct bench_table *table);

/* Of all `count` the names of those that were not, by the reason why. */
void bench_show_skipped(const struct bench_table *tables, unsigned count);

/* 1 where the end was asked for before all was measured; then also says on the console what was not. */
int bench_interrupted(const struct bench_table *tables, unsigned count);
void bench_show_interrupted(const struct bench_table *tables, unsigned count,
                            struct console *console);

/* A member of the array of tables. */
void bench_put(struct json *json, const struct bench_table *table);

#endif
