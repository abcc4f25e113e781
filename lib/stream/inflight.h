/* SPDX-License-Identifier: MIT */
/* The frame contexts of a chain: which frame is where, who gets the next one, in which order they come out, and what
 * becomes of them when a device fails.
 *
 *   IDLE --submit (least busy device)--> IN FLIGHT, in a ring by age --collect (oldest)--> IDLE
 *     ^                                      |
 *     |                                      a device of the frame context's failed: it is taken out, the frame context is made
 *     +--------------------------------------  anew of those left, the frame submitted again in its place
 *
 * A frame context is one device, or a device group of all of them (bands, relay). Each failure leaves one device less, so
 * that a frame that no device can do is tried once on each, and no more. */
#ifndef ZCI_STREAM_INFLIGHT_H
#define ZCI_STREAM_INFLIGHT_H

#include "backend/backend.h"
#include "frame/pool.h"

/* One of the stream's list of devices; a device may be there twice. */
struct zci_entry {
    uint32_t device;
    int node;        /* the device's memory node; -1: any */
    int own;         /* 0: a spare, for when all that are its own are lost */
    int lost;        /* taken out */
    uint64_t frames; /* collected that it took part in */
};

struct zci_flight {
    struct zci_frame_ctx *fctx;                     /* NULL: no device is left for it */
    uint32_t entry_count, entries[ZCS_MAX_DEVICES]; /* the frame context's device group, by place */
    uint32_t device;                                /* where the result is made */
    uint32_t reserved_sms; /* multiprocessors that the frame context holds */
    struct zci_slot *slot; /* the frame context's reference: the reader's work is a reference */
    struct zci_slot *result;
    enum zcs_route route;
    struct zci_backend *counted; /* whose busy[device] counts this frame; NULL: none does */
    uint32_t counted_device;
    int running;       /* the frame context has the frame */
    zcs_status failed; /* < 0: the frame was at fault */
    uint64_t traced;   /* see core/trace.h */
    int64_t submitted_ns;
    int64_t rested_ns; /* the frame contexts' when it was submitted */
};

struct zci_inflight_params {
    struct zci_backend *backend;
    const struct zci_plan *plan; /* outlives the frame contexts */
    const uint32_t *devices;
    const int *nodes; /* the memory node of each; -1: any */
    uint32_t device_count;
    uint32_t first,
        step; /* own are the devices at places `first`, `first` + `step` ... of the list */
    uint32_t per_device;
    enum zcs_dispatch dispatch;    /* BANDS and RELAY make device groups */
    struct zci_notifier *notifier; /* rung by frame contexts; outlives them */
};

struct zci_inflight {
    struct zci_inflight_params params;
    struct zci_entry entries[ZCS_MAX_DEVICES];
    struct zci_flight *flights;
    uint32_t *ring; /* indices of flights, oldest first from `oldest` on */
    uint32_t count, busy, oldest;
    uint64_t redone;      /* frames submitted again after a failure */
    int64_t looked_ns;    /* when the oldest frame was seen incomplete, or just complete */
    int64_t collected_ns; /* the latest collected */
    int64_t
        rested_ns; /* for so long no frame context was busy before those in flight; 0 after the first */
    /* What the latest collected has of the frame contexts' time, at least. With all frame contexts busy that is, in the
     * mean, what a frame takes. < 0: not known. */
    int64_t took_ns;
};

/* `per_device` frame contexts for each device, or so many device groups of all (for a relay, whose devices work on
 * different frames, for each of them). On failure `frame contexts` may be finished all the same. */
zcs_status zci_inflight_init(struct zci_inflight *inflight,
                             const struct zci_inflight_params *params);

/* 1: at least one frame context is idle. */
int zci_inflight_idle(const struct zci_inflight *inflight);

/* Starts work on `slot` into `result` on the least busy device; takes both references over, also on
 * failure (they are dropped then). */
zcs_status zci_inflight_submit(struct zci_inflight *inflight, enum zcs_route route,
                               struct zci_slot *slot, struct zci_slot *result);

/* The oldest frame in flight. ZCS_OK: its result with its reference; the slot's was dropped. ZCS_AGAIN:
 * not complete, or none in flight. < 0: that frame failed, both references were dropped. */
zcs_status zci_inflight_collect(struct zci_inflight *inflight, struct zci_slot **out);

/* After a failure of the index-th flight's frame context. ZCS_OK: a device was to blame and is taken out; there are
 * others, and all frames in flight are on their way again. Else the failure stands. */
zcs_status zci_inflight_blame(struct zci_inflight *inflight, uint32_t index);

/* Waits until collect would not give ZCS_AGAIN, or for timeout_ns. Some frame context is busy. */
void zci_inflight_wait(struct zci_inflight *inflight, int64_t timeout_ns);

/* Waits for the work in flight and drops it. Tolerates a zeroed or half-built object. */
void zci_inflight_finish(struct zci_inflight *inflight);

#endif
