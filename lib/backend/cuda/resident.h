/* SPDX-License-Identifier: MIT */
/* A lane's resident kernel: low latency for the price of multiprocessors that are held.
 *
 *   hold: launched --order, frame after frame--> it closes when none came for a while, or it is old
 *                                                --the next order: launched anew-->
 *
 * Frames that it cannot take, for their memory or their route, are run the ordinary way, as a whole. */
#ifndef ZCI_BACKEND_CUDA_RESIDENT_H
#define ZCI_BACKEND_CUDA_RESIDENT_H

#include "backend/cuda/bring.h"
#include "kernels/cuda_resident.h"

struct zci_cuda_resident {
    struct zci_cuda_queue *queue; /* its stream has the kernel and nothing else */
    struct zci_memory pinned;     /* holds the two below */
    struct zck_cuda_desk *desk;
    const struct zck_cuda_answer *answer;
    void *arena; /* device memory: meeting, board */
    const void *kernel;
    uint32_t blocks;
    const uint8_t *place; /* of the source's image, if not the other one */
    uint32_t words_end;   /* rows that are copied if their words are looked at */
    uint32_t frame;       /* the number of the latest */
    int failed;           /* 1: it takes no more */
    uint32_t launches;    /* for it */
    struct zck_cuda_resident args;
};

/* The backend's function of this name. */
zcs_status zci_cuda_lane_hold(struct zci_lane *lane, struct zci_hold *out);

/* As zci_backend_ops.hold_refusal. */
const char *zci_cuda_hold_refusal(const struct zci_backend *backend, uint32_t device,
                                  const struct zci_plan *plan);

/* 1: the frame in flight is the resident kernel's. */
int zci_cuda_resident_works(const struct zci_cuda_lane *lane);

/* 1: it can run this job. */
int zci_cuda_resident_takes(const struct zci_cuda_lane *lane, const struct zci_job *job,
                            const struct zci_cuda_places *at);

/* Hands the job over; the lane's device is current. */
zcs_status zci_cuda_resident_submit(struct zci_cuda_lane *lane, const struct zci_job *job,
                                    const struct zci_cuda_places *at);

/* While its frame is in flight: launches it anew if it has closed. ZCS_AGAIN, or an error. */
zcs_status zci_cuda_resident_tend(struct zci_cuda_lane *lane);

/* Behind the report of its frame: ZCS_AGAIN while copies that came too late for that read the source, or an
 * error. */
zcs_status zci_cuda_resident_settle(struct zci_cuda_lane *lane);

/* Ends it and waits for that, which no frame in flight can prevent; `usable`: CUDA may be called, with the
 * device current. Does nothing where nothing is held. */
void zci_cuda_resident_finish(struct zci_cuda_lane *lane, int usable);

#endif
