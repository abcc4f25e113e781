/* SPDX-License-Identifier: MIT */
/* Events of a virtual camera: V4L2_EVENT_CTRL and V4L2_EVENT_SOURCE_CHANGE. */
#ifndef VCAM_EVENTS_H
#define VCAM_EVENTS_H

#include "vcam/camera.h"

int vcam_subscribe(struct vcam_handle *handle, const struct v4l2_event_subscription *wanted,
                   int on);
int vcam_dqevent(struct vcam_handle *handle, struct v4l2_event *event);
/* Control number `place` of the script has a new value, set by `by`. */
void vcam_event_control(struct vcam_camera *camera, uint32_t place, const struct vcam_handle *by);
void vcam_event_source(struct vcam_camera *camera);

#endif
