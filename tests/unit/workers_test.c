/* SPDX-License-Identifier: MIT */
/* Workers: every band of every step runs once, steps keep their order, the oldest work goes first. */
#include "check.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "backend/host/workers.h"

#define STEPS 20
#define BANDS 13

struct counted {
    struct zci_work work; /* first */
    atomic_int ran[STEPS][BANDS];
    atomic_int running;
    int step;
    int steps;
    uint32_t workers;
};

static void run(struct zci_work *work, uint32_t band, uint32_t worker)
{
    struct counted *counted = (struct counted *)work;
    CHECK(worker < counted->workers);
    CHECK(band < BANDS);
    atomic_fetch_add(&counted->running, 1);
    atomic_fetch_add(&counted->ran[counted->step - 1][band], 1);
    atomic_fetch_sub(&counted->running, 1);
}

static uint32_t step(struct zci_work *work)
{
    struct counted *counted = (struct counted *)work;
    CHECK_EQ(atomic_load(&counted->running), 0);
    for (int band = 0; counted->step > 0 && band < BANDS; band++)
        CHECK_EQ(atomic_load(&counted->ran[counted->step - 1][band]), 1);
    return counted->step++ < counted->steps ? BANDS : 0;
}

static struct zci_workers *make(uint32_t count)
{
    const struct zci_log log = {0};
    struct zci_workers *workers = NULL;
    CHECK(zci_workers_create(&log, count, &workers) == ZCS_OK);
    CHECK_EQ(zci_workers_count(workers), count);
    return workers;
}

static void test_steps(uint32_t count, struct zci_notifier *notifier)
{
    struct zci_workers *workers = make(count);
    static struct counted works[3];
    unsigned rung = notifier->signals;
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 3; i++) {
            memset(&works[i], 0, sizeof works[i]);
            works[i].workers = count;
            works[i].steps = i == 2 && round % 2 ? 0 : STEPS;
            works[i].work.run = run;
            works[i].work.step = step;
            works[i].work.notifier = notifier;
            zci_workers_submit(workers, &works[i].work);
        }
        for (int i = 2; i >= 0; i--) {
            CHECK(zci_workers_wait(workers, &works[i].work, -1) == ZCS_OK);
            CHECK_EQ(works[i].step, works[i].steps + 1);
        }
        CHECK_EQ(notifier->signals, rung += 3);
    }
    zci_workers_destroy(&workers);
    CHECK(workers == NULL);
    zci_workers_destroy(&workers);
}

struct gate {
    struct zci_work work; /* first */
    pthread_mutex_t lock;
    pthread_cond_t open;
    int is_open;
    atomic_int entered;
    int stepped;
    uint32_t bands;
    int *order, *orders; /* who ran: shared by two gates of one worker */
    int number;
};

static void pass_gate(struct zci_work *work, uint32_t band, uint32_t worker)
{
    struct gate *gate = (struct gate *)work;
    (void)band;
    (void)worker;
    atomic_fetch_add(&gate->entered, 1);
    pthread_mutex_lock(&gate->lock);
    while (!gate->is_open)
        pthread_cond_wait(&gate->open, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
    if (gate->order != NULL)
        gate->order[(*gate->orders)++] = gate->number;
}

static uint32_t gate_step(struct zci_work *work)
{
    struct gate *gate = (struct gate *)work;
    return gate->stepped++ == 0 ? gate->bands : 0;
}

static void gate_init(struct gate *gate, uint32_t bands)
{
    *gate = (struct gate){.bands = bands};
    gate->work = (struct zci_work){.run = pass_gate, .step = gate_step};
    pthread_mutex_init(&gate->lock, NULL);
    pthread_cond_init(&gate->open, NULL);
}

static void gate_open(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->is_open = 1;
    pthread_cond_broadcast(&gate->open);
    pthread_mutex_unlock(&gate->lock);
}

static void await(atomic_int *value, int wanted)
{
    const struct timespec nap = {.tv_nsec = 200000};
    while (atomic_load(value) < wanted)
        nanosleep(&nap, NULL);
}

static void test_timeout(void)
{
    struct zci_workers *workers = make(1);
    struct gate gate;
    gate_init(&gate, 1);
    zci_workers_submit(workers, &gate.work);
    CHECK_EQ(zci_workers_wait(workers, &gate.work, 0), ZCS_AGAIN);
    CHECK_EQ(zci_workers_wait(workers, &gate.work, 5000000), ZCS_AGAIN);
    gate_open(&gate);
    CHECK_EQ(zci_workers_wait(workers, &gate.work, 60000000000), ZCS_OK);
    CHECK_EQ(zci_workers_wait(workers, &gate.work, 0), ZCS_OK);
    zci_workers_destroy(&workers);
}

/* Two workers in one work's only bands do not keep a third from the next work. */
static void test_sharing(void)
{
    struct zci_workers *workers = make(3);
    struct gate a, b;
    gate_init(&a, 2);
    gate_init(&b, 1);
    zci_workers_submit(workers, &a.work);
    await(&a.entered, 2);
    gate_open(&b);
    zci_workers_submit(workers, &b.work);
    CHECK_EQ(zci_workers_wait(workers, &b.work, 60000000000), ZCS_OK);
    CHECK_EQ(zci_workers_wait(workers, &a.work, 0), ZCS_AGAIN);
    gate_open(&a);
    CHECK_EQ(zci_workers_wait(workers, &a.work, -1), ZCS_OK);
    zci_workers_destroy(&workers);
}

static void test_oldest_first(void)
{
    struct zci_workers *workers = make(1);
    struct gate works[3];
    int order[9] = {0}, orders = 0;
    for (int i = 0; i < 3; i++) {
        gate_init(&works[i], 3);
        works[i].order = order;
        works[i].orders = &orders;
        works[i].number = i;
        works[i].is_open = i > 0;
        zci_workers_submit(workers, &works[i].work);
    }
    gate_open(&works[0]);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(zci_workers_wait(workers, &works[i].work, -1), ZCS_OK);
    for (int i = 0; i < 9; i++)
        CHECK_EQ(order[i], i / 3);
    zci_workers_destroy(&workers);
}

static atomic_int signals_seen;

static void on_signal(int number)
{
    (void)number;
    atomic_fetch_add(&signals_seen, 1);
}

/* The application's signals wait for its own threads, so that they end its waits. */
static void test_signals(void)
{
    const struct timespec nap = {.tv_nsec = 20000000};
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t one, pending;
    sigaction(SIGUSR1, &action, NULL);
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    struct zci_workers *workers = make(4);
    pthread_sigmask(SIG_BLOCK, &one, NULL);
    kill(getpid(), SIGUSR1);
    nanosleep(&nap, NULL);
    sigpending(&pending);
    CHECK_EQ(sigismember(&pending, SIGUSR1), 1);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    CHECK_EQ(atomic_load(&signals_seen), 1);
    zci_workers_destroy(&workers);
}

int main(void)
{
    struct zci_notifier notifier;
    CHECK_EQ(zci_notifier_init(&notifier), 0);
    test_steps(1, &notifier);
    test_steps(2, &notifier);
    test_steps(7, &notifier);
    test_timeout();
    test_sharing();
    test_oldest_first();
    test_signals();
    zci_notifier_finish(&notifier);
    return 0;
}
