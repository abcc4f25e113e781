/* SPDX-License-Identifier: MIT */
/* Changes of a camera's controls during capture, and which of them came before a frame. */
#include "source/v4l2/changes.h"

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
