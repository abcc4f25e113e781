/* SPDX-License-Identifier: MIT */
/* The waiter's descriptor for the outside, as sources come and go. */
#include "check.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "stream/waiter.h"

static int readable(int fd)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};
    return poll(&one, 1, 0) == 1;
}

static int open_source(int is_ready)
{
    const int fd = eventfd(is_ready != 0, EFD_CLOEXEC | EFD_NONBLOCK);
    CHECK(fd >= 0);
    return fd;
}

/* A file that something else keeps open, as a driver's mapped buffers do, is not heard of any more. */
int main(void)
{
    const struct zci_log quiet = {.fn = NULL};
    struct zci_waiter waiter;
    int source = open_source(1);
    const int kept = dup(source);
    CHECK_EQ(zci_waiter_init(&waiter, source, 0, &quiet), ZCS_OK);
    const int outside = zci_waiter_watch(&waiter);
    CHECK(readable(outside)); /* the first time */
    zci_notifier_clear(&waiter.notifier);
    CHECK(!readable(outside));
    zci_waiter_arm(&waiter, 1, 0, 0);
    CHECK(readable(outside));
    zci_waiter_arm(&waiter, 0, 0, 0);
    CHECK(!readable(outside));
    zci_waiter_arm(&waiter, 1, 0, 0);
    CHECK(readable(outside));

    close(source);
    zci_waiter_follow(&waiter, -1);
    zci_waiter_arm(&waiter, 1, 0, 0);
    CHECK(readable(kept) && !readable(outside));

    source = open_source(0);
    zci_waiter_follow(&waiter, source);
    zci_waiter_arm(&waiter, 1, 0, 0);
    CHECK(!readable(outside));
    const uint64_t one = 1;
    CHECK_EQ(write(source, &one, sizeof one), (ssize_t)sizeof one);
    CHECK(readable(outside));
    zci_waiter_finish(&waiter);
    close(source), close(kept);
    return 0;
}
