/* SPDX-License-Identifier: MIT */
/* INPUT: the kind of source, the options that it allows, and opening it. */
#ifndef ZCAPP_RUN_INPUT_H
#define ZCAPP_RUN_INPUT_H

#include "zcstream/source.h"

#include "app/cli/console.h"
#include "app/cli/options.h"

#ifndef ZCAPP_CAMERAS
#define ZCAPP_CAMERAS 0 /* 1: this build supports cameras */
#endif

/* Checks that options->input allows the options. 0, or an exit status after one line of error. */
int input_check(const struct options *options, struct console *console);

/* 1 if INPUT is the name of a camera or a pattern, even of one that does not exist. */
int input_is_camera(const char *input);
int input_is_pattern(const char *input);

/* Of options->input: -n, or the default limit of patterns. 0: until the input ends. */
uint64_t input_frame_limit(const struct options *options);

/* The library logs the reason of a failure. */
zcs_status input_open(const struct options *options, zcs_context *ctx, zcs_source **out);

#endif
