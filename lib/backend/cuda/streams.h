/* SPDX-License-Identifier: MIT */
/* The CUDA streams that frame contexts use. They live as long as the backend: results name the
 * stream of the kernels (zcs_frame_cuda) and may outlive their frame context. All failures are
 * logged. */
#ifndef ZCI_BACKEND_CUDA_STREAMS_H
#define ZCI_BACKEND_CUDA_STREAMS_H

#include "zcstream/base.h"

struct zci_cuda;

/* For kernels, and for the copies that kernels follow; one user at a time. */
struct zci_cuda_kernel_stream {
    struct zci_cuda_kernel_stream *next; /* idle ones */
    void *handle;
    void *event; /* recorded and complete, for applications to wait for */
};

/* For copies that run beside kernels. All frame contexts of one owner share one copy stream. So
 * each frame in turn gets the whole bus. On several streams the copies would share the bus, and
 * all would be late. */
struct zci_cuda_copy_stream {
    struct zci_cuda_copy_stream *next;
    void *handle;
    const void *owner;
    uint32_t users; /* 0: free for any owner */
};

/* A stream of `device`, which is current, for one frame context. */
zcs_status zci_cuda_kernel_stream_take(struct zci_cuda *cuda, uint32_t device,
                                       struct zci_cuda_kernel_stream **out);

/* Nothing runs on it any more. Accepts NULL. */
void zci_cuda_kernel_stream_give(struct zci_cuda *cuda, uint32_t device,
                                 struct zci_cuda_kernel_stream *stream);

/* The stream of `owner` on `device`, which is current. `owner` is any address that stays valid
 * while the owner has a stream. Calls for one owner are not concurrent. */
zcs_status zci_cuda_copy_stream_take(struct zci_cuda *cuda, uint32_t device, const void *owner,
                                     struct zci_cuda_copy_stream **out);

/* This user has nothing on it any more. Accepts NULL. */
void zci_cuda_copy_stream_give(struct zci_cuda *cuda, struct zci_cuda_copy_stream *copies);

/* Destroys all of `device` when the backend closes. `usable`: CUDA may be called, and the device
 * is current. */
void zci_cuda_streams_finish(struct zci_cuda *cuda, uint32_t device, int usable);

#endif
