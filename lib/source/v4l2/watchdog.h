/* SPDX-License-Identifier: MIT */
/* The watchdog: how long a camera may deliver no frame. */
#ifndef ZCI_SOURCE_V4L2_WATCHDOG_H
#define ZCI_SOURCE_V4L2_WATCHDOG_H

#include <stdint.h>

struct zci_v4l2_watchdog {
    int64_t limit_ns;  /* between frames */
    int64_t first_ns;  /* before the first frame after STREAMON */
    int64_t since_ns;  /* CLOCK_MONOTONIC of the latest frame, or of STREAMON */
    uint8_t fed;       /* a frame came since STREAMON */
    uint8_t restarted; /* streaming was restarted, and no good frame came since */
};

/* `stall_ns` 0: 30 frame periods, but at least 2 s; 5 s where the rate is not known and, at least,
 * before the first frame. `stall_ns` < 0: no limit. */
void zci_v4l2_watchdog_init(struct zci_v4l2_watchdog *watchdog, int64_t stall_ns, uint32_t fps_num,
                            uint32_t fps_den);

/* Streaming starts. */
void zci_v4l2_watchdog_start(struct zci_v4l2_watchdog *watchdog);
/* A frame came. */
void zci_v4l2_watchdog_feed(struct zci_v4l2_watchdog *watchdog);

/* When it expires; INT64_MAX: never. */
int64_t zci_v4l2_watchdog_due_ns(const struct zci_v4l2_watchdog *watchdog);

#endif
