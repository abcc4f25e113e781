/* SPDX-License-Identifier: MIT */
/* The worker threads. Work comes in steps; a step is a number of independent bands. Workers take
 * bands of the oldest work first, and of younger work if there are none.
 *
 *   IDLE --submit--> step() -> bands --run() on any worker, any order--> all done --> step() -> ...
 *     ^                                                                                  |
 *     +----------------------------- no bands: complete, notified <----------------------+ */
#ifndef ZCI_BACKEND_HOST_WORKERS_H
#define ZCI_BACKEND_HOST_WORKERS_H

#include <stdatomic.h>

#include "os/notifier.h"
#include "core/log.h"

struct zci_workers;

struct zci_work {
    /* Runs one band. `worker` is below zci_workers_count; no other band runs with the same number
     * meanwhile. */
    void (*run)(struct zci_work *work, uint32_t band, uint32_t worker);
    /* Called when no band runs and all that the bands did is visible. Prepares the next step and
     * returns its number of bands; 0: the work is complete. */
    uint32_t (*step)(struct zci_work *work);
    struct zci_notifier *notifier; /* signalled at completion; NULL: none */
    atomic_int busy;               /* 1 from submit until complete; written by the workers */

    struct zci_work *next; /* younger work; belongs to the workers */
    uint32_t bands;        /* of this step */
    uint32_t given;        /* bands handed out */
    uint32_t unfinished;   /* bands not done yet */
};

/* If the system refuses threads, fewer are made, with a warning. Signals are blocked in them, so
 * that they reach the application's own threads. Logs on failure. */
zcs_status zci_workers_create(const struct zci_log *log, uint32_t count, struct zci_workers **out);
void zci_workers_destroy(struct zci_workers **workers); /* no work is in flight */
/* 1: this is a child of the process that made the workers, so no worker runs. Waiting returns at
 * once, and destroying frees the memory. */
int zci_workers_forked(const struct zci_workers *workers);

uint32_t zci_workers_count(const struct zci_workers *workers);

/* `work` is not busy and stays where it is until it is complete. Does not wait for it. The first
 * step() is called here. */
void zci_workers_submit(struct zci_workers *workers, struct zci_work *work);

/* ZCS_OK once `work` is not busy; the workers do not touch it any more. ZCS_AGAIN: timeout_ns
 * passed (< 0: no limit). */
zcs_status zci_workers_wait(struct zci_workers *workers, struct zci_work *work, int64_t timeout_ns);

#endif
