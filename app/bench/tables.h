/* SPDX-License-Identifier: MIT */
/* The functions that fill the tables of zcapp bench, and those that draw conclusions in their
 * notes. */
#ifndef ZCAPP_BENCH_TABLES_H
#define ZCAPP_BENCH_TABLES_H

#include "app/bench/table.h"

/* The library's benchmarks of this table's name. */
zcs_status bench_fill_primitives(struct bench *bench, struct bench_table *table);

/* Notes whether the copies of two GPUs overlap. */
void bench_conclude_overlap(struct bench_table *table);
/* Notes how the cost of registering compares with its alternatives. */
void bench_conclude_register(struct bench_table *table);

/* On the processor alone: memory copies by threads, and PNG. */
zcs_status bench_fill_memory(struct bench *bench, struct bench_table *table);
zcs_status bench_fill_png(struct bench *bench, struct bench_table *table);

/* With streams: routes by size, latency, threads. */
zcs_status bench_fill_routes(struct bench *bench, struct bench_table *table);
zcs_status bench_fill_latency(struct bench *bench, struct bench_table *table);
zcs_status bench_fill_threads(struct bench *bench, struct bench_table *table);

/* Notes the fastest route by frame size. */
void bench_conclude_routes(struct bench_table *table);

#endif
