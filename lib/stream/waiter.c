/* SPDX-License-Identifier: MIT */
/* The waiter: the library sleeps in poll, the application in an epoll descriptor. */
#define _GNU_SOURCE /* ppoll */
#include "stream/waiter.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "os/clock.h"

static int watch(int set, int op, int fd, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.fd = fd};
    return epoll_ctl(set, op, fd, &event);
}

zcs_status zci_waiter_init(struct zci_waiter *waiter, int source_fd, int urgent,
                           const struct zci_log *log)
{
    *waiter = (struct zci_waiter){
        .timer_fd = -1, .epoll_fd = -1, .source_set = -1, .source_fd = source_fd, .urgent = urgent};
    /* The source's descriptor is not polled for input yet: some cameras take such a poll for the
     * start of read(), and then refuse everything else. */
    if (zci_notifier_init(&waiter->notifier) == 0)
        waiter->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (waiter->timer_fd >= 0)
        waiter->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (waiter->epoll_fd < 0 ||
        watch(waiter->epoll_fd, EPOLL_CTL_ADD, waiter->notifier.fd, EPOLLIN) != 0 ||
        watch(waiter->epoll_fd, EPOLL_CTL_ADD, waiter->timer_fd, EPOLLIN) != 0)
        return zci_fail(log, ZCS_ERR_IO, "the stream's event descriptors: %s", strerror(errno));
    return ZCS_OK;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void zci_waiter_finish(struct zci_waiter *waiter)
{
    close_fd(&waiter->source_set);
    close_fd(&waiter->epoll_fd);
    close_fd(&waiter->timer_fd);
    zci_notifier_finish(&waiter->notifier);
}

/* Closing a descriptor removes it from an epoll set only if nothing else holds the file, such as
 * mapped buffers or a forked child. After that nobody can remove it. So the source's descriptor has
 * an epoll set of its own, which is closed with it. */
static void drop_source_set(struct zci_waiter *waiter)
{
    if (waiter->source_set >= 0 && zci_fork_guard_same_process(&waiter->notifier.fork_guard))
        (void)watch(waiter->epoll_fd, EPOLL_CTL_DEL, waiter->source_set, 0);
    close_fd(&waiter->source_set);
}

static int make_source_set(struct zci_waiter *waiter)
{
    waiter->source_set = epoll_create1(EPOLL_CLOEXEC);
    if (waiter->source_set >= 0 &&
        watch(waiter->epoll_fd, EPOLL_CTL_ADD, waiter->source_set, EPOLLIN) == 0)
        return 0;
    close_fd(&waiter->source_set);
    return -1;
}

void zci_waiter_follow(struct zci_waiter *waiter, int source_fd)
{
    drop_source_set(waiter);
    waiter->source_fd = source_fd;
    waiter->source_armed = 0;
}

zcs_status zci_waiter_wait(struct zci_waiter *waiter, int with_source, int64_t due_ns,
                           int64_t deadline_ns)
{
    const int due_first = due_ns > 0 && due_ns < deadline_ns;
    const int64_t left = zci_left_ns(due_first ? due_ns : deadline_ns);
    const struct timespec timeout = {.tv_sec = (time_t)(left / 1000000000),
                                     .tv_nsec = (long)(left % 1000000000)};
    struct pollfd fds[2] = {
        {.fd = waiter->notifier.fd, .events = POLLIN},
        {.fd = waiter->source_fd, .events = waiter->urgent ? POLLIN | POLLPRI : POLLIN}};
    const nfds_t count = with_source && waiter->source_fd >= 0 ? 2 : 1;
    if (!zci_notifier_arm(&waiter->notifier))
        return ZCS_OK;
    const int ready = ppoll(fds, count, left < 0 ? NULL : &timeout, NULL);
    zci_notifier_disarm(&waiter->notifier);
    if (ready > 0 || (ready == 0 && due_first))
        return ZCS_OK;
    return ZCS_AGAIN;
}

int zci_waiter_watch(struct zci_waiter *waiter)
{
    zci_notifier_watch(&waiter->notifier);
    return waiter->epoll_fd;
}

/* The descriptor is removed, not masked: hang-ups are reported in spite of a mask. 0: it is in the
 * wanted state. */
static int watch_source(struct zci_waiter *waiter, int with_source)
{
    if (waiter->source_fd < 0 || waiter->source_armed == with_source)
        return 0;
    if (waiter->source_set < 0 && make_source_set(waiter) != 0)
        return 1;
    const int failed = watch(waiter->source_set, with_source ? EPOLL_CTL_ADD : EPOLL_CTL_DEL,
                             waiter->source_fd, waiter->urgent ? EPOLLIN | EPOLLPRI : EPOLLIN) != 0;
    waiter->source_armed = with_source && !failed;
    return failed;
}

/* A timer that has expired stays readable until it is set again. */
static void set_timer(struct zci_waiter *waiter, int64_t due_ns)
{
    const struct itimerspec when = {.it_value = {.tv_sec = (time_t)(due_ns / 1000000000),
                                                 .tv_nsec = (long)(due_ns % 1000000000)}};
    if (due_ns != waiter->timer_ns)
        timerfd_settime(waiter->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
    waiter->timer_ns = due_ns;
}

void zci_waiter_arm(struct zci_waiter *waiter, int with_source, int64_t due_ns, int now)
{
    now |= watch_source(waiter, with_source);
    set_timer(waiter, due_ns);
    if (now)
        zci_notifier_signal(&waiter->notifier);
}
