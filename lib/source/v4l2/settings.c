/* SPDX-License-Identifier: MIT */
/* What a camera's controls were set to, kept so that a camera that comes anew can be set alike. */
#include "source/v4l2/settings.h"

#include <stdlib.h>
#include <string.h>

#include "source/v4l2/control_text.h"
#include "source/v4l2/controls.h"

/* The name before '=', spelt alike however it was written. */
static void name_of(const char *text, char *out, size_t bytes)
{
    char name[64];
    const size_t length = strcspn(text, "=");
    const size_t kept = length < sizeof name - 1 ? length : sizeof name - 1;
    memcpy(name, text, kept);
    name[kept] = '\0';
    zci_control_spell(name, out, bytes);
}

static void remove_at(struct zci_v4l2_settings *settings, uint32_t at)
{
    free(settings->texts[at]);
    settings->count--;
    memmove(settings->texts + at, settings->texts + at + 1,
            (settings->count - at) * sizeof *settings->texts);
}

int zci_v4l2_settings_put(struct zci_v4l2_settings *settings, const char *text)
{
    char wanted[64], name[64];
    const size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    char **texts = realloc(settings->texts, (settings->count + 1) * sizeof *texts);
    if (texts != NULL)
        settings->texts = texts;
    if (texts == NULL || copy == NULL) {
        free(copy);
        return -1;
    }
    memcpy(copy, text, bytes);
    name_of(text, wanted, sizeof wanted);
    for (uint32_t i = settings->count; i-- > 0;) {
        name_of(settings->texts[i], name, sizeof name);
        if (strcmp(name, wanted) == 0)
            remove_at(settings, i);
    }
    settings->texts[settings->count++] = copy;
    return 0;
}

zcs_status zci_v4l2_settings_apply(const struct zci_v4l2_settings *settings,
                                   const struct zci_v4l2_device *dev, int layout)
{
    for (uint32_t i = 0; i < settings->count; i++) {
        struct zci_v4l2_control control;
        const char *value = NULL;
        int64_t done = 0;
        zcs_status status = zci_v4l2_control_of(dev, settings->texts[i], &control, &value);
        if (status != ZCS_OK)
            return status;
        if (((control.seen.flags & ZCS_CONTROL_LAYOUT) != 0) != layout)
            continue;
        status = zci_v4l2_control_set(dev, &control, value, &done);
        if (status != ZCS_OK)
            return status;
    }
    return ZCS_OK;
}

void zci_v4l2_settings_finish(struct zci_v4l2_settings *settings)
{
    for (uint32_t i = 0; i < settings->count; i++)
        free(settings->texts[i]);
    free(settings->texts);
    *settings = (struct zci_v4l2_settings){0};
}
