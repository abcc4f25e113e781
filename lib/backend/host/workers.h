/* SPDX-License-Identifier: MIT */
/* The worker threads, and work in steps: a step is a number of independent bands, a work is a sequence
 * of steps. The oldest work gets the workers first, younger ones get those that find no band there.
 *
 *   IDLE --submit--> step() -> bands --run() on any worker, in any order--> all done --> step() -> ...
 *     ^                                                                                     |
 *     +----------------------------- no bands: complete, notified <-------------------------+
 */
#ifndef ZCI_BACKEND_HOST_WORKERS_H
#define ZCI_BACKEND_HOST_WORKERS_H

#include <stdatomic.h>

#include "os/notifier.h"
#include "core/log.h"

struct zci_workers;

struct zci_work {
    /* Runs one band; `worker` is below zci_workers_count and no other band runs with it meanwhile. */
    void (*run)(struct zci_work *work, uint32_t band, uint32_t worker);
    /* Called when no band runs, with all that the bands did visible: prepares the next step and returns
     * its number of bands; 0: the work is complete. */
    uint32_t (*step)(struct zci_work *work);
    struct zci_notifier *notifier; /* rung by completion; NULL: none */
    atomic_int busy;               /* 1 from submit until complete; the workers' to write */

    struct zci_work *next; /* the workers': younger work */
    uint32_t bands;        /* of this step */
    uint32_t given;        /* bands handed out */
    uint32_t unfinished;   /* bands not done yet */
};

/* Fewer threads than asked for are made, with a warning, where the system refuses more. Signals are
 * blocked in them, so that they reach the application's own threads. Logs on failure. */
zcs_status zci_workers_create(const struct zci_log *log, uint32_t count, struct zci_workers **out);
void zci_workers_destroy(struct zci_workers **workers); /* no work is in flight */
/* 1: in a child of the process that made them, where no worker runs. Waiting then returns at once and
 * destroying frees the memory. */
int zci_workers_forked(const struct zci_workers *workers);

uint32_t zci_workers_count(const struct zci_workers *workers);

/* `work` is not busy and stays in place until it is complete. Does not wait for it; the first step() is
 * called here. */
void zci_workers_submit(struct zci_workers *workers, struct zci_work *work);

/* ZCS_OK once `work` is not busy, ZCS_AGAIN after timeout_ns (< 0: for ever). After ZCS_OK the workers
 * do not touch it any more. */
zcs_status zci_workers_wait(struct zci_workers *workers, struct zci_work *work, int64_t timeout_ns);

#endif
