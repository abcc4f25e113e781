/* SPDX-License-Identifier: MIT */
/* The waiter: one place to sleep until a lane completes, a frame comes home, or the source has one.
 *
 * Lanes and pools add 1 to an eventfd; the source has its own descriptor or a due time. The outside sees
 * one epoll descriptor over all of them. */
#ifndef ZCI_STREAM_WAITER_H
#define ZCI_STREAM_WAITER_H

#include "core/log.h"

struct zci_waiter {
    int event_fd; /* lanes and pools */
    int timer_fd; /* the source's due time, for the outside */
    int epoll_fd;
    int source_fd; /* -1: none; not owned */
    int source_armed;
    int urgent; /* what poll calls urgent in source_fd wakes too */
};

/* `source_fd` -1: none. On failure `waiter` may be finished all the same. */
zcs_status zci_waiter_init(struct zci_waiter *waiter, int source_fd, int urgent,
                           const struct zci_log *log);
void zci_waiter_finish(struct zci_waiter *waiter);

/* The source's descriptor is another one, also under the same number; the old one was closed. -1: none. */
void zci_waiter_follow(struct zci_waiter *waiter, int source_fd);

/* Forgets the completions announced so far; called before looking for them. */
void zci_waiter_drain(struct zci_waiter *waiter);

/* Sleeps until something is announced, the source is readable (`with_source`), `due_ns` (CLOCK_MONOTONIC,
 * 0: none) or `deadline_ns` (INT64_MAX: none) comes. ZCS_AGAIN: the deadline passed, or a signal came. */
zcs_status zci_waiter_wait(struct zci_waiter *waiter, int with_source, int64_t due_ns,
                           int64_t deadline_ns);

/* Sets what the outside's epoll descriptor reports until the next call: the source (`with_source`), a due
 * time (0: none), or readable at once (`now`). */
void zci_waiter_arm(struct zci_waiter *waiter, int with_source, int64_t due_ns, int now);

#endif
