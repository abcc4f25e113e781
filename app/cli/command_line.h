/* SPDX-License-Identifier: MIT */
/* Parses the command line, and refuses one that contradicts itself. */
#ifndef ZCAPP_CLI_COMMAND_LINE_H
#define ZCAPP_CLI_COMMAND_LINE_H

#include "app/cli/console.h"
#include "app/cli/options.h"

/* 0, or an exit status after one line of error. Call command_line_finish in both cases. */
int command_line_parse(struct options *options, int argc, char **argv, struct console *console);
void command_line_finish(struct options *options);

#endif
