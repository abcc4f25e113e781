/* SPDX-License-Identifier: MIT */
/* A result's CUDA stream and event. No CUDA types appear here, so that C users need no toolkit. */
#ifndef ZCSTREAM_CUDA_H
#define ZCSTREAM_CUDA_H

#include "zcstream/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

struct zcs_cuda_frame {
    void *stream;    /* cudaStream_t on which the result is computed */
    void *event;     /* cudaEvent_t, signalled when the result is complete; owned by the library */
    int cuda_device; /* CUDA device ordinal */
};

/* ZCS_ERR_UNSUPPORTED: the CUDA backend did not make this frame. Any thread. */
zcs_status zcs_frame_cuda(const struct zcs_frame *frame, struct zcs_cuda_frame *out) ZCS_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
