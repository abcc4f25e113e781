/* SPDX-License-Identifier: MIT */
/* The notifier: silent where nobody sleeps, heard by whoever does, and never lost between several
 * ringers and a listener who is about to fall asleep. A lost ring shows as a poll that waits too
 * long. */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "check.h"

#include "os/notifier.h"

enum { RINGERS = 3, ROUNDS = SANITIZED ? 4000 : 20000, LONG_MS = 5000 };

static int readable(const struct zci_notifier *notifier, int ms)
{
    struct pollfd fd = {.fd = notifier->fd, .events = POLLIN};
    return poll(&fd, 1, ms) == 1;
}

static void nobody_asleep(void)
{
    struct zci_notifier notifier;
    CHECK_EQ(zci_notifier_init(&notifier), 0);
    for (int i = 0; i < 3; i++)
        zci_notifier_signal(&notifier);
    CHECK(!readable(&notifier, 0));
    CHECK_EQ(zci_notifier_arm(&notifier), 0); /* it rang, and was not heard */
    zci_notifier_signal(&notifier);
    CHECK(!readable(&notifier, 0)); /* and so nobody fell asleep */
    zci_notifier_clear(&notifier);
    CHECK_EQ(zci_notifier_arm(&notifier), 1);
    zci_notifier_disarm(&notifier);
    zci_notifier_signal(&notifier);
    CHECK(!readable(&notifier, 0));
    zci_notifier_finish(&notifier);
    zci_notifier_finish(&notifier);
}

static void asleep(void)
{
    struct zci_notifier notifier;
    CHECK_EQ(zci_notifier_init(&notifier), 0);
    zci_notifier_clear(&notifier);
    CHECK_EQ(zci_notifier_arm(&notifier), 1);
    CHECK(!readable(&notifier, 0));
    zci_notifier_signal(&notifier);
    zci_notifier_signal(&notifier);
    CHECK(readable(&notifier, 0));
    zci_notifier_disarm(&notifier);
    CHECK_EQ(zci_notifier_arm(&notifier), 0);
    zci_notifier_clear(&notifier);
    CHECK(!readable(&notifier, 0)); /* both at once */
    CHECK_EQ(zci_notifier_arm(&notifier), 1);
    zci_notifier_finish(&notifier);
}

/* Who says what it is about to write has not written it yet. */
static void heard_in_between(void)
{
    struct zci_notifier notifier;
    const uint64_t one = 1;
    CHECK_EQ(zci_notifier_init(&notifier), 0);
    atomic_fetch_add(&notifier.writes, 1);
    zci_notifier_clear(&notifier);
    CHECK(write(notifier.fd, &one, sizeof one) == sizeof one);
    CHECK(readable(&notifier, 0));
    zci_notifier_clear(&notifier);
    CHECK(!readable(&notifier, 0));
    CHECK_EQ(notifier.writes, notifier.writes_read);
    zci_notifier_finish(&notifier);
}

static void watched(void)
{
    struct zci_notifier notifier;
    CHECK_EQ(zci_notifier_init(&notifier), 0);
    CHECK(!zci_notifier_is_watched(&notifier));
    zci_notifier_watch(&notifier);
    CHECK(zci_notifier_is_watched(&notifier) && readable(&notifier, 0));
    zci_notifier_clear(&notifier);
    CHECK(!readable(&notifier, 0));
    zci_notifier_watch(&notifier); /* the second time it is no news */
    CHECK(!readable(&notifier, 0));
    zci_notifier_signal(&notifier);
    CHECK(readable(&notifier, 0));
    zci_notifier_clear(&notifier);
    CHECK_EQ(zci_notifier_arm(&notifier), 1);
    zci_notifier_disarm(&notifier);
    CHECK(zci_notifier_is_watched(&notifier));
    zci_notifier_signal(&notifier);
    CHECK(readable(&notifier, 0));
    zci_notifier_finish(&notifier);
}

/* Each ringer goes on when what it has brought was taken, so that every round needs its ring. */
static struct {
    struct zci_notifier notifier;
    atomic_int brought[RINGERS];
} shared;

static void pause_a_little(uint64_t *seed)
{
    const uint64_t random = test_random(seed);
    if (random % 7 == 0)
        sched_yield();
    for (volatile uint64_t i = 0; i < random % 301; i++)
        continue;
}

static void *ring_often(void *argument)
{
    atomic_int *brought = argument;
    uint64_t seed = (uint64_t)(brought - shared.brought) + 1;
    for (int i = 0; i < ROUNDS; i++) {
        pause_a_little(&seed);
        atomic_store_explicit(brought, 1, memory_order_relaxed);
        zci_notifier_signal(&shared.notifier);
        for (int spins = 0; atomic_load_explicit(brought, memory_order_relaxed); spins++)
            if (spins > 100)
                sched_yield();
    }
    return NULL;
}

static int take_all(void)
{
    int taken = 0;
    for (int i = 0; i < RINGERS; i++)
        taken += atomic_exchange_explicit(&shared.brought[i], 0, memory_order_relaxed);
    return taken;
}

/* By the listener's own sleep, or as the outside does it. */
static void listen(int from_outside, int ringers)
{
    pthread_t threads[RINGERS];
    uint64_t seed = 99;
    int taken = 0, sleeps = 0;
    CHECK_EQ(zci_notifier_init(&shared.notifier), 0);
    if (from_outside)
        zci_notifier_watch(&shared.notifier);
    for (int i = 0; i < ringers; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, ring_often, &shared.brought[i]), 0);
    while (taken < ringers * ROUNDS) {
        zci_notifier_clear(&shared.notifier);
        const int now = take_all();
        taken += now;
        if (now > 0)
            continue;
        pause_a_little(&seed);
        if (!from_outside && !zci_notifier_arm(&shared.notifier))
            continue;
        CHECK(readable(&shared.notifier, LONG_MS)); /* else a ring was lost */
        sleeps++;
        if (!from_outside)
            zci_notifier_disarm(&shared.notifier);
    }
    for (int i = 0; i < ringers; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    printf("%d rings of %d ringers, %d sleeps, %u written\n", taken, ringers, sleeps,
           shared.notifier.writes);
    zci_notifier_finish(&shared.notifier);
}

int main(void)
{
    alarm(120);
    nobody_asleep();
    asleep();
    heard_in_between();
    watched();
    listen(0, 1);
    listen(0, RINGERS);
    listen(1, 1);
    listen(1, RINGERS);
    return 0;
}
