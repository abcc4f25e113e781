/* SPDX-License-Identifier: MIT */
/* The lanes of a stream: which frame is where, who gets the next one, and in which order they come out.
 *
 *   IDLE --submit (least busy device)--> IN FLIGHT, in a ring by age --collect (oldest)--> IDLE
 */
#ifndef ZCI_STREAM_LANES_H
#define ZCI_STREAM_LANES_H

#include "backend/backend.h"
#include "frame/pool.h"

struct zci_flight {
    struct zci_lane *lane;
    uint32_t device;       /* the context's index */
    struct zci_slot *slot; /* the lane's reference: the reader's work is a reference */
    struct zci_slot *result;
    int64_t submitted_ns;
    int full; /* no lane was idle behind it */
};

struct zci_lanes {
    struct zci_backend *backend;
    struct zci_flight *flights;
    uint32_t *ring; /* indices of flights, oldest first from `oldest` on */
    uint32_t count, busy, oldest;
    int64_t looked_ns;    /* when the oldest frame was seen incomplete, or just complete */
    int64_t collected_ns; /* the latest collected */
    int64_t took_ns; /* what that took beyond the one before, at least, with all lanes busy; <= 0:
                             not known */
    uint32_t per_device; /* flights of one entry of the device list lie side by side */
};

/* `per_device` lanes for each entry of `devices`. On failure `lanes` may be finished all the same. */
zcs_status zci_lanes_init(struct zci_lanes *lanes, struct zci_backend *backend,
                          const struct zci_plan *plan, const uint32_t *devices,
                          uint32_t device_count, uint32_t per_device, int notify_fd);

/* 1: at least one lane is idle. */
int zci_lanes_idle(const struct zci_lanes *lanes);

/* Starts work on `slot` into `result` on the least busy device; takes both references over, also on
 * failure (they are dropped then). */
zcs_status zci_lanes_submit(struct zci_lanes *lanes, enum zcs_route route, struct zci_slot *slot,
                            struct zci_slot *result);

/* The oldest frame in flight. ZCS_OK: its result with its reference; the slot's was dropped. ZCS_AGAIN:
 * not complete, or none in flight. < 0: that frame failed, both references were dropped. */
zcs_status zci_lanes_collect(struct zci_lanes *lanes, struct zci_slot **out);

/* Waits until collect would not give ZCS_AGAIN, or for timeout_ns. Some lane is busy. */
void zci_lanes_wait(struct zci_lanes *lanes, int64_t timeout_ns);

/* Waits for the work in flight and drops it. Tolerates a zeroed or half-built object. */
void zci_lanes_finish(struct zci_lanes *lanes);

#endif
