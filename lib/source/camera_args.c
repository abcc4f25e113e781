/* SPDX-License-Identifier: MIT */
/* What opens cameras demands of its arguments, whether the build has cameras or not. */
#include "source/camera_args.h"

#include "context/context.h"

static zcs_status missing(const zcs_context *ctx, const char *name)
{
    return zci_fail(&ctx->log, ZCS_ERR_ARG, "a camera: %s is NULL", name);
}

zcs_status zci_check_v4l2_args(const zcs_context *ctx, const struct zcs_v4l2_params *params,
                               zcs_source *const *out)
{
    if (ctx == NULL)
        return ZCS_ERR_ARG;
    if (params == NULL)
        return missing(ctx, "params");
    if (params->device == NULL)
        return missing(ctx, "params->device");
    return out == NULL ? missing(ctx, "out") : ZCS_OK;
}

zcs_status zci_check_camera_args(const zcs_context *ctx, const char *device, zcs_camera *const *out)
{
    if (ctx == NULL)
        return ZCS_ERR_ARG;
    if (device == NULL)
        return missing(ctx, "device");
    return out == NULL ? missing(ctx, "out") : ZCS_OK;
}
