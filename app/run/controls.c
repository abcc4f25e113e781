/* SPDX-License-Identifier: MIT */
/* The controls of a camera: as text for recordings and reports; log lines about changes. */
#include "app/run/controls.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 60000u /* a recording has room for 65535 */
#define VALUE_BYTES 256

char *controls_text(zcs_source *source)
{
    zcs_camera *camera = zcs_source_camera(source);
    struct zcs_control control = {.id = 0};
    size_t used = 0;
    char *text = camera != NULL ? malloc(TEXT_BYTES) : NULL;
    if (text == NULL)
        return NULL;
    while (zcs_control_next(camera, control.id, &control) == ZCS_OK) {
        char value[VALUE_BYTES];
        if (zcs_control_get(camera, &control, value, sizeof value) != ZCS_OK)
            continue;
        value[strcspn(value, "\n")] = '\0';
        const size_t left = TEXT_BYTES - used;
        const int wanted = snprintf(text + used, left, "%s=%s\n", control.name, value);
        if (wanted < 0 || (size_t)wanted >= left)
            break;
        used += (size_t)wanted;
    }
    text[used] = '\0';
    if (used > 0)
        return text;
    free(text);
    return NULL;
}

static void log_change(zcs_camera *camera, const struct zcs_control_change *change,
                       uint64_t sequence, const char *label, struct console *console)
{
    struct zcs_control control = {.id = 0};
    if (change->id == 0 || zcs_control_next(camera, change->id - 1, &control) != ZCS_OK)
        return;
    console_labelled(console, ZCS_LOG_INFO, label,
                     "frame %" PRIu64 " is the first after %s=%" PRId64, sequence, control.name,
                     change->value);
}

void controls_log(zcs_source *source, const struct zcs_frame *frame, uint64_t *seen,
                  const char *label, struct console *console)
{
    zcs_camera *camera = frame->controls != *seen ? zcs_source_camera(source) : NULL;
    struct zcs_control_change change;
    for (uint64_t n = *seen + 1; camera != NULL && n <= frame->controls; n++)
        if (zcs_control_change(camera, n, &change) == ZCS_OK)
            log_change(camera, &change, frame->sequence, label, console);
    *seen = frame->controls;
}

void controls_put(struct json *json, const char *key, const char *text)
{
    if (text == NULL) {
        json_null(json, key);
        return;
    }
    json_begin(json, key, '{');
    while (*text != '\0') {
        char name[64], value[VALUE_BYTES];
        const size_t line = strcspn(text, "\n"), length = strcspn(text, "=");
        if (length < line) {
            snprintf(name, sizeof name, "%.*s", (int)length, text);
            snprintf(value, sizeof value, "%.*s", (int)(line - length - 1), text + length + 1);
            json_string(json, name, value);
        }
        text += line + (text[line] != '\0');
    }
    json_end(json, '}');
}
