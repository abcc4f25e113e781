/* SPDX-License-Identifier: MIT */
/* What opens cameras demands of its arguments, whether the build has cameras or not. */
#ifndef ZCI_SOURCE_CAMERA_ARGS_H
#define ZCI_SOURCE_CAMERA_ARGS_H

#include "zcstream/camera.h"

/* ZCS_ERR_ARG, with a line that names the argument, where one of zcs_source_open_v4l2 is missing; only `ctx` has no
 * line. */
zcs_status zci_check_v4l2_args(const zcs_context *ctx, const struct zcs_v4l2_params *params,
                               zcs_source *const *out);

/* The same of zcs_camera_open. */
zcs_status zci_check_camera_args(const zcs_context *ctx, const char *device,
                                 zcs_camera *const *out);

#endif
