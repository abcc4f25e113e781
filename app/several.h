/* SPDX-License-Identifier: MIT */
/* A run over several inputs: one loop for all, each with files and counts of its own. */
#ifndef ZCAPP_SEVERAL_H
#define ZCAPP_SEVERAL_H

#include "app/options.h"

/* Returns the exit status; every failure has had its line of error. */
int run_several(const struct options *options, struct console *console);

#endif
