/* SPDX-License-Identifier: MIT */
/* INPUT: what kind of source it names, whether the options fit it, and opening it. */
#ifndef ZCAPP_INPUT_H
#define ZCAPP_INPUT_H

#include "zcstream/source.h"

#include "app/console.h"

struct options;

/* 0, or an exit status after one line of error. */
int input_check(const struct options *options, struct console *console);

/* The failure's line is the library's. */
zcs_status input_open(const struct options *options, zcs_context *ctx, zcs_source **out);

#endif
