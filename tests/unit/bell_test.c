/* SPDX-License-Identifier: MIT */
/* The bell: silent where nobody sleeps, heard by whoever does, and never lost between several ringers and a
 * listener who is about to fall asleep. A lost ring shows as a poll that waits too long. */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "check.h"

#include "core/bell.h"

enum { RINGERS = 3, ROUNDS = SANITIZED ? 4000 : 20000, LONG_MS = 5000 };

static int readable(const struct zci_bell *bell, int ms)
{
    struct pollfd fd = {.fd = bell->fd, .events = POLLIN};
    return poll(&fd, 1, ms) == 1;
}

static void nobody_asleep(void)
{
    struct zci_bell bell;
    CHECK_EQ(zci_bell_init(&bell), 0);
    for (int i = 0; i < 3; i++)
        zci_bell_ring(&bell);
    CHECK(!readable(&bell, 0));
    CHECK_EQ(zci_bell_await(&bell), 0); /* it rang, and was not heard */
    zci_bell_ring(&bell);
    CHECK(!readable(&bell, 0)); /* and so nobody fell asleep */
    zci_bell_hear(&bell);
    CHECK_EQ(zci_bell_await(&bell), 1);
    zci_bell_leave(&bell);
    zci_bell_ring(&bell);
    CHECK(!readable(&bell, 0));
    zci_bell_finish(&bell);
    zci_bell_finish(&bell);
}

static void asleep(void)
{
    struct zci_bell bell;
    CHECK_EQ(zci_bell_init(&bell), 0);
    zci_bell_hear(&bell);
    CHECK_EQ(zci_bell_await(&bell), 1);
    CHECK(!readable(&bell, 0));
    zci_bell_ring(&bell);
    zci_bell_ring(&bell);
    CHECK(readable(&bell, 0));
    zci_bell_leave(&bell);
    CHECK_EQ(zci_bell_await(&bell), 0);
    zci_bell_hear(&bell);
    CHECK(!readable(&bell, 0)); /* both at once */
    CHECK_EQ(zci_bell_await(&bell), 1);
    zci_bell_finish(&bell);
}

/* Who says what it is about to write has not written it yet. */
static void heard_in_between(void)
{
    struct zci_bell bell;
    const uint64_t one = 1;
    CHECK_EQ(zci_bell_init(&bell), 0);
    atomic_fetch_add(&bell.told, 1);
    zci_bell_hear(&bell);
    CHECK(write(bell.fd, &one, sizeof one) == sizeof one);
    CHECK(readable(&bell, 0));
    zci_bell_hear(&bell);
    CHECK(!readable(&bell, 0));
    CHECK_EQ(bell.told, bell.heard);
    zci_bell_finish(&bell);
}

static void watched(void)
{
    struct zci_bell bell;
    CHECK_EQ(zci_bell_init(&bell), 0);
    CHECK(!zci_bell_is_watched(&bell));
    zci_bell_watch(&bell);
    CHECK(zci_bell_is_watched(&bell) && readable(&bell, 0));
    zci_bell_hear(&bell);
    CHECK(!readable(&bell, 0));
    zci_bell_watch(&bell); /* the second time it is no news */
    CHECK(!readable(&bell, 0));
    zci_bell_ring(&bell);
    CHECK(readable(&bell, 0));
    zci_bell_hear(&bell);
    CHECK_EQ(zci_bell_await(&bell), 1);
    zci_bell_leave(&bell);
    CHECK(zci_bell_is_watched(&bell));
    zci_bell_ring(&bell);
    CHECK(readable(&bell, 0));
    zci_bell_finish(&bell);
}

/* Each ringer goes on when what it has brought was taken, so that every round needs its ring. */
static struct {
    struct zci_bell bell;
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
        zci_bell_ring(&shared.bell);
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
    CHECK_EQ(zci_bell_init(&shared.bell), 0);
    if (from_outside)
        zci_bell_watch(&shared.bell);
    for (int i = 0; i < ringers; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, ring_often, &shared.brought[i]), 0);
    while (taken < ringers * ROUNDS) {
        zci_bell_hear(&shared.bell);
        const int now = take_all();
        taken += now;
        if (now > 0)
            continue;
        pause_a_little(&seed);
        if (!from_outside && !zci_bell_await(&shared.bell))
            continue;
        CHECK(readable(&shared.bell, LONG_MS)); /* else a ring was lost */
        sleeps++;
        if (!from_outside)
            zci_bell_leave(&shared.bell);
    }
    for (int i = 0; i < ringers; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    printf("%d rings of %d ringers, %d sleeps, %u written\n", taken, ringers, sleeps,
           shared.bell.told);
    zci_bell_finish(&shared.bell);
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
