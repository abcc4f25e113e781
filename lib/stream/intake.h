/* SPDX-License-Identifier: MIT */
/* Intake: takes frames from the source by skip, every, limit and policy, and counts the frames that
 * it drops. */
#ifndef ZCI_STREAM_INTAKE_H
#define ZCI_STREAM_INTAKE_H

#include "source/source.h"
#include "zcstream/stream.h"

struct zci_intake {
    zcs_source *source;
    enum zcs_policy policy;     /* WAIT for sources that are not live */
    uint64_t skip;              /* frames still to skip */
    uint64_t every, until_next; /* frames to skip before the next one is taken */
    uint64_t limit, taken;      /* limit 0: none */
    uint64_t captured, skipped, dropped;
    struct zci_slot *pending; /* LATEST: the newest frame that waits for a frame context */
    zcs_status end;           /* ZCS_OK while frames may come; then the reason why none comes */
};

void zci_intake_init(struct zci_intake *intake, zcs_source *source,
                     const struct zcs_stream_params *params);

/* A frame to submit, with its reference, without waiting. ZCS_OK with *out NULL: a frame was
 * skipped, and another may be there. ZCS_AGAIN: there is none now. Otherwise `end`. If `can_submit`
 * is 0, no frame context is idle: frames are only dropped or kept pending, as the policy says. One
 * call takes one frame; where only the newest counts, as many as come within 5 ms. */
zcs_status zci_intake_take(struct zci_intake *intake, int can_submit, struct zci_slot **out);

/* Undoes the taking of a frame, as if it had not come. Drops its reference. */
void zci_intake_undo(struct zci_intake *intake, struct zci_slot *slot);

/* Stops taking frames. */
void zci_intake_stop(struct zci_intake *intake, zcs_status why);

/* What the intake waits for. */
struct zci_intake_wait {
    int ready;      /* a frame may be available at once */
    int descriptor; /* the source's descriptor becomes readable */
    int64_t due_ns; /* CLOCK_MONOTONIC time at which to look again; 0: none */
};
struct zci_intake_wait zci_intake_wait(const struct zci_intake *intake, int can_submit);

#endif
