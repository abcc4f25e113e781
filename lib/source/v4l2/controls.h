/* SPDX-License-Identifier: MIT */
/* A camera's controls by name: finding them, reading them, and setting them with a check of the
 * result. */
#ifndef ZCI_SOURCE_V4L2_CONTROLS_H
#define ZCI_SOURCE_V4L2_CONTROLS_H

#include "source/v4l2/device.h"

/* The name of a control, spelled as v4l2-ctl does: the title's letters and digits in lower case,
 * and one '_' for each run of other characters between them. */
void zci_v4l2_control_name(const char *title, char *out, size_t bytes);

/* A whole 64-bit number, decimal or 0x... . Returns 0, or -1 where `text` is none. */
int zci_v4l2_parse_number(const char *text, int64_t *out);

/* As zcs_control_next and zcs_control_find. */
zcs_status zci_v4l2_control_next(const struct zci_v4l2_device *dev, uint32_t after,
                                 struct zci_v4l2_control *out);
zcs_status zci_v4l2_control_find(const struct zci_v4l2_device *dev, const char *name,
                                 struct zci_v4l2_control *out);

/* As zcs_control_item and zcs_control_get. */
zcs_status zci_v4l2_control_item(const struct zci_v4l2_device *dev,
                                 const struct zci_v4l2_control *control, uint32_t from,
                                 struct zcs_control_item *out);
zcs_status zci_v4l2_control_get(const struct zci_v4l2_device *dev,
                                const struct zci_v4l2_control *control, char *text, size_t bytes);

/* Parses "NAME=VALUE" or "NAME": the control, and where VALUE begins; NULL: there is no value. */
zcs_status zci_v4l2_control_parse(const struct zci_v4l2_device *dev, const char *setting,
                                  struct zci_v4l2_control *out, const char **value);

/* Sets the control to `value` and reads it back: *done gets the number, 0 for strings. Logs what
 * zcs_control_set says. */
zcs_status zci_v4l2_control_set(const struct zci_v4l2_device *dev,
                                const struct zci_v4l2_control *control, const char *value,
                                int64_t *done);

#endif
