/* SPDX-License-Identifier: MIT */
/* A run with several inputs: one loop serves all of them, each has its own files and counts. */
#ifndef ZCAPP_RUN_MULTI_CAMERA_H
#define ZCAPP_RUN_MULTI_CAMERA_H

#include "app/cli/console.h"
#include "app/cli/options.h"

/* Returns the exit status; every failure was reported. */
int multi_camera_main(const struct options *options, struct console *console);

#endif
