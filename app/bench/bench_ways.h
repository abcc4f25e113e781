/* SPDX-License-Identifier: MIT */
/* The tables of zcapp bench that are the library's ways, side by side. */
#ifndef ZCAPP_BENCH_BENCH_WAYS_H
#define ZCAPP_BENCH_BENCH_WAYS_H

#include "app/bench/bench.h"

/* Fills the table that has this name with the rows of ways. */
zcs_status bench_fill_ways(struct bench *bench, struct bench_table *table);

/* Notes: from which of the group's two sides up which is better. */
void bench_conclude_overlap(struct bench_table *table);
void bench_conclude_register(struct bench_table *table);

#endif
