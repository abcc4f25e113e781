/* SPDX-License-Identifier: MIT */
/* The CUDA backend: all GPUs of the machine, and how every part of it calls CUDA.
 *
 * A part brackets its calls with zci_cuda_enter and zci_cuda_leave, which keep the calling thread's
 * current device as the application has set it, and refuse after a fork and on a lost device. */
#ifndef ZCI_BACKEND_CUDA_CUDA_H
#define ZCI_BACKEND_CUDA_CUDA_H

#include <pthread.h>

#include "zcstream/stream.h"
#include "backend/backend.h"
#include "backend/cuda/api.h"
#include "backend/cuda/queue.h"
#include "backend/cuda/registrations.h"
#include "os/fork_guard.h"

struct zci_cuda_device {
    struct zci_cuda_facts facts;
    atomic_int lost; /* a sticky error: nothing on this device works any more */
    atomic_int held; /* 1: a persistent kernel has most of it */
    struct zci_cuda_queue
        *idle; /* queues without a frame context; this and the next under zci_cuda.lock */
    struct zci_cuda_copies *copies; /* all, with users or without */
};

struct zci_cuda {
    struct zci_backend base;
    const struct zci_cuda_api *api;
    struct zci_fork_guard fork_guard; /* the process that opened it */
    uint32_t device_count;
    struct zci_cuda_device devices[ZCS_MAX_DEVICES]; /* by CUDA's numbers */
    pthread_mutex_t lock;
    struct zci_cuda_spare *spares; /* under `lock` */
    struct zci_cuda_registrations registrations;
    pthread_mutex_t probe_lock;   /* of what follows; see probe.h */
    struct zci_memory probe_sums; /* bytes 0: not made */
};

static inline struct zci_cuda *zci_cuda_of(struct zci_backend *backend)
{
    return (struct zci_cuda *)backend;
}

/* Opens over any table of calls; zci_backend_open_cuda takes the real one. */
zcs_status zci_cuda_open(const struct zci_cuda_api *api, const struct zci_log *log,
                         struct zci_backend **out);

/* Makes `device` current. ZCS_ERR_DEVICE, logged: after a fork, or the device is lost; nothing may be
 * called then, nor zci_cuda_leave. */
zcs_status zci_cuda_enter(struct zci_cuda *cuda, uint32_t device, int *previous);
void zci_cuda_leave(struct zci_cuda *cuda, int previous);

/* The same without a word, for taking things down, which is tried whatever fails. 0: after a fork. */
int zci_cuda_enter_quietly(struct zci_cuda *cuda, uint32_t device, int *previous);

/* ZCS_OK for success. Else the error is forgotten by CUDA, a device that it ends is marked, and one line
 * is logged: what, where, and CUDA's words. Out of memory is ZCS_ERR_NOMEM, all else ZCS_ERR_DEVICE. */
zcs_status zci_cuda_check(struct zci_cuda *cuda, uint32_t device, int error, const char *what);

/* Whether all that was enqueued on a stream of `device` is done: ZCS_AGAIN if not, else as zci_cuda_check. Enters and
 * leaves the device. */
zcs_status zci_cuda_ask(struct zci_cuda *cuda, uint32_t device, void *stream, const char *what);

/* As zci_cuda_check, without the line. */
zcs_status zci_cuda_classify(struct zci_cuda *cuda, uint32_t device, int error);

#endif
