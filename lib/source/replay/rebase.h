/* SPDX-License-Identifier: MIT */
/* Timestamp rebase: numbers and times that go on from file to file. */
#ifndef ZCI_SOURCE_REPLAY_REBASE_H
#define ZCI_SOURCE_REPLAY_REBASE_H

#include "source/pace.h"
#include "source/replay/media.h"

/* Sequence numbers and times of a replay. Recorded ones are delivered as they are within a file.
 * From one file or pass to the next neither goes back: the first frame of a file follows the last
 * one before it. Frames without recorded ones are numbered from 0. A frame rate overrides recorded
 * times. Sums are modulo 2^64, because corrupt files may have any value. */
struct zci_rebase {
    uint64_t first;         /* sequence of the very first frame */
    int begun;              /* a recorded frame was seen */
    int new_file;           /* the next recorded frame is the first of its file */
    uint64_t sequence;      /* delivered with the last frame */
    uint64_t sequence_base; /* is added to recorded ones */
    int64_t time_ns;        /* delivered with the last frame */
    int64_t time_base_ns;   /* is added to recorded ones */
    int64_t interval_ns;    /* between the last two frames */
};

/* The next frames are those of another file, or of the same one from its start. */
void zci_rebase_new_file(struct zci_rebase *rebase);

/* Sets the sequence, time and clock that are delivered. `n`: the sequence if none is recorded. */
void zci_rebase_apply(struct zci_rebase *rebase, const struct zci_pace *pace, uint64_t n,
                      struct zci_media_frame *frame);

/* A frame was delivered or skipped after zci_rebase_apply set its numbers. */
void zci_rebase_done(struct zci_rebase *rebase, const struct zci_media_frame *frame);

#endif
