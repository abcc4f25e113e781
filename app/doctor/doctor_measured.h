/* SPDX-License-Identifier: MIT */
/* What two seconds of a camera came to: told, and what could be better. */
#ifndef ZCAPP_DOCTOR_DOCTOR_MEASURED_H
#define ZCAPP_DOCTOR_DOCTOR_MEASURED_H

#include "zcstream/latency.h"

#include "app/doctor/findings.h"

struct doctor_measured {
    double seconds;
    uint64_t frames;
    struct zcs_source_info source;
    struct zcs_stream_stats stream;
    struct zcs_latency driver, result;
    uint32_t flags; /* of the last frame, as the next */
    enum zcs_clock clock;
    int may_slow_down; /* automatic exposure may lower the rate */
};

void doctor_measured_tell(const struct doctor_measured *m, struct findings *findings);

/* `usb_mbit`: of the camera's port, 0 where it has none. */
void doctor_measured_advise(const struct doctor_measured *m, unsigned usb_mbit,
                            struct findings *findings);

#endif
