/* SPDX-License-Identifier: MIT */
/* A frame's bytes' way to the device. The frame context's device is current. */
#ifndef ZCI_BACKEND_CUDA_UPLOAD_H
#define ZCI_BACKEND_CUDA_UPLOAD_H

#include "backend/cuda/frame_ctx.h"

/* Where a frame's memory is for the device. */
struct zci_cuda_addresses {
    const uint8_t *source; /* for copies */
    const uint8_t *seen;   /* for kernels; NULL: they cannot read it */
    int pinned;            /* 0: the driver copies the source with the CPU */
    uint8_t *result;       /* for copies */
    uint8_t *written;      /* for kernels */
    int in_host;           /* 1: that is host memory */
};

struct zci_cuda_addresses zci_cuda_find_addresses(struct zci_cuda_frame_ctx *fctx,
                                                  const struct zci_job *job);

/* Sets the first pass up for the job's route, or another where its memory demands that, and enqueues the
 * copies of what the frame context's share needs; fills the frame context's `done`. */
zcs_status zci_cuda_upload(struct zci_cuda_frame_ctx *fctx, const struct zci_job *job,
                           const struct zci_cuda_addresses *at);

/* 1: the frame context's next image is looked at word by word, since its place is ready for that and words of the
 * source are copied as such; the place is the frame context's `staging` from then on. */
int zci_cuda_begin_sentinel(struct zci_cuda_frame_ctx *fctx, const uint8_t *source);

/* Copies source rows up to `rows[count - 1]` into the staging image, whose first byte is at `offset`, in
 * `count` chunks that end before these rows, each followed by `number` in its counter, which are the last
 * ones of `counters`. CUDA's error. */
int zci_cuda_copy_chunks(struct zci_cuda_frame_ctx *fctx, const uint8_t *source, size_t offset,
                         const uint32_t *rows, uint32_t count, uint32_t counters, uint32_t number);

#endif
