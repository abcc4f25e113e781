/* SPDX-License-Identifier: MIT */
/* INPUT: what kind of source it names, whether the options fit it, and opening it. */
#ifndef ZCAPP_RUN_INPUT_H
#define ZCAPP_RUN_INPUT_H

#include "zcstream/source.h"

#include "app/cli/console.h"

#ifndef ZCAPP_CAMERAS
#define ZCAPP_CAMERAS 0 /* 1: live capture is built in */
#endif

struct options;

/* 0, or an exit status after one line of error. */
int input_check(const struct options *options, struct console *console);

/* 1 where INPUT names a camera, there or not; a drawn pattern, known or not. */
int input_is_camera(const char *input);
int input_is_pattern(const char *input);

/* The failure's line is the library's. */
zcs_status input_open(const struct options *options, zcs_context *ctx, zcs_source **out);

#endif
