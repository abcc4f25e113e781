/* SPDX-License-Identifier: MIT */
/* What a camera's controls were set to, kept so that a camera that comes anew can be set alike. */
#ifndef ZCI_SOURCE_V4L2_SETTINGS_H
#define ZCI_SOURCE_V4L2_SETTINGS_H

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

#endif
