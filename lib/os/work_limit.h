/* SPDX-License-Identifier: MIT */
/* The work limit: how long a call goes on while it only skips, drops and loses frames. */
#ifndef ZCI_OS_WORK_LIMIT_H
#define ZCI_OS_WORK_LIMIT_H

#include <stdint.h>

struct zci_work_limit {
    int64_t deadline_ns; /* of the call; INT64_MAX: none */
    int64_t begin_ns;    /* of the call; without a deadline: of the second that is counted */
    uint32_t steps;      /* since begin_ns */
};

/* For a call with that deadline (os/clock.h). */
struct zci_work_limit zci_work_limit(int64_t deadline_ns);

/* Called after each step without a result. 1: the call returns now. The deadline has passed, and
 * the call has worked for 5 ms, so that a call that does not wait finds a frame behind others.
 * Without a deadline: there were 100 steps in a second, and no sleep. */
int zci_work_is_over(struct zci_work_limit *limit);

/* The call may have slept since `since_ns`. */
void zci_work_slept(struct zci_work_limit *limit, int64_t since_ns);

#endif
