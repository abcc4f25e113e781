/* SPDX-License-Identifier: MIT */
/* The options that only cameras have: reading their values, and telling that one was given. */
#ifndef ZCAPP_CLI_OPTION_CAMERA_H
#define ZCAPP_CLI_OPTION_CAMERA_H

#include "app/cli/options.h"

/* As `read` of struct option_row. */
int option_camera_crop(struct options *options, const char *text, char *why, size_t why_bytes);
int option_camera_treat_as(struct options *options, const char *text, char *why, size_t why_bytes);
int option_camera_stall(struct options *options, const char *text, char *why, size_t why_bytes);
int option_camera_set(struct options *options, const char *text, char *why, size_t why_bytes);
int option_camera_reconnect(struct options *options, const char *text, char *why, size_t why_bytes);

/* The first of them that was given, as it is spelt; NULL: none. */
const char *option_camera_given(const struct options *options);

#endif
