/* SPDX-License-Identifier: MIT */
/* A notifier: any thread says that there is something to look at, one listener looks, and sleeps in between. An eventfd
 * that is written and read only where somebody may be asleep on it.
 *
 *   listener: hear --> look at everything --> nothing there: await --> poll(fd) --> leave --> hear ...
 *   ringer:   make it visible --> ring
 *
 * No ring is lost. `ring` counts, then asks whether the notifier is wanted; `await` says that it is, then asks whether
 * what `hear` found is still the count. All four are of one order that every thread agrees on (seq_cst), so that at
 * least one of the two sees the other: either await finds the new count, and its caller looks once more, or ring
 * finds the notifier wanted, and writes. Whoever sees a count sees what its ringer made visible before. */
#ifndef ZCI_OS_NOTIFIER_H
#define ZCI_OS_NOTIFIER_H

#include <stdatomic.h>
#include <stdint.h>

#include "os/fork_guard.h"

struct zci_notifier {
    int fd;             /* what the listener, and the outside, poll for input; -1: none */
    atomic_uint wanted; /* bits: who may be asleep on fd */
    atomic_uint rung;   /* all rings; it may come round */
    atomic_uint told;   /* those that were, or are being, written to fd */
    unsigned seen;      /* the listener's: `rung` when it last heard ... */
    unsigned heard;     /* ... and what it has read of `told`: fd has no more than the rest */
    struct zci_fork_guard
        fork_guard; /* forked children share fd, and not what is counted here: they leave it alone */
};

/* 0, or errno. On failure the notifier may be finished all the same. */
int zci_notifier_init(struct zci_notifier *notifier);

/* Nobody rings any more. */
void zci_notifier_finish(struct zci_notifier *notifier);

/* What is to be looked at is visible already. Any thread. */
void zci_notifier_signal(struct zci_notifier *notifier);

/* The three are the listener's. hear: what was rung so far is about to be looked at. await: 0: it rang since, so
 * look again; else fd becomes readable with the next ring, until leave. */
void zci_notifier_clear(struct zci_notifier *notifier);
int zci_notifier_arm(struct zci_notifier *notifier);
void zci_notifier_disarm(struct zci_notifier *notifier);

/* Somebody else polls fd from now on, who calls the listener when it is readable: it is so at once, the first time
 * that this is called, and then from each ring until that is heard. Any thread. */
void zci_notifier_watch(struct zci_notifier *notifier);
int zci_notifier_is_watched(struct zci_notifier *notifier);

#endif
