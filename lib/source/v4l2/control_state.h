/* SPDX-License-Identifier: MIT */
/* State */
#ifndef ZCI_SOURCE_V4L2_CONTROL_STATE_H
#define ZCI_SOURCE_V4L2_CONTROL_STATE_H

#include "source/v4l2/device.h"

/* {0} is empty: "NAME=VALUE" texts, in the order in which they were set. */
struct zci_v4l2_settings {
    char **texts;
    uint32_t count;
};

/* Keeps a copy of the text, behind the others; one of the same control goes. 0, or -1: no memory, and nothing has
 * changed. */
int zci_v4l2_settings_put(struct zci_v4l2_settings *settings, const char *text);

/* Sets those that may change the format (`layout` 1), or the others. Logged where one cannot be set. */
zcs_status zci_v4l2_settings_apply(const struct zci_v4l2_settings *settings,
                                   const struct zci_v4l2_device *dev, int layout);

/* Accepts an empty one. */
void zci_v4l2_settings_finish(struct zci_v4l2_settings *settings);

#define ZCI_V4L2_CHANGES_KEPT 64u

/* {0}: none so far. */
struct zci_v4l2_changes {
    struct zcs_control_change kept[ZCI_V4L2_CHANGES_KEPT]; /* number n at n % KEPT */
    uint64_t count;
    int watching; /* the driver tells of changes that others make */
    int signal;   /* it tells of the signal's too: 1; and it has: 2 */
};

/* Asks the driver to tell of changes of all controls that can be set, as far as it does. */
void zci_v4l2_changes_watch(struct zci_v4l2_changes *changes, const struct zci_v4l2_port *port);

void zci_v4l2_changes_add(struct zci_v4l2_changes *changes, uint32_t id, int64_t value,
                          int64_t time_ns);

/* Takes in what the driver has told since. */
void zci_v4l2_changes_read(struct zci_v4l2_changes *changes, const struct zci_v4l2_port *port);

/* The number of the latest change no later than time_ns; INT64_MAX: of the latest. */
uint64_t zci_v4l2_changes_at(const struct zci_v4l2_changes *changes, int64_t time_ns);

/* NULL: not there, or no longer. */
const struct zcs_control_change *zci_v4l2_changes_get(const struct zci_v4l2_changes *changes,
                                                      uint64_t number);

/* {0} is empty. */
struct zci_v4l2_values {
    struct zci_v4l2_value *kept;
    uint32_t count;
};

/* Those that can be set again; texts, buttons, compound ones and what the camera changes by itself cannot. 0, or -1:
 * no memory. */
int zci_v4l2_values_read(struct zci_v4l2_values *values, const struct zci_v4l2_port *port);

/* Values that were changed since. */
void zci_v4l2_values_follow(struct zci_v4l2_values *values, const struct zci_v4l2_changes *changes);

/* Sets those that differ, as far as the driver lets it: automatic ones come before what they rule. */
void zci_v4l2_values_restore(const struct zci_v4l2_values *values,
                             const struct zci_v4l2_port *port);

/* Accepts an empty one. */
void zci_v4l2_values_finish(struct zci_v4l2_values *values);

#endif
