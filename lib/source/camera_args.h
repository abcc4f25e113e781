/* SPDX-License-Identifier: MIT */
/* The argument checks of the functions that open cameras, shared by builds with and without V4L2.
 *
 * Each returns ZCS_ERR_ARG where an argument is NULL, and logs its name. A NULL `ctx` is not
 * logged. */
#ifndef ZCI_SOURCE_CAMERA_ARGS_H
#define ZCI_SOURCE_CAMERA_ARGS_H

#include "context/context.h"
#include "zcstream/camera.h"

static inline zcs_status zci_check_camera_arg(const zcs_context *ctx, const char *name,
                                              const void *argument)
{
    if (argument != NULL)
        return ZCS_OK;
    return zci_fail(&ctx->log, ZCS_ERR_ARG, "a camera: %s is NULL", name);
}

/* For zcs_source_open_v4l2. */
static inline zcs_status zci_check_v4l2_args(const zcs_context *ctx,
                                             const struct zcs_v4l2_params *params,
                                             zcs_source *const *out)
{
    if (ctx == NULL)
        return ZCS_ERR_ARG;
    zcs_status status = zci_check_camera_arg(ctx, "params", params);
    if (status == ZCS_OK)
        status = zci_check_camera_arg(ctx, "params->device", params->device);
    return status == ZCS_OK ? zci_check_camera_arg(ctx, "out", out) : status;
}

/* For zcs_camera_open. */
static inline zcs_status zci_check_camera_args(const zcs_context *ctx, const char *device,
                                               zcs_camera *const *out)
{
    if (ctx == NULL)
        return ZCS_ERR_ARG;
    const zcs_status status = zci_check_camera_arg(ctx, "device", device);
    return status == ZCS_OK ? zci_check_camera_arg(ctx, "out", out) : status;
}

#endif
