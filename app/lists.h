/* SPDX-License-Identifier: MIT */
/* The --list-... options. */
#ifndef ZCAPP_LISTS_H
#define ZCAPP_LISTS_H

#include "app/options.h"

/* To standard output. */
void list_formats(void);
void list_stages(void);

/* 0, or an exit status after one line of error. */
int list_devices(const struct options *options, struct console *console);

#endif
