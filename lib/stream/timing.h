/* SPDX-License-Identifier: MIT */
/* How long a stream's frames took, leg by leg. */
#ifndef ZCI_STREAM_TIMING_H
#define ZCI_STREAM_TIMING_H

#include "source/source.h"
#include "zcstream/latency.h"

/* {0}: no frame so far. */
struct zci_timing {
    struct zcs_histogram legs[ZCS_LATENCY_LEGS];
    uint64_t without;
    const char *because;
};

/* A result of frames of `source`. */
void zci_timing_add(struct zci_timing *timing, const zcs_source *source,
                    const struct zcs_frame *result);

#endif
