/* SPDX-License-Identifier: MIT */
/* Files that a run would destroy: outputs onto INPUT's files, and outputs onto each other. */
#ifndef ZCAPP_OUTPUT_CLASH_H
#define ZCAPP_OUTPUT_CLASH_H

#include "app/cli/console.h"
#include "app/cli/options.h"

/* 0, or an exit status after one line of error. Before anything is opened. */
int clash_check(const struct options *options, struct console *console);

#endif
