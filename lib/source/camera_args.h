/* SPDX-License-Identifier: MIT */
/* The argument checks of the functions that open cameras, shared by builds with and without V4L2.
 *
 * Each returns ZCS_ERR_ARG where an argument is NULL or an enum is out of its range, and logs its
 * name. A NULL `ctx` is not logged. */
#ifndef ZCI_SOURCE_CAMERA_ARGS_H
#define ZCI_SOURCE_CAMERA_ARGS_H

#include "context/context.h"
#include "source/request.h"
#include "zcstream/camera.h"

static inline zcs_status zci_check_camera_arg(const zcs_context *ctx, const char *name,
                                              const void *argument)
{
    if (argument != NULL)
        return ZCS_OK;
    return zci_fail(&ctx->log, ZCS_ERR_ARG, "a camera: %s is NULL", name);
}

/* ZCS_ERR_ARG: a member of an enum is out of its range; logged. */
static inline zcs_status zci_check_v4l2_enums(const zcs_context *ctx,
                                              const struct zcs_v4l2_params *params)
{
    const struct zci_log *log = &ctx->log;
    zcs_status status =
        zci_request_check_enums(params->format, &params->color, params->device, log);
    if (status == ZCS_OK)
        status = zci_request_check_enums(params->treat_as, &params->color, params->device, log);
    if (status == ZCS_OK && (unsigned)params->path > ZCS_PATH_PATTERN)
        return zci_fail(log, ZCS_ERR_ARG, "%s: path %d does not exist", params->device,
                        (int)params->path);
    return status;
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
    if (status == ZCS_OK)
        status = zci_check_camera_arg(ctx, "out", out);
    return status == ZCS_OK ? zci_check_v4l2_enums(ctx, params) : status;
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
