/* SPDX-License-Identifier: MIT */
/* The controls of a camera: as text for recordings and reports; log lines about changes. */
#ifndef ZCAPP_RUN_CONTROLS_H
#define ZCAPP_RUN_CONTROLS_H

#include "zcstream/camera.h"

#include "app/cli/console.h"
#include "app/run/json.h"

/* "NAME=VALUE" lines of all readable controls, for free(); NULL: no camera, or no readable control.
 * */
char *controls_text(zcs_source *source);

/* Logs each change since *seen, then sets *seen to the value of the frame. `label` may be NULL. */
void controls_log(zcs_source *source, const struct zcs_frame *frame, uint64_t *seen,
                  const char *label, struct console *console);

/* Writes the text of controls_text as an object; NULL becomes null. */
void controls_put(struct json *json, const char *key, const char *text);

#endif
