/* SPDX-License-Identifier: MIT */
/* Negotiation of memory modes: the first one that the driver supports, and why it supports none
 * before it.
 *
 *   userptr     the driver writes into slots of the backend's memory, else into plain pages
 *   dmabuf      the driver writes into a memfd that it imports as dma-bufs
 *   registered  the driver's own buffers are the slots, registered with the backend
 *   copied      the driver's buffers are copied into slots */
#ifndef ZCI_SOURCE_V4L2_MEMORY_MODE_H
#define ZCI_SOURCE_V4L2_MEMORY_MODE_H

#include "source/v4l2/source.h"

/* Makes head.pool and source->buffers and queues all buffers, so that streaming can start. `count`
 * is the number of slots wanted; 2 to 32 are made. */
zcs_status zci_v4l2_memory_negotiate(struct zci_v4l2_source *source, enum zcs_role role,
                                     uint32_t count);

/* After zci_v4l2_buffers_release: the same with the next kind of memory, and new slots. ZCS_AGAIN:
 * no other is allowed and possible; the old slots are still there. */
zcs_status zci_v4l2_memory_next(struct zci_v4l2_source *source);

/* After zci_v4l2_buffers_release, on the open device: restores the same path, and the same slots
 * where they are memory of ours. After a failure the slots are still there. */
zcs_status zci_v4l2_memory_resume(struct zci_v4l2_source *source);

#endif
