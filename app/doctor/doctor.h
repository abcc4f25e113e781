/* SPDX-License-Identifier: MIT */
/* zcapp doctor examines this machine, its GPUs, memory and INPUT, and gives advice on
 * improvements. */
#ifndef ZCAPP_DOCTOR_DOCTOR_H
#define ZCAPP_DOCTOR_DOCTOR_H

#include "app/cli/console.h"
#include "app/cli/options.h"

void doctor_help(FILE *file);

/* Prints text, or JSON with options->json (see docs/bench.md). Returns an exit status. */
int doctor_main(const struct options *options, struct console *console);

#endif
