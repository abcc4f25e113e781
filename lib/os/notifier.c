/* SPDX-License-Identifier: MIT */
/* The notifier's two halves: who rings counts before asking, who sleeps says so before counting. */
#include "os/notifier.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { ASLEEP = 1, WATCHED = 2 };

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

/* Counted before it is written: a listener in between reads in vain, and tries again. The other way round it would
 * believe that nothing is there to be read, and find fd readable without end. */
static void tell(struct zci_notifier *notifier)
{
    const uint64_t one = 1;
    if (!zci_fork_guard_same_process(&notifier->fork_guard))
        return;
    atomic_fetch_add(&notifier->told, 1);
    while (write(notifier->fd, &one, sizeof one) < 0 && errno == EINTR)
        continue;
}

void zci_notifier_signal(struct zci_notifier *notifier)
{
    atomic_fetch_add(&notifier->rung, 1);
    if (atomic_load(&notifier->wanted) != 0)
        tell(notifier);
}

void zci_notifier_clear(struct zci_notifier *notifier)
{
    uint64_t count = 0;
    while (atomic_load(&notifier->told) != notifier->heard &&
           zci_fork_guard_same_process(&notifier->fork_guard) &&
           read(notifier->fd, &count, sizeof count) < 0 && errno == EINTR)
        continue;
    notifier->heard += (unsigned)count;
    notifier->seen = atomic_load(&notifier->rung);
}

int zci_notifier_arm(struct zci_notifier *notifier)
{
    atomic_fetch_or(&notifier->wanted, ASLEEP);
    if (atomic_load(&notifier->rung) == notifier->seen)
        return 1;
    zci_notifier_disarm(notifier);
    return 0;
}

void zci_notifier_disarm(struct zci_notifier *notifier)
{
    atomic_fetch_and(&notifier->wanted, ~(unsigned)ASLEEP);
}

void zci_notifier_watch(struct zci_notifier *notifier)
{
    if (!(atomic_fetch_or(&notifier->wanted, WATCHED) & WATCHED))
        tell(notifier);
}

int zci_notifier_is_watched(struct zci_notifier *notifier)
{
    return (atomic_load(&notifier->wanted) & WATCHED) != 0 &&
           zci_fork_guard_same_process(&notifier->fork_guard);
}
