/* SPDX-License-Identifier: MIT */
/* Intake: takes frames from the source by skip, every, limit and policy, and counts those let go. */
#ifndef ZCI_STREAM_INTAKE_H
#define ZCI_STREAM_INTAKE_H

#include "source/source.h"
#include "zcstream/stream.h"

struct zci_intake {
    zcs_source *source;
    enum zcs_policy policy;     /* WAIT for sources that are not live */
    uint64_t skip;              /* still to be passed over */
    uint64_t every, until_next; /* frames to pass over before the next is taken */
    uint64_t limit, taken;      /* limit 0: none */
    uint64_t captured, skipped, dropped;
    struct zci_slot *pending; /* LATEST: the newest frame that waits for a frame context */
    zcs_status end;           /* ZCS_OK while frames may come; then why not */
};

void zci_intake_init(struct zci_intake *intake, zcs_source *source,
                     const struct zcs_stream_params *params);

/* A frame to submit, with its reference, without waiting; ZCS_AGAIN: none now; else `end`. `can_submit`
 * 0: no frame context is free: frames are only let go, or kept as pending, as the policy says. */
zcs_status zci_intake_take(struct zci_intake *intake, int can_submit, struct zci_slot **out);

/* A frame that was taken counts for nothing, as if it had not come; drops its reference. */
void zci_intake_undo(struct zci_intake *intake, struct zci_slot *slot);

/* No more frames are taken. */
void zci_intake_stop(struct zci_intake *intake, zcs_status why);

/* What the intake waits for. */
struct zci_intake_wait {
    int ready;      /* a frame may be there at once */
    int descriptor; /* the source's descriptor says when */
    int64_t due_ns; /* CLOCK_MONOTONIC time at which to look; 0: none */
};
struct zci_intake_wait zci_intake_wait(const struct zci_intake *intake, int can_submit);

#endif
