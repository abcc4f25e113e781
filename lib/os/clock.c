/* SPDX-License-Identifier: MIT */
/* Monotonic time and deadlines. */
#include "os/clock.h"

#include <time.h>

int64_t zci_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t zci_deadline_ns(int64_t timeout_ns)
{
    const int64_t now = zci_now_ns();
    return timeout_ns < 0 || timeout_ns > INT64_MAX - now ? INT64_MAX : now + timeout_ns;
}

int64_t zci_left_ns(int64_t deadline_ns)
{
    if (deadline_ns == INT64_MAX)
        return -1;
    const int64_t left = deadline_ns - zci_now_ns();
    return left > 0 ? left : 0;
}
