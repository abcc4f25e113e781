/* SPDX-License-Identifier: MIT */
/* The tables of zcapp bench that run streams: routes by size, latency, threads. */
#ifndef ZCAPP_BENCH_BENCH_STREAM_H
#define ZCAPP_BENCH_BENCH_STREAM_H

#include "app/bench/bench.h"

zcs_status bench_fill_routes(struct bench *bench, struct bench_table *table);
zcs_status bench_fill_latency(struct bench *bench, struct bench_table *table);
zcs_status bench_fill_threads(struct bench *bench, struct bench_table *table);

/* Notes from which size on another route is the best. */
void bench_conclude_routes(struct bench_table *table);

#endif
