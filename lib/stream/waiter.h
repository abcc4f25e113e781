/* SPDX-License-Identifier: MIT */
/* The waiter: one place to sleep until a frame context completes, a frame comes home, or the source has one.
 *
 * Frame contexts and pools ring a notifier; the source has its own descriptor or a due time. The outside sees one epoll descriptor
 * over all of them; until it asks for that, nothing is set up for it. */
#ifndef ZCI_STREAM_WAITER_H
#define ZCI_STREAM_WAITER_H

#include "os/notifier.h"
#include "core/log.h"

struct zci_waiter {
    struct zci_notifier notifier; /* rung by frame contexts and pools */
    int timer_fd;                 /* the source's due time, for the outside */
    int64_t timer_ns;             /* what that is set to; 0: not */
    int epoll_fd;
    int source_set; /* within epoll_fd, with source_fd alone; -1: not made */
    int source_fd;  /* -1: none; not owned */
    int source_armed;
    int urgent; /* what poll calls urgent in source_fd wakes too */
};

/* `source_fd` -1: none. On failure `waiter` may be finished all the same. */
zcs_status zci_waiter_init(struct zci_waiter *waiter, int source_fd, int urgent,
                           const struct zci_log *log);
void zci_waiter_finish(struct zci_waiter *waiter);

/* The source's descriptor is another one, also under the same number; the old one was closed. -1: none. */
void zci_waiter_follow(struct zci_waiter *waiter, int source_fd);

/* Sleeps until the notifier rings, or has rung since it was last heard, the source is readable (`with_source`), `due_ns` (CLOCK_MONOTONIC,
 * 0: none) or `deadline_ns` (INT64_MAX: none) comes. ZCS_AGAIN: the deadline passed, or a signal came. */
zcs_status zci_waiter_wait(struct zci_waiter *waiter, int with_source, int64_t due_ns,
                           int64_t deadline_ns);

/* The descriptor for the outside; readable the first time, so that whoever waits for it calls what arms it. Any
 * thread. */
int zci_waiter_watch(struct zci_waiter *waiter);

/* Sets what the outside's epoll descriptor reports until the next call: the source (`with_source`), a due
 * time (0: none), or readable at once (`now`). Only needed once the notifier is watched. */
void zci_waiter_arm(struct zci_waiter *waiter, int with_source, int64_t due_ns, int now);

#endif
