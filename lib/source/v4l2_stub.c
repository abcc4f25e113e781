/* SPDX-License-Identifier: MIT */
/* Cameras where the build has none. */
#include "zcstream/source.h"

#include "frame/context.h"

zcs_status zcs_source_open_v4l2(zcs_context *ctx, const struct zcs_v4l2_params *params,
                                zcs_source **out)
{
    if (ctx == NULL || params == NULL || params->device == NULL || out == NULL)
        return ZCS_ERR_ARG;
    return zci_fail(&ctx->log, ZCS_ERR_UNSUPPORTED, "%s: live capture is not in this build",
                    params->device);
}
