/* SPDX-License-Identifier: MIT */
/* The state of a capturing camera's controls: what they were set to, which values they had, and how
 * they changed. After a reconnect the camera gets the same state again. Each struct is empty as
 * {0}. */
#ifndef ZCI_SOURCE_V4L2_CONTROL_STATE_H
#define ZCI_SOURCE_V4L2_CONTROL_STATE_H

#include "source/v4l2/device.h"

/* "NAME=VALUE" texts, in the order in which they were set. */
struct zci_v4l2_settings {
    char **texts;
    uint32_t count;
};

/* Appends a copy of the text and removes an earlier one of the same control. Returns 0, or -1: out
 * of memory, and nothing has changed. */
int zci_v4l2_settings_put(struct zci_v4l2_settings *settings, const char *text);

/* Sets the controls that may change the format (`layout` 1), or the others (`layout` 0). Logs what
 * fails. */
zcs_status zci_v4l2_settings_apply(const struct zci_v4l2_settings *settings,
                                   const struct zci_v4l2_device *dev, int layout);
void zci_v4l2_settings_finish(struct zci_v4l2_settings *settings);

#define ZCI_V4L2_EVENTS_KEPT 64u

enum zci_v4l2_source_change {
    ZCI_V4L2_SOURCE_CHANGE_UNREPORTED, /* the driver has no such event */
    ZCI_V4L2_SOURCE_CHANGE_NONE,
    ZCI_V4L2_SOURCE_CHANGE_PENDING,
};

/* Changes of controls during capture, numbered from 1, and the state of the input's signal. */
struct zci_v4l2_events {
    struct zcs_control_change kept[ZCI_V4L2_EVENTS_KEPT]; /* number n at n % KEPT */
    uint64_t count;
    int subscribed; /* the driver sends events */
    enum zci_v4l2_source_change source_change;
};

/* Subscribes to changes of all controls that can be set and of the signal, as far as the driver
 * supports it. */
void zci_v4l2_events_subscribe(struct zci_v4l2_events *events, const struct zci_v4l2_port *port);

void zci_v4l2_events_add(struct zci_v4l2_events *events, uint32_t id, int64_t value,
                         int64_t time_ns);

/* Dequeues the driver's pending events. */
void zci_v4l2_events_read(struct zci_v4l2_events *events, const struct zci_v4l2_port *port);

/* The number of the latest change no later than time_ns; INT64_MAX: of the latest one. */
uint64_t zci_v4l2_events_number_at(const struct zci_v4l2_events *events, int64_t time_ns);

/* NULL: there is no such change, or it is no longer kept. */
const struct zcs_control_change *zci_v4l2_events_get(const struct zci_v4l2_events *events,
                                                     uint64_t number);

/* The values of all controls, whoever set them. */
struct zci_v4l2_snapshot {
    struct zci_v4l2_value *values;
    uint32_t count;
};

/* Reads the controls that can be restored. Not among them are strings, buttons, compound controls
 * and those that the camera changes by itself. Returns 0, or -1: out of memory. */
int zci_v4l2_snapshot_take(struct zci_v4l2_snapshot *snapshot, const struct zci_v4l2_port *port);

/* Takes in the changes since then. */
void zci_v4l2_snapshot_update(struct zci_v4l2_snapshot *snapshot,
                              const struct zci_v4l2_events *events);

/* Sets the controls whose values differ, as far as the driver accepts it. They are in the order of
 * their ids, in which automatic controls precede those that they drive. */
void zci_v4l2_snapshot_restore(const struct zci_v4l2_snapshot *snapshot,
                               const struct zci_v4l2_port *port);
void zci_v4l2_snapshot_finish(struct zci_v4l2_snapshot *snapshot);

#endif
