/* SPDX-License-Identifier: MIT */
/* The CUDA backend object: all GPUs of the machine, and how every part of the backend calls
 * CUDA.
 *
 * Each part brackets its CUDA calls with zci_cuda_enter and zci_cuda_leave. These keep the
 * calling thread's current device as the application has set it, and they refuse after a fork
 * and on a lost device. */
#ifndef ZCI_BACKEND_CUDA_CUDA_H
#define ZCI_BACKEND_CUDA_CUDA_H

#include <pthread.h>

#include "zcstream/stream.h"
#include "backend/backend.h"
#include "backend/cuda/api.h"
#include "backend/cuda/range_table.h"
#include "os/fork_guard.h"

struct zci_cuda_device {
    struct zci_cuda_properties properties;
    atomic_int lost;     /* 1: after a sticky error; no call on this device works any more */
    atomic_int reserved; /* 1: a persistent kernel occupies most of it */
    /* Under zci_cuda.lock: */
    struct zci_cuda_kernel_stream *idle_streams;
    struct zci_cuda_copy_stream *copy_streams; /* all, in use or not */
};

struct zci_cuda {
    struct zci_backend base;
    const struct zci_cuda_api *api;
    struct zci_fork_guard fork_guard; /* the process that opened the backend */
    uint32_t device_count;
    struct zci_cuda_device devices[ZCS_MAX_DEVICES]; /* by CUDA's device numbers */
    pthread_mutex_t lock;
    struct zci_cuda_report_memory *spare_reports; /* under `lock`; see memory.h */
    pthread_mutex_t range_lock;      /* of `own` and of the registration cache's table */
    struct zci_cuda_range_table own; /* pinned by the backend itself */
    struct zci_cuda_registrations *registrations; /* see registration.h */
    pthread_mutex_t digest_lock;
    struct zci_memory digest_sums; /* under digest_lock, made when first needed; see memory.h */
};

static inline struct zci_cuda *zci_cuda_of(struct zci_backend *backend)
{
    return (struct zci_cuda *)backend;
}

/* Opens the backend over any table of calls; zci_backend_open_cuda passes the real one. */
zcs_status zci_cuda_open(const struct zci_cuda_api *api, const struct zci_log *log,
                         struct zci_backend **out);

/* Makes `device` current. ZCS_ERR_DEVICE, logged: after a fork, or the device is lost. Then CUDA
 * must not be called, nor zci_cuda_leave. */
zcs_status zci_cuda_enter(struct zci_cuda *cuda, uint32_t device, int *previous);
void zci_cuda_leave(struct zci_cuda *cuda, int previous);

/* For destructors: logs nothing and also enters a lost device. 0: after a fork, CUDA must not be
 * called. */
int zci_cuda_enter_quietly(struct zci_cuda *cuda, uint32_t device, int *previous);

/* ZCS_OK for success. Otherwise clears CUDA's last error, marks the device as lost if the error
 * is sticky, and logs one line: the device, `what` failed, and CUDA's text. ZCS_ERR_NOMEM: out
 * of memory; ZCS_ERR_DEVICE: all other errors. */
zcs_status zci_cuda_check(struct zci_cuda *cuda, uint32_t device, int error, const char *what);

/* As zci_cuda_check, without logging. */
zcs_status zci_cuda_classify(struct zci_cuda *cuda, uint32_t device, int error);

/* ZCS_OK: all work on a stream of `device` is complete. ZCS_AGAIN: not yet. Else as
 * zci_cuda_check. Enters and leaves the device. */
zcs_status zci_cuda_query_stream(struct zci_cuda *cuda, uint32_t device, void *stream,
                                 const char *what);

/* What zcs_measure can run on a GPU (measure.c). */
extern const struct zci_measure_ops zci_cuda_measure;

#endif
