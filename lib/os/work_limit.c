/* SPDX-License-Identifier: MIT */
/* The work limit: how long a call goes on while it only skips, drops and loses frames. */
#include "os/work_limit.h"

#include "os/clock.h"

#define MIN_NS INT64_C(5000000)
#define SECOND_NS INT64_C(1000000000)
#define SLEPT_NS 50000 /* less is no sleep */
#define MAX_STEPS 100u /* in a second without sleep */

struct zci_work_limit zci_work_limit(int64_t deadline_ns)
{
    return (struct zci_work_limit){.deadline_ns = deadline_ns, .begin_ns = zci_now_ns()};
}

int zci_work_is_over(struct zci_work_limit *limit)
{
    const int64_t now_ns = zci_now_ns(), worked_ns = now_ns - limit->begin_ns;
    limit->steps++;
    if (limit->deadline_ns != INT64_MAX)
        return now_ns >= limit->deadline_ns && worked_ns >= MIN_NS;
    if (worked_ns < SECOND_NS)
        return 0;
    const int over = limit->steps >= MAX_STEPS;
    limit->begin_ns = now_ns;
    limit->steps = 0;
    return over;
}

void zci_work_slept(struct zci_work_limit *limit, int64_t since_ns)
{
    const int64_t now_ns = zci_now_ns();
    if (limit->deadline_ns != INT64_MAX || now_ns - since_ns < SLEPT_NS)
        return;
    limit->begin_ns = now_ns;
    limit->steps = 0;
}
