/* SPDX-License-Identifier: MIT */
/* What a stream is made of, as its parameters want it: devices, frame contexts, slots, results. */
#ifndef ZCI_STREAM_SIZES_H
#define ZCI_STREAM_SIZES_H

#include "stream/stream.h"

struct zci_sizes {
    uint32_t devices[ZCS_MAX_DEVICES]; /* the list */
    uint32_t device_count;
    int nodes[ZCS_MAX_DEVICES]; /* the memory node of each */
    uint32_t per_device;        /* frames in flight */
    uint32_t slots;
    uint32_t results; /* of each branch, besides those in flight */
};

/* ZCS_ERR_ARG, logged: a parameter out of its range, or parameters that contradict each other. */
zcs_status zci_sizes_check(const zcs_context *ctx, const zcs_source *source,
                           const struct zcs_stream_params *params);

/* The devices; ZCS_ERR_UNSUPPORTED, logged, for those that there are not. */
zcs_status zci_sizes_devices(const zcs_context *ctx, const struct zcs_stream_params *params,
                             struct zci_sizes *sizes);

/* All else, for the plans of the stream's branches. */
void zci_sizes_counts(const struct zcs_stream *stream, const struct zcs_stream_params *params,
                      struct zci_sizes *sizes);

#endif
