/* SPDX-License-Identifier: MIT */
/* The end of text on standard output: help, lists, tables. Of frames there the writer sees to it. */
#ifndef ZCAPP_CLI_PRINTED_H
#define ZCAPP_CLI_PRINTED_H

#include "app/cli/console.h"

/* Writes out what is left. Returns `status`, also where nobody reads any more, as behind head(1); or ZCAPP_FAILED
 * after a line of error. */
int printed_end(int status, struct console *console);

#endif
