/* SPDX-License-Identifier: MIT */
/* The notifier: a signaller counts, then checks for waiters; the listener says that it waits, then
 * checks the count. */
#include "os/notifier.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { ARMED = 1, WATCHED = 2 }; /* bits of waiters */

int zci_notifier_init(struct zci_notifier *notifier)
{
    *notifier = (struct zci_notifier){.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    zci_fork_guard_init(&notifier->fork_guard);
    return notifier->fd < 0 ? errno : 0;
}

void zci_notifier_finish(struct zci_notifier *notifier)
{
    if (notifier->fd >= 0)
        close(notifier->fd);
    notifier->fd = -1;
    zci_fork_guard_finish(&notifier->fork_guard);
}

/* Counts before it writes. A listener that runs in between reads nothing, and reads again the next
 * time. In the other order it would see that nothing is left to read, and fd would stay readable
 * for ever. */
static void write_event(struct zci_notifier *notifier)
{
    const uint64_t one = 1;
    if (!zci_fork_guard_same_process(&notifier->fork_guard))
        return;
    atomic_fetch_add(&notifier->writes, 1);
    while (write(notifier->fd, &one, sizeof one) < 0 && errno == EINTR)
        continue;
}

void zci_notifier_signal(struct zci_notifier *notifier)
{
    atomic_fetch_add(&notifier->signals, 1);
    if (atomic_load(&notifier->waiters) != 0)
        write_event(notifier);
}

void zci_notifier_clear(struct zci_notifier *notifier)
{
    uint64_t count = 0;
    while (atomic_load(&notifier->writes) != notifier->writes_read &&
           zci_fork_guard_same_process(&notifier->fork_guard) &&
           read(notifier->fd, &count, sizeof count) < 0 && errno == EINTR)
        continue;
    notifier->writes_read += (unsigned)count;
    notifier->signals_seen = atomic_load(&notifier->signals);
}

int zci_notifier_arm(struct zci_notifier *notifier)
{
    atomic_fetch_or(&notifier->waiters, ARMED);
    if (atomic_load(&notifier->signals) == notifier->signals_seen)
        return 1;
    zci_notifier_disarm(notifier);
    return 0;
}

void zci_notifier_disarm(struct zci_notifier *notifier)
{
    atomic_fetch_and(&notifier->waiters, ~(unsigned)ARMED);
}

void zci_notifier_watch(struct zci_notifier *notifier)
{
    if (!(atomic_fetch_or(&notifier->waiters, WATCHED) & WATCHED))
        write_event(notifier);
}

int zci_notifier_is_watched(struct zci_notifier *notifier)
{
    return (atomic_load(&notifier->waiters) & WATCHED) != 0 &&
           zci_fork_guard_same_process(&notifier->fork_guard);
}
