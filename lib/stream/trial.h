/* SPDX-License-Identifier: MIT */
/* Trials: what a frame takes on each route in a stream's pace, on a branch's own frame contexts, sizes and chain. */
#ifndef ZCI_STREAM_TRIAL_H
#define ZCI_STREAM_TRIAL_H

#include "stream/stream.h"

/* How long they may take, as far as frames let them: of those so slow that not even one round fits, the round that
 * warms up has to do, three frames on each frame context by each route. */
struct zci_trial_budget {
    int64_t min_ns;    /* for the least rounds; as many turns as fit: the more, the surer */
    int64_t rounds_ns; /* for more rounds */
};

/* Nanoseconds a frame by each candidate of the branch, whose frame contexts are idle and have results; what `best` has of other
 * routes, 0, stays. ZCS_ERR_BUSY: a device failed and was taken out, all is to be begun anew. */
zcs_status zci_trial_run(struct zcs_stream *stream, struct zci_branch *branch,
                         const struct zci_trial_budget *budget, int64_t best[ZCI_ROUTES]);

#endif
