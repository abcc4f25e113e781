/* SPDX-License-Identifier: MIT */
/* The watchdog: how long a camera may be silent. */
#ifndef ZCI_SOURCE_V4L2_WATCHDOG_H
#define ZCI_SOURCE_V4L2_WATCHDOG_H

#include <stdint.h>

struct zci_v4l2_watchdog {
    int64_t limit_ns;  /* between frames */
    int64_t first_ns;  /* before the first frame after streaming began */
    int64_t since_ns;  /* CLOCK_MONOTONIC of the last sign of life */
    uint8_t fed;       /* a frame came since streaming began */
    uint8_t restarted; /* streaming was begun anew, and no good frame came since */
};

/* `stall_ns` 0: 30 frame periods, 2 s at least, 5 s where the rate is not known or before the first frame;
 * < 0: for ever. */
void zci_v4l2_watchdog_init(struct zci_v4l2_watchdog *watchdog, int64_t stall_ns, uint32_t fps_num,
                            uint32_t fps_den);

/* Streaming begins. */
void zci_v4l2_watchdog_start(struct zci_v4l2_watchdog *watchdog);
void zci_v4l2_watchdog_feed(struct zci_v4l2_watchdog *watchdog);

/* When it strikes; INT64_MAX: never. */
int64_t zci_v4l2_watchdog_due_ns(const struct zci_v4l2_watchdog *watchdog);

#endif
