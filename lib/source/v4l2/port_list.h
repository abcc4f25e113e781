/* SPDX-License-Identifier: MIT */
/* What a V4L2 node lists: sizes and rates, and whether it would give a format. As port.h: one request each, 0 or
 * its errno, nothing is logged. */
#ifndef ZCI_SOURCE_V4L2_PORT_LIST_H
#define ZCI_SOURCE_V4L2_PORT_LIST_H

#include "source/v4l2/port.h"
#include "zcstream/camera.h"

/* EINVAL: no more. */
int zci_v4l2_list_size(const struct zci_v4l2_port *port, uint32_t fourcc, uint32_t index,
                       struct zcs_camera_size *out);
int zci_v4l2_list_rate(const struct zci_v4l2_port *port, uint32_t fourcc, uint32_t width,
                       uint32_t height, uint32_t index, struct zcs_camera_rate *out);

/* As zci_v4l2_set_format, but nothing is set. */
int zci_v4l2_try_format(const struct zci_v4l2_port *port, struct zci_v4l2_format *inout);

/* The driver's name of a listed format: 33 bytes. */
int zci_v4l2_format_text(const struct zci_v4l2_port *port, uint32_t index, char *text);

#endif
