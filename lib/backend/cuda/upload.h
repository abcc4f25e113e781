/* SPDX-License-Identifier: MIT */
/* Moving a frame to the device by one of the three routes. kernels/cuda/pass.h explains how
 * kernels see that the source has arrived. The frame context's device is current. */
#ifndef ZCI_BACKEND_CUDA_UPLOAD_H
#define ZCI_BACKEND_CUDA_UPLOAD_H

#include "backend/cuda/frame_ctx.h"

/* The addresses of a frame's memory. */
struct zci_cuda_addresses {
    const uint8_t *source;        /* for copies */
    const uint8_t *device_source; /* for kernels; NULL: they cannot read it */
    int pinned;                   /* 0: the driver copies the source with the CPU */
    uint8_t *result;              /* for copies */
    uint8_t *device_result;       /* for kernels */
    int result_in_host;           /* 1: device_result is host memory */
};

struct zci_cuda_addresses zci_cuda_find_addresses(struct zci_cuda_frame_ctx *fctx,
                                                  const struct zci_job *job);

/* Prepares the first pass for the job's route, or for another one if its memory demands that,
 * and enqueues the copies of the rows that the frame context needs. Fills the frame context's
 * `done`. */
zcs_status zci_cuda_upload(struct zci_cuda_frame_ctx *fctx, const struct zci_job *job,
                           const struct zci_cuda_addresses *at);

/* 1: the frame uses sentinel words, as the next staging buffer is filled and the source is
 * aligned. That buffer is `staging` from now on. */
int zci_cuda_use_sentinel(struct zci_cuda_frame_ctx *fctx, const uint8_t *source);

/* Enqueues copies of the source rows before `rows[count - 1]` into the staging buffer, to
 * `offset`: `count` chunks that end before these rows. Each is followed by a write of `number`
 * to its flag; the flags are the last `count` of the first `flags` chunk flags. Returns CUDA's
 * error. */
int zci_cuda_copy_chunks(struct zci_cuda_frame_ctx *fctx, const uint8_t *source, size_t offset,
                         const uint32_t *rows, uint32_t count, uint32_t flags, uint32_t number);

#endif
