/* SPDX-License-Identifier: MIT */
/* ppoll and clock_nanosleep with the library's deadlines. */
#define _GNU_SOURCE /* ppoll */
#include "source/wait.h"

#include <errno.h>
#include <poll.h>
#include <time.h>

#include "os/clock.h"

static struct timespec timespec_of(int64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000),
                             .tv_nsec = (long)(ns % 1000000000)};
}

zcs_status zci_wait_readable(int fd, int64_t deadline_ns)
{
    const int64_t left = zci_left_ns(deadline_ns);
    const struct timespec timeout = timespec_of(left < 0 ? 0 : left);
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    const int ready = ppoll(&poll_fd, 1, left < 0 ? NULL : &timeout, NULL);
    if (ready < 0)
        return errno == EINTR ? ZCS_AGAIN : ZCS_ERR_IO;
    if (ready > 0 && (poll_fd.revents & POLLNVAL)) {
        errno = EBADF;
        return ZCS_ERR_IO;
    }
    return ready > 0 ? ZCS_OK : ZCS_AGAIN;
}

zcs_status zci_wait_until(int64_t when_ns, int64_t deadline_ns)
{
    if (when_ns <= zci_now_ns())
        return ZCS_OK;
    const int64_t end_ns = when_ns < deadline_ns ? when_ns : deadline_ns;
    const struct timespec end = timespec_of(end_ns);
    if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) != 0)
        return ZCS_AGAIN;
    return end_ns == when_ns ? ZCS_OK : ZCS_AGAIN;
}
