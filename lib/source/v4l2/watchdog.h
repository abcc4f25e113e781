/* SPDX-License-Identifier: MIT */
/* The watchdog: how long a camera may deliver no good frame. */
#ifndef ZCI_SOURCE_V4L2_WATCHDOG_H
#define ZCI_SOURCE_V4L2_WATCHDOG_H

#include "zcstream/source.h"

struct zci_v4l2_watchdog {
    int64_t limit_ns;    /* between good frames */
    int64_t first_ns;    /* before the first good frame after STREAMON */
    int64_t since_ns;    /* CLOCK_MONOTONIC time from which the limit counts */
    uint32_t bad;        /* frames since then that were damaged, short or not written */
    enum zcs_loss cause; /* of the latest of them */
    uint8_t fed;         /* a good frame came since STREAMON */
    uint8_t restarted;   /* streaming was restarted, and no good frame came since */
};

/* `stall_ns` 0: 30 frame periods, but at least 2 s; 5 s where the rate is not known and, at least,
 * before the first frame. `stall_ns` < 0: no limit. */
void zci_v4l2_watchdog_init(struct zci_v4l2_watchdog *watchdog, int64_t stall_ns, uint32_t fps_num,
                            uint32_t fps_den);

/* Streaming starts. */
void zci_v4l2_watchdog_start(struct zci_v4l2_watchdog *watchdog);
/* A good frame came. */
void zci_v4l2_watchdog_feed(struct zci_v4l2_watchdog *watchdog);
/* A bad frame came. The limit counts from the first one: before it the caller may have been
 * away. */
void zci_v4l2_watchdog_add_bad(struct zci_v4l2_watchdog *watchdog, enum zcs_loss cause);

/* When it expires; INT64_MAX: never. */
int64_t zci_v4l2_watchdog_due_ns(const struct zci_v4l2_watchdog *watchdog);

#endif
