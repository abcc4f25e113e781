/* SPDX-License-Identifier: MIT */
/* How long the watchdog waits for the next frame. */
#include "source/v4l2/watchdog.h"

#include "os/clock.h"

#define SECOND_NS INT64_C(1000000000)
#define PERIODS 30
#define MIN_NS (2 * SECOND_NS)
#define UNKNOWN_NS (5 * SECOND_NS)

void zci_v4l2_watchdog_init(struct zci_v4l2_watchdog *watchdog, int64_t stall_ns, uint32_t fps_num,
                            uint32_t fps_den)
{
    int64_t limit_ns = UNKNOWN_NS;
    if (fps_num != 0 && fps_den != 0) {
        /* In microseconds, because no rate overflows those. A limit of centuries is no limit. */
        const uint64_t period_us = (uint64_t)fps_den * 1000000 / fps_num;
        limit_ns = period_us < INT64_MAX / (1000 * PERIODS) ? (int64_t)period_us * 1000 * PERIODS
                                                            : INT64_MAX;
        limit_ns = limit_ns > MIN_NS ? limit_ns : MIN_NS;
    }
    int64_t first_ns = limit_ns > UNKNOWN_NS ? limit_ns : UNKNOWN_NS;
    if (stall_ns != 0)
        limit_ns = first_ns = stall_ns > 0 ? stall_ns : INT64_MAX;
    *watchdog = (struct zci_v4l2_watchdog){.limit_ns = limit_ns, .first_ns = first_ns};
}

void zci_v4l2_watchdog_start(struct zci_v4l2_watchdog *watchdog)
{
    watchdog->since_ns = zci_now_ns();
    watchdog->bad = 0;
    watchdog->fed = 0;
}

void zci_v4l2_watchdog_feed(struct zci_v4l2_watchdog *watchdog)
{
    watchdog->since_ns = zci_now_ns();
    watchdog->bad = 0;
    watchdog->fed = 1;
    watchdog->restarted = 0;
}

void zci_v4l2_watchdog_add_bad(struct zci_v4l2_watchdog *watchdog, enum zcs_loss cause)
{
    if (watchdog->bad++ == 0)
        watchdog->since_ns = zci_now_ns();
    watchdog->cause = cause;
}

int64_t zci_v4l2_watchdog_due_ns(const struct zci_v4l2_watchdog *watchdog)
{
    const int64_t limit_ns = watchdog->fed ? watchdog->limit_ns : watchdog->first_ns;
    return limit_ns > INT64_MAX - watchdog->since_ns ? INT64_MAX : watchdog->since_ns + limit_ns;
}
