/* SPDX-License-Identifier: MIT */
/* Whether the structs that a program hands to a driver are clean. */
#ifndef VCAM_STRICT_H
#define VCAM_STRICT_H

#include "vcam/camera.h"

/* Complains of reserved fields that are not 0, and of stale ones where the driver fills them in. */
void vcam_strict(struct vcam_camera *camera, const struct vcam_call *call, const void *argument);

#endif
