/* SPDX-License-Identifier: MIT */
/* Plain copies between pinned host memory and one device or two, in both directions at once:
 * what the machine itself gives for the bytes that a stream moves. */
#ifndef ZCS_TESTS_COPIES_H
#define ZCS_TESTS_COPIES_H

#include <cuda_runtime_api.h>

#include "zcstream/zcstream.h"

/* As a stream has them: frames in flight a device, buffers of its source, results that may be
 * held. */
enum { COPIES_DEVICES = 2, COPIES_FLIGHT = 3, COPIES_SOURCES = 10, COPIES_HELD = 4 };
enum {
    COPIES_FRAME_CTXS = COPIES_DEVICES * COPIES_FLIGHT,
    COPIES_RESULTS = COPIES_FRAME_CTXS + COPIES_HELD
};

struct copies_frame_ctx {
    int device;
    cudaStream_t stream;
    void *there;
};

struct copies {
    zcs_context *ctx;
    size_t in_bytes, out_bytes;
    struct copies_frame_ctx inflight[COPIES_FRAME_CTXS]; /* of the devices by turns */
    void *sources[COPIES_SOURCES], *results[COPIES_RESULTS];
};

/* Frames of in_bytes to each of the two devices, which may be the same, and of out_bytes back. */
void copies_open(struct copies *copies, zcs_context *ctx, const uint32_t devices[COPIES_DEVICES],
                 size_t in_bytes, size_t out_bytes);

/* Frames a second in run_ns, once they have run for warm_ns. Each goes to the device whose turn
 * it is of `count`, beginning with devices[first]; or, to_all, to every one of them, and back
 * from each. */
double copies_rate(struct copies *copies, uint32_t first, uint32_t count, int to_all,
                   int64_t warm_ns, int64_t run_ns);

void copies_close(struct copies *copies);

#endif
