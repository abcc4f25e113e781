/* SPDX-License-Identifier: MIT */
/* Sequence numbers and times of a replay: recorded ones, carried on where a recording begins again or
 * another follows, or made up from a count and a rate. */
#ifndef ZCI_SOURCE_REPLAY_TIMESTAMP_REBASE_H
#define ZCI_SOURCE_REPLAY_TIMESTAMP_REBASE_H

#include "source/replay/media.h"
#include "source/pace.h"

struct zci_rebase {
    uint64_t first;                   /* sequence of the first frame of all */
    int begun;                        /* a frame was stamped */
    int new_file;                     /* the next frame is a file's first to be stamped */
    uint64_t sequence, sequence_base; /* of the last frame; what is added to recorded ones */
    int64_t time_ns, time_base, interval_ns;
};

/* The next frames are those of another file, or of the same one from its begin. */
void zci_rebase_new_file(struct zci_rebase *rebase);

/* The place's sequence, time and clock as they are delivered. Recorded ones stay as they are within a file;
 * from a file to the next neither goes back: a new file's first frame follows the last one. Where there are
 * none the sequence is `n`. A rate goes before recorded times. */
void zci_rebase_apply(struct zci_rebase *rebase, const struct zci_pace *pace, uint64_t n,
                      struct zci_place *place);

/* The frame at the applied place has been delivered or passed over. */
void zci_rebase_done(struct zci_rebase *rebase, const struct zci_place *place);

#endif
