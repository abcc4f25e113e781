/* SPDX-License-Identifier: MIT */
/* A notifier: any thread signals that there is work; one listener looks for it and sleeps in
 * between. It is an eventfd that is written and read only while somebody may be asleep on it.
 *
 *   listener:  clear --> look at everything --> nothing: arm --> poll(fd) --> disarm --> clear ...
 *   signaller: make the work visible --> signal
 *
 * No signal is lost. `signal` counts, then checks whether anybody waits; `arm` sets that somebody
 * waits, then checks whether the count is still the one that `clear` found. All four accesses are
 * sequentially consistent, so every thread sees them in one order, and at least one of the two
 * sides sees the other: either arm finds the new count and its caller looks again, or signal finds
 * a waiter and writes. Whoever sees a count also sees what the signaller made visible before it. */
#ifndef ZCI_OS_NOTIFIER_H
#define ZCI_OS_NOTIFIER_H

#include <stdatomic.h>
#include <stdint.h>

#include "os/fork_guard.h"

struct zci_notifier {
    int fd;                /* what the listener and outsiders poll for input; -1: none */
    atomic_uint waiters;   /* bits: who may be asleep on fd */
    atomic_uint signals;   /* all signals; it may wrap around */
    atomic_uint writes;    /* the signals that were, or are being, written to fd */
    unsigned signals_seen; /* the listener's: `signals` at its last clear ... */
    unsigned writes_read;  /* ... and how many of `writes` it has read: fd holds at most the rest */
    struct zci_fork_guard
        fork_guard; /* children share fd but not these counts, so they never use fd */
};

/* 0, or errno. On failure the notifier may be finished all the same. */
int zci_notifier_init(struct zci_notifier *notifier);

/* No thread may signal any more. */
void zci_notifier_finish(struct zci_notifier *notifier);

/* Call it after the work is visible. Any thread. */
void zci_notifier_signal(struct zci_notifier *notifier);

/* The listener's three. clear: the listener is about to look at everything that was signalled so
 * far. arm: returns 0 if there was a signal since clear, so look again; else the next signal makes
 * fd readable, until disarm. */
void zci_notifier_clear(struct zci_notifier *notifier);
int zci_notifier_arm(struct zci_notifier *notifier);
void zci_notifier_disarm(struct zci_notifier *notifier);

/* An outsider polls fd from now on and calls the listener when fd is readable. The first call makes
 * fd readable at once; afterwards each signal makes it readable until the next clear. Any thread.
 * */
void zci_notifier_watch(struct zci_notifier *notifier);
int zci_notifier_is_watched(struct zci_notifier *notifier);

#endif
