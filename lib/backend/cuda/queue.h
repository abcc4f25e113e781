/* SPDX-License-Identifier: MIT */
/* The CUDA streams that frame contexts work on. They live as long as the backend: results name those of kernels
 * (zcs_frame_cuda) and may outlive the frame context that made them. */
#ifndef ZCI_BACKEND_CUDA_QUEUE_H
#define ZCI_BACKEND_CUDA_QUEUE_H

#include "zcstream/base.h"

struct zci_cuda;

struct zci_cuda_queue {
    struct zci_cuda_queue *next; /* idle */
    void *stream;                /* kernels, and the copies that they follow */
    void *event; /* on `stream`; passed: results are handed out when they are complete */
};

/* For copies that run beside kernels. All frame contexts of one owner put theirs on the same stream: frame after frame has the
 * whole bus, where copies of several streams would share it, and all of them be late. */
struct zci_cuda_copies {
    struct zci_cuda_copies *next;
    void *stream;
    const void *owner;
    uint32_t users; /* 0: anybody may have it */
};

/* One for a frame context's use on `device`, which is current. Logged. */
zcs_status zci_cuda_queue_take(struct zci_cuda *cuda, uint32_t device, struct zci_cuda_queue **out);

/* Nothing runs on it any more. Accepts NULL. */
void zci_cuda_queue_give(struct zci_cuda *cuda, uint32_t device, struct zci_cuda_queue *queue);

/* The stream of `owner`, any address that stands for it as long as it has one, on `device`, which is current. Takes by
 * one owner are made one after the other. Logged. */
zcs_status zci_cuda_copies_take(struct zci_cuda *cuda, uint32_t device, const void *owner,
                                struct zci_cuda_copies **out);

/* This user has nothing on it any more. Accepts NULL. */
void zci_cuda_copies_give(struct zci_cuda *cuda, struct zci_cuda_copies *copies);

/* Destroys the idle ones of both; `usable`: CUDA may be called, with the device current. */
void zci_cuda_queues_finish(struct zci_cuda *cuda, uint32_t device, int usable);

#endif
