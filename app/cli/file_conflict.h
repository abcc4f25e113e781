/* SPDX-License-Identifier: MIT */
/* Refuses a run that would destroy files: outputs that overwrite INPUT or each other. */
#ifndef ZCAPP_CLI_FILE_CONFLICT_H
#define ZCAPP_CLI_FILE_CONFLICT_H

#include "app/cli/console.h"
#include "app/cli/options.h"

/* Call before any file is opened. 0, or an exit status after one line of error. */
int file_conflict_check(const struct options *options, struct console *console);

#endif
