/* SPDX-License-Identifier: MIT */
/* A camera's controls in a run: as text for recordings and reports, and their changes as frames
 * show them. */
#ifndef ZCAPP_RUN_CONTROLS_H
#define ZCAPP_RUN_CONTROLS_H

#include "zcstream/camera.h"

#include "app/cli/console.h"
#include "app/run/json.h"

/* "NAME=VALUE" lines of all that can be read, for free(); NULL: no camera, or nothing to read. */
char *controls_text(zcs_source *source);

/* A line for each change since `*seen`, which becomes the frame's; behind `label` where there is
 * one. */
void controls_tell(zcs_source *source, const struct zcs_frame *frame, uint64_t *seen,
                   const char *label, struct console *console);

/* Such a text as an object; NULL is null. */
void controls_put(struct json *json, const char *key, const char *text);

#endif
