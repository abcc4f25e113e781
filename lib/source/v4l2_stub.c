/* SPDX-License-Identifier: MIT */
/* The camera functions of a build without V4L2. */
#include "zcstream/camera.h"

#include "context/context.h"
#include "source/camera_args.h"

zcs_status zcs_source_open_v4l2(zcs_context *ctx, const struct zcs_v4l2_params *params,
                                zcs_source **out)
{
    if (zci_check_v4l2_args(ctx, params, out) != ZCS_OK)
        return ZCS_ERR_ARG;
    return zci_fail(&ctx->log, ZCS_ERR_UNSUPPORTED, "%s: live capture is not in this build",
                    params->device);
}

zcs_status zcs_camera_open(zcs_context *ctx, const char *device, zcs_camera **out)
{
    if (zci_check_camera_args(ctx, device, out) != ZCS_OK)
        return ZCS_ERR_ARG;
    return zci_fail(&ctx->log, ZCS_ERR_UNSUPPORTED, "%s: cameras are not in this build", device);
}

/* No zcs_camera can be opened, so the functions below are never called with one. */
void zcs_camera_close(zcs_camera **camera)
{
    (void)camera;
}

void zcs_camera_info(const zcs_camera *camera, struct zcs_camera_info *out)
{
    (void)camera;
    *out = (struct zcs_camera_info){.kind = ZCS_CAMERA_OTHER};
}

zcs_status zcs_camera_format(zcs_camera *camera, uint32_t index, struct zcs_camera_format *out)
{
    (void)camera, (void)index, (void)out;
    return ZCS_EOF;
}

zcs_status zcs_camera_size(zcs_camera *camera, uint32_t fourcc, uint32_t index,
                           struct zcs_camera_size *out)
{
    (void)camera, (void)fourcc, (void)index, (void)out;
    return ZCS_EOF;
}

zcs_status zcs_camera_rate(zcs_camera *camera, uint32_t fourcc, uint32_t width, uint32_t height,
                           uint32_t index, struct zcs_camera_rate *out)
{
    (void)camera, (void)fourcc, (void)width, (void)height, (void)index, (void)out;
    return ZCS_EOF;
}

int zcs_camera_would_give(zcs_camera *camera, uint32_t fourcc, uint32_t width, uint32_t height)
{
    (void)camera, (void)fourcc, (void)width, (void)height;
    return 0;
}

zcs_status zcs_control_next(zcs_camera *camera, uint32_t after, struct zcs_control *out)
{
    (void)camera, (void)after, (void)out;
    return ZCS_EOF;
}

zcs_status zcs_control_find(zcs_camera *camera, const char *name, struct zcs_control *out)
{
    (void)camera, (void)name, (void)out;
    return ZCS_ERR_UNSUPPORTED;
}

zcs_status zcs_control_item(zcs_camera *camera, const struct zcs_control *control, uint32_t from,
                            struct zcs_control_item *out)
{
    (void)camera, (void)control, (void)from, (void)out;
    return ZCS_EOF;
}

zcs_status zcs_control_get(zcs_camera *camera, const struct zcs_control *control, char *text,
                           size_t text_bytes)
{
    (void)camera, (void)control, (void)text, (void)text_bytes;
    return ZCS_ERR_UNSUPPORTED;
}

zcs_status zcs_control_set(zcs_camera *camera, const char *setting, char *got, size_t got_bytes)
{
    (void)camera, (void)setting, (void)got, (void)got_bytes;
    return ZCS_ERR_UNSUPPORTED;
}

zcs_status zcs_control_change(const zcs_camera *camera, uint64_t number,
                              struct zcs_control_change *out)
{
    (void)camera, (void)number, (void)out;
    return ZCS_ERR_ARG;
}
