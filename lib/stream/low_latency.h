/* SPDX-License-Identifier: MIT */
/* Low latency: devices on which a frame context holds multiprocessors between frames. */
#ifndef ZCI_STREAM_LOW_LATENCY_H
#define ZCI_STREAM_LOW_LATENCY_H

#include "stream/inflight.h"

struct zci_latency {
    uint32_t reserved_sms; /* of all devices together, at the start */
    const char *reason;    /* static or NULL: why a device holds none */
};

/* The first frame context of each device becomes quick, where it can; the log says what that costs or why not. */
zcs_status zci_latency_add(struct zci_latency *latency, struct zci_inflight *inflight);

#endif
