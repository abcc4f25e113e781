/* SPDX-License-Identifier: MIT */
/* The ladder of capture paths: the shortest that the driver takes, and why not a shorter one.
 *
 *   userptr     the driver writes into slots of the backend's memory; refused, into plain pages
 *   dmabuf      the driver writes into a memfd that it imports as dma-bufs
 *   registered  the driver's buffers are the slots, registered with the backend
 *   copied      the driver's buffers are copied into slots */
#ifndef ZCI_SOURCE_V4L2_MEMORY_MODE_H
#define ZCI_SOURCE_V4L2_MEMORY_MODE_H

#include "source/v4l2/source.h"

/* Makes head.pool and source->buffers, all of them with the driver, ready for streaming. `count` slots are
 * wanted, 2 at least and no more than 32 are made. */
zcs_status zci_v4l2_memory_negotiate(struct zci_v4l2_source *source, enum zcs_role role,
                                     uint32_t count);

/* After zci_v4l2_capture_leave, on the open device: the same path, and where the slots are memory of ours the same
 * slots. On failure the slots are still there. */
zcs_status zci_v4l2_memory_resume(struct zci_v4l2_source *source);

#endif
