/* SPDX-License-Identifier: MIT */
/* The waiter: the one place where a stream sleeps until a frame context completes, a slot is
 * released, or the source has a frame.
 *
 * Frame contexts and pools signal a notifier. The source has a descriptor of its own, or a due
 * time. The application sees one epoll descriptor over all of them, which is set up when it is
 * first asked for. */
#ifndef ZCI_STREAM_WAITER_H
#define ZCI_STREAM_WAITER_H

#include "os/notifier.h"
#include "core/log.h"

struct zci_waiter {
    struct zci_notifier notifier; /* signalled by frame contexts and pools */
    int timer_fd;                 /* the source's due time, for the epoll descriptor */
    int64_t timer_ns;             /* the time it is set to; 0: none */
    int epoll_fd;
    int source_set; /* an epoll descriptor with source_fd alone, inside epoll_fd; -1: not made */
    int source_fd;  /* -1: none; not owned */
    int source_armed;
    int urgent; /* exceptional conditions (POLLPRI) of source_fd wake too */
};

/* `source_fd` -1: there is none. After a failure `waiter` may be finished. */
zcs_status zci_waiter_init(struct zci_waiter *waiter, int source_fd, int urgent,
                           const struct zci_log *log);
void zci_waiter_finish(struct zci_waiter *waiter);

/* The source has another descriptor, perhaps with the same number; the old one was closed. -1:
 * none. */
void zci_waiter_follow(struct zci_waiter *waiter, int source_fd);

/* Sleeps until one of these: the notifier is signalled, or was since it was last cleared; the
 * source is readable (`with_source`); the time `due_ns` (CLOCK_MONOTONIC, 0: none); the time
 * `deadline_ns` (INT64_MAX: none). ZCS_AGAIN: the deadline passed, or a signal came. */
zcs_status zci_waiter_wait(struct zci_waiter *waiter, int with_source, int64_t due_ns,
                           int64_t deadline_ns);

/* The descriptor for the application to poll. It is readable at first, so that the application
 * makes the call that arms it. Any thread. */
int zci_waiter_watch(struct zci_waiter *waiter);

/* Sets what makes the application's descriptor readable until the next call: the source
 * (`with_source`), a due time (0: none), or at once (`now`). Needed only once the descriptor was
 * asked for. */
void zci_waiter_arm(struct zci_waiter *waiter, int with_source, int64_t due_ns, int now);

#endif
