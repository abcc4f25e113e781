/* SPDX-License-Identifier: MIT */
/* zcapp bench measures copies, kernels, memory registration and routes, each against an
 * alternative. */
#ifndef ZCAPP_BENCH_BENCH_H
#define ZCAPP_BENCH_BENCH_H

#include "app/cli/console.h"

/* `zcapp bench ...`: argv[0] is "bench". Returns an exit status. */
int bench_main(int argc, char **argv, struct console *console);

#endif
