/* SPDX-License-Identifier: MIT */
/* Whether a filled buffer is a frame to hand on, and if not, which loss it is. */
#ifndef ZCI_SOURCE_V4L2_VALIDATE_H
#define ZCI_SOURCE_V4L2_VALIDATE_H

#include "source/v4l2/camera.h"

/* 1: hand it on. 0: frame `number` was counted in head.lost under its cause; the first of each cause is
 * logged. */
int zci_v4l2_validate(struct zci_v4l2_camera *camera, const struct zci_v4l2_buffer *buffer,
                      uint64_t number);

#endif
