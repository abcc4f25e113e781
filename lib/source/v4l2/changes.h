/* SPDX-License-Identifier: MIT */
/* Changes of a camera's controls during capture, and which of them came before a frame. */
#ifndef ZCI_SOURCE_V4L2_CHANGES_H
#define ZCI_SOURCE_V4L2_CHANGES_H

#include "source/v4l2/port_control.h"

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

#endif
