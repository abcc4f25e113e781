/* SPDX-License-Identifier: MIT */
/* A frame context's persistent kernel: low latency for the price of multiprocessors that are held.
 *
 *   hold: launched --order, frame after frame--> it closes when none came for a while, or it is old
 *                                                --the next order: launched anew-->
 *
 * Frames that it cannot take, for their memory or their route, are run the ordinary way, as a whole. */
#ifndef ZCI_BACKEND_CUDA_PERSISTENT_H
#define ZCI_BACKEND_CUDA_PERSISTENT_H

#include "backend/cuda/upload.h"
#include "kernels/cuda/persistent.h"

struct zci_cuda_persistent {
    struct zci_cuda_queue *queue; /* its stream has the kernel and nothing else */
    struct zci_memory pinned;     /* holds the two below */
    struct zck_cuda_mailbox *mailbox;
    const struct zck_cuda_completion *completion;
    void *arena; /* device memory: meeting, board */
    const void *kernel;
    uint32_t blocks;
    const uint8_t *place; /* of the source's image, if not the other one */
    uint32_t words_end;   /* rows that are copied if their words are looked at */
    uint32_t frame;       /* the number of the latest */
    int failed;           /* 1: it takes no more */
    uint32_t launches;    /* for it */
    struct zck_cuda_persistent args;
};

/* The backend's function of this name. */
zcs_status zci_cuda_frame_ctx_reserve(struct zci_frame_ctx *fctx, struct zci_reservation *out);

/* As zci_backend_ops.reserve_refusal. */
const char *zci_cuda_reserve_refusal(const struct zci_backend *backend, uint32_t device,
                                     const struct zci_plan *plan);

/* 1: the frame in flight is the persistent kernel's. */
int zci_cuda_persistent_works(const struct zci_cuda_frame_ctx *fctx);

/* 1: it can run this job. */
int zci_cuda_persistent_takes(const struct zci_cuda_frame_ctx *fctx, const struct zci_job *job,
                              const struct zci_cuda_addresses *at);

/* Hands the job over; the frame context's device is current. */
zcs_status zci_cuda_persistent_submit(struct zci_cuda_frame_ctx *fctx, const struct zci_job *job,
                                      const struct zci_cuda_addresses *at);

/* While its frame is in flight: launches it anew if it has closed. ZCS_AGAIN, or an error. */
zcs_status zci_cuda_persistent_tend(struct zci_cuda_frame_ctx *fctx);

/* Behind the report of its frame: ZCS_AGAIN while copies that came too late for that read the source, or an
 * error. */
zcs_status zci_cuda_persistent_settle(struct zci_cuda_frame_ctx *fctx);

/* Ends it and waits for that, which no frame in flight can prevent; `usable`: CUDA may be called, with the
 * device current. Does nothing where nothing is held. */
void zci_cuda_persistent_finish(struct zci_cuda_frame_ctx *fctx, int usable);

#endif
