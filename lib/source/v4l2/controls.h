/* SPDX-License-Identifier: MIT */
/* Controls */
#ifndef ZCI_SOURCE_V4L2_CONTROLS_H
#define ZCI_SOURCE_V4L2_CONTROLS_H

#include "source/v4l2/device.h"

/* v4l2-ctl's spelling of a title: letters and digits, lower case, one '_' for all that stands between. */
void zci_control_spell(const char *title, char *out, size_t bytes);

/* A whole number, decimal or 0x..., of 64 bits. 0, or -1. */
int zci_control_number(const char *text, int64_t *out);

/* As zcs_control_next and _find, with what the kernel needs. */
zcs_status zci_v4l2_control_next(const struct zci_v4l2_device *dev, uint32_t after,
                                 struct zci_v4l2_control *out);
zcs_status zci_v4l2_control_find(const struct zci_v4l2_device *dev, const char *name,
                                 struct zci_v4l2_control *out);

/* As zcs_control_item and _get. */
zcs_status zci_v4l2_control_item(const struct zci_v4l2_device *dev,
                                 const struct zci_v4l2_control *control, uint32_t from,
                                 struct zcs_control_item *out);
zcs_status zci_v4l2_control_get(const struct zci_v4l2_device *dev,
                                const struct zci_v4l2_control *control, char *text, size_t bytes);

/* The control that "NAME=VALUE" or "NAME" speaks of, and where VALUE begins; NULL: there is none. */
zcs_status zci_v4l2_control_of(const struct zci_v4l2_device *dev, const char *setting,
                               struct zci_v4l2_control *out, const char **value);

/* Sets it to `value` and reads back: *done gets the number, of strings 0. Logged as zcs_control_set says. */
zcs_status zci_v4l2_control_set(const struct zci_v4l2_device *dev,
                                const struct zci_v4l2_control *control, const char *value,
                                int64_t *done);

#endif
