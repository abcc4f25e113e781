/* SPDX-License-Identifier: MIT */
/* Controls of a virtual camera. */
#ifndef VCAM_CONTROLS_H
#define VCAM_CONTROLS_H

#include "vcam/camera.h"

int vcam_queryctrl(const struct vcam_camera *camera, struct v4l2_queryctrl *query);
int vcam_query_ext_ctrl(const struct vcam_camera *camera, struct v4l2_query_ext_ctrl *query);
int vcam_querymenu(const struct vcam_camera *camera, struct v4l2_querymenu *menu);
int vcam_g_ctrl(const struct vcam_camera *camera, struct v4l2_control *control);
int vcam_s_ctrl(struct vcam_camera *camera, const struct vcam_handle *handle,
                struct v4l2_control *control);
/* request: VIDIOC_G_EXT_CTRLS, S_ or TRY_ */
int vcam_ext_ctrls(struct vcam_camera *camera, const struct vcam_handle *handle,
                   const struct vcam_call *call, struct v4l2_ext_controls *controls);

#endif
