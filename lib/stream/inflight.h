/* SPDX-License-Identifier: MIT */
/* Frames in flight of a chain: which frame context has which frame, which one gets the next
 * frame, in which order results come out, and what happens when a device fails.
 *
 *   IDLE --submit (least busy device)--> IN FLIGHT, in a ring by age --collect (oldest)--> IDLE
 *     ^                                      |
 *     |                                      failover: a device failed and is taken out; the frame
 *     +--------------------------------------  context is made again with the devices left, and its
 *                                              frame is submitted again in the same place
 *
 * A frame context has one device, or a device group of all of them (dispatch by bands or relay).
 * Each failure leaves one device less. So a frame that no device can process is tried once on
 * each device, and no more. */
#ifndef ZCI_STREAM_INFLIGHT_H
#define ZCI_STREAM_INFLIGHT_H

#include "backend/backend.h"
#include "frame/pool.h"

/* A device of the stream's list. The same device may be listed twice. */
struct zci_entry {
    uint32_t device;
    int node;        /* the device's memory node; -1: any */
    int own;         /* 0: a spare, used when all of the chain's own devices are lost */
    int lost;        /* taken out */
    uint64_t frames; /* results that it took part in */
};

struct zci_flight {
    struct zci_frame_ctx *fctx;                     /* NULL: no device is left for it */
    uint32_t entry_count, entries[ZCS_MAX_DEVICES]; /* its device group, as places in the list */
    uint32_t device;                                /* where the result is made */
    uint32_t reserved_sms; /* multiprocessors that the frame context reserves */
    struct zci_slot *slot; /* the frame context's reference on its source */
    struct zci_slot *result;
    enum zcs_route route;
    struct zci_backend *counted; /* its busy[device] counts this frame; NULL: none does */
    uint32_t counted_device;
    int running;       /* the frame context is processing the frame */
    zcs_status failed; /* < 0: the frame itself caused the failure */
    uint64_t traced;   /* see core/trace.h */
    int64_t submitted_ns;
    int64_t rested_ns; /* rested_ns of zci_inflight when the frame was submitted */
};

struct zci_inflight_params {
    struct zci_backend *backend;
    const struct zci_plan *plan; /* must outlive this object */
    const uint32_t *devices;
    const int *nodes; /* the memory node of each; -1: any */
    uint32_t device_count;
    uint32_t first,
        step; /* the chain's own devices are at places `first`, `first` + `step` ... of the list */
    uint32_t per_device;
    enum zcs_dispatch dispatch;    /* BANDS and RELAY make device groups */
    struct zci_notifier *notifier; /* signalled by frame contexts; must outlive them */
};

struct zci_inflight {
    struct zci_inflight_params params;
    struct zci_entry entries[ZCS_MAX_DEVICES];
    struct zci_flight *flights;
    uint32_t *ring; /* indices of `flights`, starting with the oldest at `oldest` */
    uint32_t count, busy, oldest;
    uint64_t redone;      /* frames submitted again after a device failed */
    int64_t looked_ns;    /* when the oldest frame was last seen incomplete, or seen complete */
    int64_t collected_ns; /* when the latest result was collected */
    int64_t
        /* how long no frame context was busy before the frames in flight; 0 after the first one */
        rested_ns;
    /* The least time that the latest result took of the frame contexts. If all of them are busy,
     * this is on average what a frame takes. < 0: not known. */
    int64_t took_ns;
};

/* Makes `per_device` frame contexts for each device, or as many device groups of all devices. For a
 * relay, whose devices work on different frames, it makes that many for each device. After a
 * failure the object may be finished. */
zcs_status zci_inflight_init(struct zci_inflight *inflight,
                             const struct zci_inflight_params *params);

/* 1: at least one frame context is idle. */
int zci_inflight_idle(const struct zci_inflight *inflight);

/* Starts processing `slot` into `result` on the least busy device. Takes over both references; they
 * are dropped on failure. */
zcs_status zci_inflight_submit(struct zci_inflight *inflight, enum zcs_route route,
                               struct zci_slot *slot, struct zci_slot *result);

/* Collects the oldest frame in flight. ZCS_OK: its result with its reference; the slot's reference
 * was dropped. ZCS_AGAIN: it is not complete, or none is in flight. < 0: the frame failed; both
 * references were dropped. */
zcs_status zci_inflight_collect(struct zci_inflight *inflight, struct zci_slot **out);

/* After a failure of the index-th frame context. ZCS_OK: a device caused it and is taken out; other
 * devices are left, and all frames in flight were submitted again. Otherwise the failure stands. */
zcs_status zci_inflight_blame(struct zci_inflight *inflight, uint32_t index);

/* Waits until collect would not return ZCS_AGAIN, or for timeout_ns. At least one frame context is
 * busy. */
void zci_inflight_wait(struct zci_inflight *inflight, int64_t timeout_ns);

/* Waits for the work in flight and drops it. Accepts a zeroed or half-built object. */
void zci_inflight_finish(struct zci_inflight *inflight);

#endif
