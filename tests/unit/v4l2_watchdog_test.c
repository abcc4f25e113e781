/* SPDX-License-Identifier: MIT */
/* The watchdog's limits, for rates from none to one frame in a century. */
#include "check.h"

#include "source/v4l2/watchdog.h"

#define SECOND_NS INT64_C(1000000000)

static void expect(int64_t stall_ns, uint32_t num, uint32_t den, int64_t first_ns, int64_t limit_ns)
{
    struct zci_v4l2_watchdog watchdog;
    zci_v4l2_watchdog_init(&watchdog, stall_ns, num, den);
    CHECK_EQ(watchdog.first_ns, first_ns);
    CHECK_EQ(watchdog.limit_ns, limit_ns);
    watchdog.since_ns = 1000 * SECOND_NS;
    const int64_t far_ns = INT64_MAX - watchdog.since_ns;
    CHECK_EQ(zci_v4l2_watchdog_due_ns(&watchdog),
             first_ns > far_ns ? INT64_MAX : watchdog.since_ns + first_ns);
}

/* The first bad frame moves the limit, further ones do not; a good one does. */
static void bad_frames(void)
{
    struct zci_v4l2_watchdog watchdog;
    zci_v4l2_watchdog_init(&watchdog, 100, 30, 1);
    zci_v4l2_watchdog_start(&watchdog);
    watchdog.restarted = 1;
    watchdog.since_ns = 1000;
    zci_v4l2_watchdog_add_bad(&watchdog, ZCS_LOSS_SHORT);
    CHECK(watchdog.since_ns > 1000);
    watchdog.since_ns = 2000;
    zci_v4l2_watchdog_add_bad(&watchdog, ZCS_LOSS_ERROR);
    CHECK_EQ(watchdog.since_ns, 2000);
    CHECK_EQ(watchdog.bad, 2);
    CHECK_EQ(watchdog.cause, ZCS_LOSS_ERROR);
    CHECK(!watchdog.fed && watchdog.restarted);
    zci_v4l2_watchdog_feed(&watchdog);
    CHECK(watchdog.since_ns > 2000 && watchdog.bad == 0 && watchdog.fed && !watchdog.restarted);
}

int main(void)
{
    expect(0, 0, 0, 5 * SECOND_NS, 5 * SECOND_NS);
    expect(0, 30, 1, 5 * SECOND_NS, 2 * SECOND_NS);
    expect(0, UINT32_MAX, 1, 5 * SECOND_NS, 2 * SECOND_NS);
    expect(0, 1, 2, 60 * SECOND_NS, 60 * SECOND_NS);
    expect(0, 1, 100000000, 3000000000 * SECOND_NS, 3000000000 * SECOND_NS);
    expect(0, 1, UINT32_MAX, INT64_MAX, INT64_MAX);
    expect(7, 30, 1, 7, 7);
    expect(-1, 30, 1, INT64_MAX, INT64_MAX);
    bad_frames();
    return 0;
}
