/* SPDX-License-Identifier: MIT */
/* Pace: the timestamps of a recording's or pattern's frames, and when each is due in real-time
 * playback. */
#ifndef ZCI_SOURCE_PACE_H
#define ZCI_SOURCE_PACE_H

#include "core/log.h"
#include "zcstream/frame.h"

struct zci_pace {
    uint32_t fps_num, fps_den; /* 0/0: frames have no timestamps */
    int live;                  /* real-time playback */
    int started;               /* the first frame was due at once, and set start_ns */
    int64_t start_ns;          /* CLOCK_MONOTONIC moment of media time 0 */
};

/* `timed`: the frames have timestamps of their own. ZCS_ERR_ARG, logged with `what`: only one of
 * fps_num and fps_den is 0, or `live` without a rate and without `timed`. */
zcs_status zci_pace_init(struct zci_pace *pace, uint32_t fps_num, uint32_t fps_den, int live,
                         int timed, const char *what, const struct zci_log *log);

/* The media time of frame n: floor(n * 10^9 * den / num), INT64_MAX where that is too large; 0
 * without a rate. */
int64_t zci_pace_time_ns(const struct zci_pace *pace, uint64_t n);

/* The CLOCK_MONOTONIC moment of media time `time_ns`; 0: now. */
int64_t zci_pace_due_ns(const struct zci_pace *pace, int64_t time_ns);

/* Waits until a frame of that media time is due. ZCS_OK or ZCS_AGAIN. */
zcs_status zci_pace_wait(struct zci_pace *pace, int64_t time_ns, int64_t deadline_ns);

/* Sets what follows from the frame's number: sequence, time_ns, clock and captured_ns. */
void zci_pace_stamp(const struct zci_pace *pace, uint64_t n, struct zcs_frame *frame);

#endif
