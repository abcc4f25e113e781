/* SPDX-License-Identifier: MIT */
/* The devices of a context, as its backend lists them. */
#include "zcstream/device.h"

#include "context/context.h"

uint32_t zcs_device_count(const zcs_context *ctx)
{
    return ctx->backend->ops->device_count(ctx->backend);
}

zcs_status zcs_device_info(const zcs_context *ctx, uint32_t index, struct zcs_device_info *out)
{
    if (ctx == NULL || out == NULL)
        return ZCS_ERR_ARG;
    const uint32_t count = zcs_device_count(ctx);
    if (index >= count)
        return zci_fail(&ctx->log, ZCS_ERR_ARG, "device %u: there %s %u, counted from 0", index,
                        count == 1 ? "is" : "are", count);
    ctx->backend->ops->device_info(ctx->backend, index, out);
    return ZCS_OK;
}
