/* SPDX-License-Identifier: MIT */
/* A run: moves frames from the stream to the writer until the end, then reports. */
#ifndef ZCAPP_RUN_RUN_H
#define ZCAPP_RUN_RUN_H

#include "app/cli/options.h"

/* Returns the exit status; every failure has had its line of error. */
int run(const struct options *options, struct console *console);

#endif
