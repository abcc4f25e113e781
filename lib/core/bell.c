/* SPDX-License-Identifier: MIT */
/* The bell's two halves: who rings counts before asking, who sleeps says so before counting. */
#include "core/bell.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { ASLEEP = 1, WATCHED = 2 };

int zci_bell_init(struct zci_bell *bell)
{
    *bell = (struct zci_bell){.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    zci_origin_init(&bell->origin);
    return bell->fd < 0 ? errno : 0;
}

void zci_bell_finish(struct zci_bell *bell)
{
    if (bell->fd >= 0)
        close(bell->fd);
    bell->fd = -1;
    zci_origin_finish(&bell->origin);
}

/* Counted before it is written: a listener in between reads in vain, and tries again. The other way round it would
 * believe that nothing is there to be read, and find fd readable without end. */
static void tell(struct zci_bell *bell)
{
    const uint64_t one = 1;
    if (!zci_origin_here(&bell->origin))
        return;
    atomic_fetch_add(&bell->told, 1);
    while (write(bell->fd, &one, sizeof one) < 0 && errno == EINTR)
        continue;
}

void zci_bell_ring(struct zci_bell *bell)
{
    atomic_fetch_add(&bell->rung, 1);
    if (atomic_load(&bell->wanted) != 0)
        tell(bell);
}

void zci_bell_hear(struct zci_bell *bell)
{
    uint64_t count = 0;
    while (atomic_load(&bell->told) != bell->heard && zci_origin_here(&bell->origin) &&
           read(bell->fd, &count, sizeof count) < 0 && errno == EINTR)
        continue;
    bell->heard += (unsigned)count;
    bell->seen = atomic_load(&bell->rung);
}

int zci_bell_await(struct zci_bell *bell)
{
    atomic_fetch_or(&bell->wanted, ASLEEP);
    if (atomic_load(&bell->rung) == bell->seen)
        return 1;
    zci_bell_leave(bell);
    return 0;
}

void zci_bell_leave(struct zci_bell *bell)
{
    atomic_fetch_and(&bell->wanted, ~(unsigned)ASLEEP);
}

void zci_bell_watch(struct zci_bell *bell)
{
    if (!(atomic_fetch_or(&bell->wanted, WATCHED) & WATCHED))
        tell(bell);
}

int zci_bell_is_watched(struct zci_bell *bell)
{
    return (atomic_load(&bell->wanted) & WATCHED) != 0 && zci_origin_here(&bell->origin);
}
