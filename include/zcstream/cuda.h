/* SPDX-License-Identifier: MIT */
/* A result's CUDA stream and event, without CUDA's types, so that C users need no toolkit. */
#ifndef ZCSTREAM_CUDA_H
#define ZCSTREAM_CUDA_H

#include "zcstream/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

struct zcs_cuda_frame {
    void *stream;    /* cudaStream_t on which the result is made */
    void *event;     /* cudaEvent_t that passes when it is complete; owned by the library */
    int cuda_device; /* CUDA's number of the device */
};

/* ZCS_ERR_UNSUPPORTED: the frame was not made by the CUDA backend. Any thread. */
zcs_status zcs_frame_cuda(const struct zcs_frame *frame, struct zcs_cuda_frame *out) ZCS_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
