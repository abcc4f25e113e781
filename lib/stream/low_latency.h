/* SPDX-License-Identifier: MIT */
/* Low latency: devices on which a lane holds multiprocessors between frames. */
#ifndef ZCI_STREAM_LOW_LATENCY_H
#define ZCI_STREAM_LOW_LATENCY_H

#include "stream/lanes.h"

struct zci_latency {
    uint32_t held_units; /* of all devices together, at the start */
    const char *reason;  /* static or NULL: why a device holds none */
};

/* The first lane of each device becomes quick, where it can; the log says what that costs or why not. */
zcs_status zci_latency_add(struct zci_latency *latency, struct zci_lanes *lanes);

#endif
