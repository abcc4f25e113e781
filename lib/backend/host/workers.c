/* SPDX-License-Identifier: MIT */
/* The worker threads: one lock, one queue of works by age. Bands are handed out one at a time. */
#include "backend/host/workers.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "os/clock.h"
#include "os/fork_guard.h"

struct scratch {
    struct zci_workers *workers;
    uint32_t index;
    pthread_t thread;
};

struct zci_workers {
    pthread_mutex_t lock;
    pthread_cond_t bands;    /* there are bands to hand out, or it is time to stop */
    pthread_cond_t complete; /* some work is complete */
    struct zci_work *oldest;
    uint32_t idle; /* threads that wait for bands */
    int stop;
    struct zci_fork_guard fork_guard; /* the process that created the threads */
    uint32_t count;
    struct scratch scratches[];
};

static void wake(struct zci_workers *workers, uint32_t bands)
{
    for (uint32_t n = bands < workers->idle ? bands : workers->idle; n > 0; n--)
        pthread_cond_signal(&workers->bands);
}

static void start_step(struct zci_workers *workers, struct zci_work *work, uint32_t bands)
{
    work->bands = work->unfinished = bands;
    work->given = 0;
    wake(workers, bands);
}

/* Whoever sees busy 0 may free the work, but must take the lock first: see zci_workers_wait. */
static void finish(struct zci_workers *workers, struct zci_work *work)
{
    struct zci_work **link = &workers->oldest;
    while (*link != work)
        link = &(*link)->next;
    *link = work->next;
    atomic_store_explicit(&work->busy, 0, memory_order_release);
    pthread_cond_broadcast(&workers->complete);
    if (work->notifier != NULL)
        zci_notifier_signal(work->notifier);
}

/* The lock is held on entry and exit. Nobody takes bands meanwhile, since all were handed out. */
static void advance(struct zci_workers *workers, struct zci_work *work)
{
    pthread_mutex_unlock(&workers->lock);
    const uint32_t bands = work->step(work);
    pthread_mutex_lock(&workers->lock);
    if (bands > 0)
        start_step(workers, work, bands);
    else
        finish(workers, work);
}

static struct zci_work *oldest_with_bands(const struct zci_workers *workers)
{
    struct zci_work *work = workers->oldest;
    while (work != NULL && work->given == work->bands)
        work = work->next;
    return work;
}

static void run_band(struct zci_workers *workers, struct zci_work *work, uint32_t index)
{
    const uint32_t band = work->given++;
    pthread_mutex_unlock(&workers->lock);
    work->run(work, band, index);
    pthread_mutex_lock(&workers->lock);
    if (--work->unfinished == 0)
        advance(workers, work);
}

static void *worker(void *argument)
{
    const struct scratch *scratch = argument;
    struct zci_workers *workers = scratch->workers;
    pthread_mutex_lock(&workers->lock);
    while (!workers->stop) {
        struct zci_work *work = oldest_with_bands(workers);
        if (work != NULL) {
            run_band(workers, work, scratch->index);
            continue;
        }
        workers->idle++;
        pthread_cond_wait(&workers->bands, &workers->lock);
        workers->idle--;
    }
    pthread_mutex_unlock(&workers->lock);
    return NULL;
}

static int start_threads(struct zci_workers *workers, uint32_t count)
{
    int error = 0;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (error == 0 && workers->count < count) {
        struct scratch *scratch = &workers->scratches[workers->count];
        *scratch = (struct scratch){.workers = workers, .index = workers->count};
        error = pthread_create(&scratch->thread, NULL, worker, scratch);
        workers->count += error == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static void init_locks(struct zci_workers *workers)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&workers->complete, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_cond_init(&workers->bands, NULL);
    pthread_mutex_init(&workers->lock, NULL);
}

zcs_status zci_workers_create(const struct zci_log *log, uint32_t count, struct zci_workers **out)
{
    struct zci_workers *workers = calloc(1, sizeof *workers + count * sizeof workers->scratches[0]);
    if (workers == NULL)
        return zci_fail(log, ZCS_ERR_NOMEM, "%u workers: no memory", count);
    zci_fork_guard_init(&workers->fork_guard);
    init_locks(workers);
    const int error = start_threads(workers, count);
    if (workers->count == 0)
        goto fail;
    if (error != 0)
        zci_log(log, ZCS_LOG_WARNING, "%u workers: %s; %u made", count, strerror(error),
                workers->count);
    *out = workers;
    return ZCS_OK;
fail:
    zci_workers_destroy(&workers);
    return zci_fail(log, ZCS_ERR_NOMEM, "%u workers: %s; none made", count, strerror(error));
}

void zci_workers_destroy(struct zci_workers **workers)
{
    struct zci_workers *held = *workers;
    if (held == NULL)
        return;
    *workers = NULL;
    /* there is no thread to join, and the locks are as the fork left them */
    if (zci_workers_forked(held)) {
        zci_fork_guard_finish(&held->fork_guard);
        free(held);
        return;
    }
    pthread_mutex_lock(&held->lock);
    held->stop = 1;
    pthread_cond_broadcast(&held->bands);
    pthread_mutex_unlock(&held->lock);
    for (uint32_t i = 0; i < held->count; i++)
        pthread_join(held->scratches[i].thread, NULL);
    pthread_cond_destroy(&held->bands);
    pthread_cond_destroy(&held->complete);
    pthread_mutex_destroy(&held->lock);
    zci_fork_guard_finish(&held->fork_guard);
    free(held);
}

int zci_workers_forked(const struct zci_workers *workers)
{
    return !zci_fork_guard_same_process(&workers->fork_guard);
}

uint32_t zci_workers_count(const struct zci_workers *workers)
{
    return workers->count;
}

void zci_workers_submit(struct zci_workers *workers, struct zci_work *work)
{
    pthread_mutex_lock(&workers->lock);
    work->next = NULL;
    work->bands = work->given = work->unfinished = 0;
    atomic_store_explicit(&work->busy, 1, memory_order_relaxed);
    struct zci_work **link = &workers->oldest;
    while (*link != NULL)
        link = &(*link)->next;
    *link = work;
    advance(workers, work);
    pthread_mutex_unlock(&workers->lock);
}

/* 0: the time is over. */
static int wait_complete(struct zci_workers *workers, int64_t deadline_ns)
{
    if (deadline_ns == INT64_MAX)
        return pthread_cond_wait(&workers->complete, &workers->lock) == 0;
    const struct timespec until = {.tv_sec = (time_t)(deadline_ns / 1000000000),
                                   .tv_nsec = (long)(deadline_ns % 1000000000)};
    return pthread_cond_timedwait(&workers->complete, &workers->lock, &until) == 0;
}

zcs_status zci_workers_wait(struct zci_workers *workers, struct zci_work *work, int64_t timeout_ns)
{
    const int64_t deadline_ns = zci_deadline_ns(timeout_ns);
    if (zci_workers_forked(workers))
        return ZCS_OK;
    pthread_mutex_lock(&workers->lock);
    while (atomic_load_explicit(&work->busy, memory_order_acquire) &&
           wait_complete(workers, deadline_ns))
        ;
    const int busy = atomic_load_explicit(&work->busy, memory_order_relaxed);
    pthread_mutex_unlock(&workers->lock);
    return busy ? ZCS_AGAIN : ZCS_OK;
}
