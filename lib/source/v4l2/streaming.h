/* SPDX-License-Identifier: MIT */
/* Streaming on and off, and what is tried when a camera that streams gives no good frame:
 *
 *   STREAMING --no good frame--> RESTARTED --again--> next kind of memory, if this one never gave a
 *                                                     good frame --again--> failed
 *
 * A good frame makes it STREAMING again. */
#ifndef ZCI_SOURCE_V4L2_STREAMING_H
#define ZCI_SOURCE_V4L2_STREAMING_H

#include "source/v4l2/source.h"

/* STREAMON. The buffers have been queued by zci_v4l2_memory_negotiate or zci_v4l2_memory_resume. */
zcs_status zci_v4l2_streaming_start(struct zci_v4l2_source *source);

/* STREAMOFF, and the driver's side of the buffers is freed. Slots stay. */
void zci_v4l2_streaming_pause(struct zci_v4l2_source *source);

/* The camera is gone: releases all that the driver had and closes the node. Slots stay. */
void zci_v4l2_streaming_disconnect(struct zci_v4l2_source *source);

/* STREAMOFF, and frees the buffers. Frames that are held stay valid. */
void zci_v4l2_streaming_stop(struct zci_v4l2_source *source);

/* Streaming gives no good frame, for the reason `why`: tries what is left to try. */
zcs_status zci_v4l2_streaming_recover(struct zci_v4l2_source *source, const char *why);

/* The same, if the watchdog has expired. */
zcs_status zci_v4l2_streaming_check(struct zci_v4l2_source *source);

#endif
