/* SPDX-License-Identifier: MIT */
/* The --list-... options. */
#ifndef ZCAPP_CLI_LISTS_H
#define ZCAPP_CLI_LISTS_H

#include "app/cli/options.h"

/* To standard output. */
void list_formats(void);
void list_stages(void);

#endif
