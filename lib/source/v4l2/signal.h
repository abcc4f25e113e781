/* SPDX-License-Identifier: MIT */
/* A camera whose signal changed, such as an HDMI input: what it sends now, and whether that fits. */
#ifndef ZCI_SOURCE_V4L2_SIGNAL_H
#define ZCI_SOURCE_V4L2_SIGNAL_H

#include "source/v4l2/camera.h"

/* After an event. ZCS_OK: frames are as before, or there is no signal to follow. ZCS_ERR_FORMAT: head.image is
 * another one now; streaming is off, and a further stream takes it on again. */
zcs_status zci_v4l2_signal_follow(struct zci_v4l2_camera *camera);

#endif
