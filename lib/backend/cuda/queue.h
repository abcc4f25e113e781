/* SPDX-License-Identifier: MIT */
/* Queues: the CUDA streams that lanes work on. They live as long as the backend, because results name
 * them (zcs_frame_cuda) and may outlive the lane that made them. */
#ifndef ZCI_BACKEND_CUDA_QUEUE_H
#define ZCI_BACKEND_CUDA_QUEUE_H

#include "zcstream/base.h"

struct zci_cuda;

struct zci_cuda_queue {
    struct zci_cuda_queue *next; /* idle */
    void *stream;                /* kernels, and the copies that they follow */
    void *copies;                /* copies that run beside kernels */
    void *event; /* on `stream`; passed: results are handed out when they are complete */
};

/* One for a lane's use on `device`, which is current. Logged. */
zcs_status zci_cuda_queue_take(struct zci_cuda *cuda, uint32_t device, struct zci_cuda_queue **out);

/* Nothing runs on it any more. Accepts NULL. */
void zci_cuda_queue_give(struct zci_cuda *cuda, uint32_t device, struct zci_cuda_queue *queue);

/* Destroys the idle ones of `device`; `usable`: CUDA may be called, with the device current. */
void zci_cuda_queues_finish(struct zci_cuda *cuda, uint32_t device, int usable);

#endif
