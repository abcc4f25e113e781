/* SPDX-License-Identifier: MIT */
/* How many devices, frame contexts, slots and results a stream has, from its parameters. */
#ifndef ZCI_STREAM_SIZES_H
#define ZCI_STREAM_SIZES_H

#include "stream/stream.h"

struct zci_sizes {
    uint32_t devices[ZCS_MAX_DEVICES]; /* the stream's list */
    uint32_t device_count;
    int nodes[ZCS_MAX_DEVICES]; /* the memory node of each */
    uint32_t per_device;        /* frames in flight */
    uint32_t slots;
    uint32_t results; /* of each branch, in addition to those in flight */
};

/* ZCS_ERR_ARG, logged: a parameter is out of its range, or parameters contradict each other. */
zcs_status zci_sizes_check(const zcs_context *ctx, const zcs_source *source,
                           const struct zcs_stream_params *params);

/* Fills in the devices. ZCS_ERR_UNSUPPORTED, logged: the list names a device that does not
 * exist. */
zcs_status zci_sizes_devices(const zcs_context *ctx, const struct zcs_stream_params *params,
                             struct zci_sizes *sizes);

/* Fills in everything else, for the plans of the stream's branches. */
void zci_sizes_counts(const struct zcs_stream *stream, const struct zcs_stream_params *params,
                      struct zci_sizes *sizes);

#endif
