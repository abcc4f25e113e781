/* SPDX-License-Identifier: MIT */
/* A run over several inputs: one loop for all, each with files and counts of its own. */
#ifndef ZCAPP_RUN_MULTI_CAMERA_H
#define ZCAPP_RUN_MULTI_CAMERA_H

#include "app/cli/options.h"

/* Returns the exit status; every failure has had its line of error. */
int run_several(const struct options *options, struct console *console);

#endif
