/* SPDX-License-Identifier: MIT */
/* The persistent kernel of a frame context: low latency, at the price of reserved SMs. How host
 * and kernel talk to each other is in kernels/cuda/persistent.h.
 *
 *   reserved: RUNNING --commands, frame after frame--> CLOSED: none came for a while, or it is old
 *             CLOSED --the next command: launched again--> RUNNING
 *
 * Frames that it cannot run, because of their memory or route, run as ordinary kernels on route
 * `whole`. */
#ifndef ZCI_BACKEND_CUDA_PERSISTENT_H
#define ZCI_BACKEND_CUDA_PERSISTENT_H

#include "backend/cuda/upload.h"
#include "kernels/cuda/persistent.h"

struct zci_cuda_persistent {
    struct zci_cuda_kernel_stream *kernel_stream; /* only for this kernel */
    struct zci_memory pinned;                     /* holds mailbox and completion */
    struct zck_cuda_mailbox *mailbox;
    const struct zck_cuda_completion *completion;
    void *arena; /* device memory: the barrier and the device state */
    const void *kernel;
    uint32_t blocks;
    const uint8_t *first_buffer; /* the staging buffer without ZCK_COMMAND_SECOND_BUFFER */
    uint32_t sentinel_end_row; /* rows before it are copied in a staged frame with sentinel words */
    uint32_t frame;            /* the number of the latest frame */
    int failed;                /* 1: it runs no more frames */
    uint32_t launches;         /* for the latest frame */
    struct zck_cuda_persistent args;
};

/* The backend's functions frame_ctx_reserve and reserve_refusal. */
zcs_status zci_cuda_frame_ctx_reserve(struct zci_frame_ctx *fctx, struct zci_reservation *out);
const char *zci_cuda_reserve_refusal(const struct zci_backend *backend, uint32_t device,
                                     const struct zci_plan *plan);

/* 1: the persistent kernel runs the frame in flight. */
int zci_cuda_persistent_is_running(const struct zci_cuda_frame_ctx *fctx);

/* 1: it can run this job. */
int zci_cuda_persistent_accepts(const struct zci_cuda_frame_ctx *fctx, const struct zci_job *job,
                                const struct zci_cuda_addresses *at);

/* Sends it the job; the frame context's device is current. */
zcs_status zci_cuda_persistent_submit(struct zci_cuda_frame_ctx *fctx, const struct zci_job *job,
                                      const struct zci_cuda_addresses *at);

/* While its frame is in flight: launches it again if it has closed. ZCS_AGAIN, or an error. */
zcs_status zci_cuda_persistent_keep_alive(struct zci_cuda_frame_ctx *fctx);

/* After the report of its frame. ZCS_AGAIN: late copies still read the source. Else ZCS_OK or an
 * error. */
zcs_status zci_cuda_persistent_late_copies(struct zci_cuda_frame_ctx *fctx);

/* Stops the kernel, after the frame in flight, and gives up the reservation. Does nothing
 * without one. */
void zci_cuda_persistent_finish(struct zci_cuda_frame_ctx *fctx);

#endif
