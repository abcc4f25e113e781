/* SPDX-License-Identifier: MIT */
/* State */
#include "source/v4l2/control_state.h"

#include <stdlib.h>
#include <string.h>

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

#define MAX_EVENTS 256 /* at a time: a driver may tell faster than they are read */

void zci_v4l2_changes_watch(struct zci_v4l2_changes *changes, const struct zci_v4l2_port *port)
{
    struct zci_v4l2_control control;
    for (uint32_t id = 0; zci_v4l2_next_control(port, id, &control) == 0; id = control.seen.id)
        if (!(control.seen.flags & (ZCS_CONTROL_READ_ONLY | ZCS_CONTROL_DISABLED)) &&
            control.seen.type != ZCS_CONTROL_COMPOUND && control.seen.type != ZCS_CONTROL_BUTTON &&
            control.seen.type != ZCS_CONTROL_STRING)
            changes->watching |= zci_v4l2_watch_control(port, control.seen.id) == 0;
    changes->signal = zci_v4l2_watch_signal(port) == 0;
    changes->watching |= changes->signal;
}

void zci_v4l2_changes_add(struct zci_v4l2_changes *changes, uint32_t id, int64_t value,
                          int64_t time_ns)
{
    const uint64_t number = ++changes->count;
    changes->kept[number % ZCI_V4L2_CHANGES_KEPT] =
        (struct zcs_control_change){.number = number, .id = id, .value = value, .time_ns = time_ns};
}

void zci_v4l2_changes_read(struct zci_v4l2_changes *changes, const struct zci_v4l2_port *port)
{
    struct zci_v4l2_event event;
    for (int i = 0; i < MAX_EVENTS && changes->watching; i++) {
        if (zci_v4l2_next_event(port, &event) != 0)
            return;
        if (event.signal && changes->signal != 0)
            changes->signal = 2;
        if (event.control)
            zci_v4l2_changes_add(changes, event.id, event.value, event.time_ns);
    }
}

const struct zcs_control_change *zci_v4l2_changes_get(const struct zci_v4l2_changes *changes,
                                                      uint64_t number)
{
    if (number == 0 || number > changes->count || changes->count - number >= ZCI_V4L2_CHANGES_KEPT)
        return NULL;
    return &changes->kept[number % ZCI_V4L2_CHANGES_KEPT];
}

uint64_t zci_v4l2_changes_at(const struct zci_v4l2_changes *changes, int64_t time_ns)
{
    uint64_t number = changes->count;
    const struct zcs_control_change *change;
    while ((change = zci_v4l2_changes_get(changes, number)) != NULL && change->time_ns > time_ns)
        number--;
    return number;
}

#define GROW 32u

struct zci_v4l2_value {
    struct zci_v4l2_control control;
    int64_t value;
};

static int can_be_set_again(const struct zcs_control *seen)
{
    const uint32_t never = ZCS_CONTROL_DISABLED | ZCS_CONTROL_READ_ONLY | ZCS_CONTROL_WRITE_ONLY |
                           ZCS_CONTROL_VOLATILE | ZCS_CONTROL_INACTIVE;
    return (seen->flags & never) == 0 && seen->type != ZCS_CONTROL_BUTTON &&
           seen->type != ZCS_CONTROL_STRING && seen->type != ZCS_CONTROL_COMPOUND;
}

static int add(struct zci_v4l2_values *values, const struct zci_v4l2_control *control,
               int64_t value)
{
    if (values->count % GROW == 0) {
        struct zci_v4l2_value *more = realloc(values->kept, (values->count + GROW) * sizeof *more);
        if (more == NULL)
            return -1;
        values->kept = more;
    }
    values->kept[values->count++] = (struct zci_v4l2_value){*control, value};
    return 0;
}

int zci_v4l2_values_read(struct zci_v4l2_values *values, const struct zci_v4l2_port *port)
{
    struct zci_v4l2_control control;
    int64_t value = 0;
    for (uint32_t id = 0; zci_v4l2_next_control(port, id, &control) == 0; id = control.seen.id)
        if (can_be_set_again(&control.seen) && zci_v4l2_get_control(port, &control, &value) == 0 &&
            add(values, &control, value) != 0)
            return -1;
    return 0;
}

static void note(struct zci_v4l2_values *values, uint32_t id, int64_t value)
{
    for (uint32_t i = 0; i < values->count; i++)
        if (values->kept[i].control.seen.id == id)
            values->kept[i].value = value;
}

void zci_v4l2_values_follow(struct zci_v4l2_values *values, const struct zci_v4l2_changes *changes)
{
    const uint64_t count = changes->count;
    const uint64_t kept = count < ZCI_V4L2_CHANGES_KEPT ? count : ZCI_V4L2_CHANGES_KEPT;
    for (uint64_t number = count - kept + 1; number <= count; number++) {
        const struct zcs_control_change *change = zci_v4l2_changes_get(changes, number);
        if (change != NULL)
            note(values, change->id, change->value);
    }
}

void zci_v4l2_values_restore(const struct zci_v4l2_values *values, const struct zci_v4l2_port *port)
{
    for (uint32_t i = 0; i < values->count; i++) {
        const struct zci_v4l2_value *kept = &values->kept[i];
        int64_t now = 0;
        if (zci_v4l2_get_control(port, &kept->control, &now) == 0 && now != kept->value)
            (void)zci_v4l2_set_control(port, &kept->control, kept->value);
    }
}

void zci_v4l2_values_finish(struct zci_v4l2_values *values)
{
    free(values->kept);
    *values = (struct zci_v4l2_values){0};
}
