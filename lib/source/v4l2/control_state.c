/* SPDX-License-Identifier: MIT */
/* Keeping settings, control changes and control values, and applying them to a reopened camera. */
#include "source/v4l2/control_state.h"

#include <stdlib.h>
#include <string.h>

#include "source/v4l2/controls.h"

#define MAX_EVENTS 256 /* per call: a driver may send events faster than they are read */
#define GROW 32u       /* values of a snapshot */

struct zci_v4l2_value {
    struct zci_v4l2_control control;
    int64_t value;
};

/* The name before '=', spelled as zci_v4l2_control_name does. */
static void name_of(const char *text, char *out, size_t bytes)
{
    char name[64];
    const size_t length = strcspn(text, "=");
    const size_t kept = length < sizeof name - 1 ? length : sizeof name - 1;
    memcpy(name, text, kept);
    name[kept] = '\0';
    zci_v4l2_control_name(name, out, bytes);
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
        zcs_status status = zci_v4l2_control_parse(dev, settings->texts[i], &control, &value);
        if (status != ZCS_OK)
            return status;
        if (((control.info.flags & ZCS_CONTROL_LAYOUT) != 0) != layout)
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

void zci_v4l2_events_subscribe(struct zci_v4l2_events *events, const struct zci_v4l2_port *port)
{
    struct zci_v4l2_control control;
    for (uint32_t id = 0; zci_v4l2_next_control(port, id, &control) == 0; id = control.info.id)
        if (!(control.info.flags & (ZCS_CONTROL_READ_ONLY | ZCS_CONTROL_DISABLED)) &&
            control.info.type != ZCS_CONTROL_COMPOUND && control.info.type != ZCS_CONTROL_BUTTON &&
            control.info.type != ZCS_CONTROL_STRING)
            events->subscribed |= zci_v4l2_subscribe_control(port, control.info.id) == 0;
    const int reported = zci_v4l2_subscribe_source_change(port) == 0;
    events->source_change =
        reported ? ZCI_V4L2_SOURCE_CHANGE_NONE : ZCI_V4L2_SOURCE_CHANGE_UNREPORTED;
    events->subscribed |= reported;
}

void zci_v4l2_events_add(struct zci_v4l2_events *events, uint32_t id, int64_t value,
                         int64_t time_ns)
{
    const uint64_t number = ++events->count;
    events->kept[number % ZCI_V4L2_EVENTS_KEPT] =
        (struct zcs_control_change){.number = number, .id = id, .value = value, .time_ns = time_ns};
}

void zci_v4l2_events_read(struct zci_v4l2_events *events, const struct zci_v4l2_port *port)
{
    struct zci_v4l2_event event;
    for (int i = 0; i < MAX_EVENTS && events->subscribed; i++) {
        if (zci_v4l2_dqevent(port, &event) != 0)
            return;
        if (event.source_change && events->source_change != ZCI_V4L2_SOURCE_CHANGE_UNREPORTED)
            events->source_change = ZCI_V4L2_SOURCE_CHANGE_PENDING;
        if (event.control)
            zci_v4l2_events_add(events, event.id, event.value, event.time_ns);
    }
}

const struct zcs_control_change *zci_v4l2_events_get(const struct zci_v4l2_events *events,
                                                     uint64_t number)
{
    if (number == 0 || number > events->count || events->count - number >= ZCI_V4L2_EVENTS_KEPT)
        return NULL;
    return &events->kept[number % ZCI_V4L2_EVENTS_KEPT];
}

uint64_t zci_v4l2_events_number_at(const struct zci_v4l2_events *events, int64_t time_ns)
{
    uint64_t number = events->count;
    const struct zcs_control_change *change;
    while ((change = zci_v4l2_events_get(events, number)) != NULL && change->time_ns > time_ns)
        number--;
    return number;
}

static int can_be_restored(const struct zcs_control *info)
{
    const uint32_t never = ZCS_CONTROL_DISABLED | ZCS_CONTROL_READ_ONLY | ZCS_CONTROL_WRITE_ONLY |
                           ZCS_CONTROL_VOLATILE | ZCS_CONTROL_INACTIVE;
    return (info->flags & never) == 0 && info->type != ZCS_CONTROL_BUTTON &&
           info->type != ZCS_CONTROL_STRING && info->type != ZCS_CONTROL_COMPOUND;
}

static int add(struct zci_v4l2_snapshot *snapshot, const struct zci_v4l2_control *control,
               int64_t value)
{
    if (snapshot->count % GROW == 0) {
        struct zci_v4l2_value *more =
            realloc(snapshot->values, (snapshot->count + GROW) * sizeof *more);
        if (more == NULL)
            return -1;
        snapshot->values = more;
    }
    snapshot->values[snapshot->count++] = (struct zci_v4l2_value){*control, value};
    return 0;
}

int zci_v4l2_snapshot_take(struct zci_v4l2_snapshot *snapshot, const struct zci_v4l2_port *port)
{
    struct zci_v4l2_control control;
    int64_t value = 0;
    for (uint32_t id = 0; zci_v4l2_next_control(port, id, &control) == 0; id = control.info.id)
        if (can_be_restored(&control.info) && zci_v4l2_get_control(port, &control, &value) == 0 &&
            add(snapshot, &control, value) != 0)
            return -1;
    return 0;
}

static void update(struct zci_v4l2_snapshot *snapshot, uint32_t id, int64_t value)
{
    for (uint32_t i = 0; i < snapshot->count; i++)
        if (snapshot->values[i].control.info.id == id)
            snapshot->values[i].value = value;
}

void zci_v4l2_snapshot_update(struct zci_v4l2_snapshot *snapshot,
                              const struct zci_v4l2_events *events)
{
    const uint64_t count = events->count;
    const uint64_t kept = count < ZCI_V4L2_EVENTS_KEPT ? count : ZCI_V4L2_EVENTS_KEPT;
    for (uint64_t number = count - kept + 1; number <= count; number++) {
        const struct zcs_control_change *change = zci_v4l2_events_get(events, number);
        if (change != NULL)
            update(snapshot, change->id, change->value);
    }
}

void zci_v4l2_snapshot_restore(const struct zci_v4l2_snapshot *snapshot,
                               const struct zci_v4l2_port *port)
{
    for (uint32_t i = 0; i < snapshot->count; i++) {
        const struct zci_v4l2_value *kept = &snapshot->values[i];
        int64_t now = 0;
        if (zci_v4l2_get_control(port, &kept->control, &now) == 0 && now != kept->value)
            (void)zci_v4l2_set_control(port, &kept->control, kept->value);
    }
}

void zci_v4l2_snapshot_finish(struct zci_v4l2_snapshot *snapshot)
{
    free(snapshot->values);
    *snapshot = (struct zci_v4l2_snapshot){0};
}
