/* SPDX-License-Identifier: MIT */
/* The --list-... options. */
#ifndef ZCAPP_LISTS_H
#define ZCAPP_LISTS_H

#include "app/options.h"

/* To standard output. */
void list_formats(void);
void list_stages(void);

#endif
