/* SPDX-License-Identifier: MIT */
/* The capture loop: frames out of the driver, judged, counted and handed on. */
#ifndef ZCI_SOURCE_V4L2_CAPTURE_H
#define ZCI_SOURCE_V4L2_CAPTURE_H

#include "source/v4l2/source.h"

/* Streaming on, with the buffers that the ladder gave to the driver. */
zcs_status zci_v4l2_capture_start(struct zci_v4l2_source *source);

/* The camera is away: all of the driver's is let go and the node closed; slots stay. */
void zci_v4l2_capture_leave(struct zci_v4l2_source *source);

/* Streaming off, and all of the driver's let go, for other frames; slots stay. */
void zci_v4l2_capture_pause(struct zci_v4l2_source *source);

/* Streaming off, buffers freed; frames that are held stay valid. */
void zci_v4l2_capture_stop(struct zci_v4l2_source *source);

/* zci_source_ops.next */
zcs_status zci_v4l2_capture_next(struct zci_v4l2_source *source, int64_t timeout_ns,
                                 struct zci_slot **out);

#endif
