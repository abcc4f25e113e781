/* SPDX-License-Identifier: MIT */
/* The tables of zcapp bench on the processor alone: memory copies by threads, and PNG. */
#ifndef ZCAPP_BENCH_BENCH_HOST_H
#define ZCAPP_BENCH_BENCH_HOST_H

#include "app/bench/bench.h"

zcs_status bench_fill_memory(struct bench *bench, struct bench_table *table);
zcs_status bench_fill_png(struct bench *bench, struct bench_table *table);

#endif
