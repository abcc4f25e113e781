/* SPDX-License-Identifier: MIT */
/* The capture loop: dequeues frames, validates and counts them, and delivers them. */
#ifndef ZCI_SOURCE_V4L2_CAPTURE_H
#define ZCI_SOURCE_V4L2_CAPTURE_H

#include "source/v4l2/source.h"

/* STREAMON. The buffers have been queued by zci_v4l2_memory_negotiate or zci_v4l2_memory_resume. */
zcs_status zci_v4l2_capture_start(struct zci_v4l2_source *source);

/* The camera is gone: releases all that the driver had and closes the node. Slots stay. */
void zci_v4l2_capture_disconnect(struct zci_v4l2_source *source);

/* STREAMOFF, and frees the buffers. Frames that are held stay valid. */
void zci_v4l2_capture_stop(struct zci_v4l2_source *source);

/* zci_source_ops.next of a camera that is connected. */
zcs_status zci_v4l2_capture_next(struct zci_v4l2_source *source, int64_t timeout_ns,
                                 struct zci_slot **out);

#endif
