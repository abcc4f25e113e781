/* SPDX-License-Identifier: MIT */
/* What a V4L2 node is asked and told about its controls, and its events. As port.h: one request each, 0 or its
 * errno, nothing is logged. */
#ifndef ZCI_SOURCE_V4L2_PORT_CONTROL_H
#define ZCI_SOURCE_V4L2_PORT_CONTROL_H

#include "source/v4l2/port.h"
#include "zcstream/camera.h"

/* What the kernel needs beside the public struct. */
struct zci_v4l2_control {
    struct zcs_control seen; /* without name, which zci_v4l2_control_name makes of the title */
    uint8_t wide;            /* 64 bits */
};

/* The control with the next id; EINVAL: none. Drivers that know VIDIOC_QUERYCTRL only have no compound ones. */
int zci_v4l2_next_control(const struct zci_v4l2_port *port, uint32_t after,
                          struct zci_v4l2_control *out);
int zci_v4l2_menu_item(const struct zci_v4l2_port *port, const struct zci_v4l2_control *control,
                       uint32_t index, struct zcs_control_item *out);

int zci_v4l2_get_control(const struct zci_v4l2_port *port, const struct zci_v4l2_control *control,
                         int64_t *value);
int zci_v4l2_set_control(const struct zci_v4l2_port *port, const struct zci_v4l2_control *control,
                         int64_t value);
/* Strings; `bytes` with the end mark, at least the control's greatest length + 1. */
int zci_v4l2_get_text(const struct zci_v4l2_port *port, const struct zci_v4l2_control *control,
                      char *text, size_t bytes);
int zci_v4l2_set_text(const struct zci_v4l2_port *port, const struct zci_v4l2_control *control,
                      const char *text, size_t bytes);

/* Asks to be told when something other than this descriptor changes the control. */
int zci_v4l2_watch_control(const struct zci_v4l2_port *port, uint32_t id);

/* Asks to be told when the present input's signal changes. */
int zci_v4l2_watch_signal(const struct zci_v4l2_port *port);

struct zci_v4l2_event {
    uint8_t control; /* 1: the value of `id` changed */
    uint8_t signal;  /* 1: the input's signal has another size or rate, came or went */
    uint32_t id;
    int64_t value;
    int64_t time_ns; /* CLOCK_MONOTONIC */
};
/* ENOENT: none waits. */
int zci_v4l2_next_event(const struct zci_v4l2_port *port, struct zci_v4l2_event *out);

#endif
