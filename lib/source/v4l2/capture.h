/* SPDX-License-Identifier: MIT */
/* The capture loop: dequeues frames, validates and counts them, and delivers them. */
#ifndef ZCI_SOURCE_V4L2_CAPTURE_H
#define ZCI_SOURCE_V4L2_CAPTURE_H

#include "source/v4l2/source.h"

/* zci_source_ops.next of a camera that is connected. */
zcs_status zci_v4l2_capture_next(struct zci_v4l2_source *source, int64_t timeout_ns,
                                 struct zci_slot **out);

#endif
