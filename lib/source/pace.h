/* SPDX-License-Identifier: MIT */
/* Pace: what time a frame of a recording or pattern has, and when it is due if it plays live. */
#ifndef ZCI_SOURCE_PACE_H
#define ZCI_SOURCE_PACE_H

#include "zcstream/frame.h"
#include "core/log.h"

struct zci_pace {
    uint32_t fps_num, fps_den; /* 0/0: frames have no time */
    int live;
    int started;      /* the first frame waited for was due at once */
    int64_t start_ns; /* CLOCK_MONOTONIC moment of media time 0 */
};

/* ZCS_ERR_ARG, logged with `what`: half a rate, or live without one where frames are not `timed` either. */
zcs_status zci_pace_init(struct zci_pace *pace, uint32_t fps_num, uint32_t fps_den, int live,
                         int timed, const char *what, const struct zci_log *log);

/* floor(n * 10^9 * den / num), INT64_MAX where that is too large; 0 without a rate. */
int64_t zci_pace_time_ns(const struct zci_pace *pace, uint64_t n);

/* CLOCK_MONOTONIC moment of a frame of media time `time_ns`; 0: now. */
int64_t zci_pace_due_ns(const struct zci_pace *pace, int64_t time_ns);

/* Waits until a frame of that time is due: ZCS_OK or ZCS_AGAIN. */
zcs_status zci_pace_wait(struct zci_pace *pace, int64_t time_ns, int64_t deadline_ns);

/* Fills what is known of frame n by its number: sequence, time, clock, and the moment it is complete. */
void zci_pace_stamp(const struct zci_pace *pace, uint64_t n, struct zcs_frame *frame);

#endif
