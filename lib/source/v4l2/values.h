/* SPDX-License-Identifier: MIT */
/* What all of a camera's controls stood at, whoever set them, so that one that comes anew can be set alike. */
#ifndef ZCI_SOURCE_V4L2_VALUES_H
#define ZCI_SOURCE_V4L2_VALUES_H

#include "source/v4l2/changes.h"

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
