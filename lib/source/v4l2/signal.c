/* SPDX-License-Identifier: MIT */
/* Following a signal: timings, format and rate are agreed anew. */
#include "source/v4l2/signal.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "source/v4l2/capture.h"
#include "source/v4l2/memory_mode.h"

/* Without a signal the driver shows what it likes, until the next event. */
static int has_signal(struct zci_v4l2_camera *camera)
{
    const int error = zci_v4l2_detect_timings(&camera->dev.port);
    if (error == 0 || error == ENOTTY || error == ENODATA)
        return 1;
    zci_log(&camera->head.log, ZCS_LOG_WARNING, "%s: the signal is gone: %s", camera->dev.path,
            strerror(error));
    return 0;
}

/* As at the start, but for the format, which stays; a size that was asked for is still asked for. */
static zcs_status agree(const struct zci_v4l2_camera *camera, struct zci_v4l2_agreed *out)
{
    struct zcs_v4l2_params wanted = camera->reconnect.wanted;
    wanted.format = camera->agreed.pixfmt;
    return zci_v4l2_negotiate(&camera->dev, &wanted, &camera->handle.settings, out);
}

static zcs_status go_on(struct zci_v4l2_camera *camera)
{
    zcs_status status = zci_v4l2_memory_resume(camera);
    if (status == ZCS_OK)
        status = zci_v4l2_capture_start(camera);
    camera->reconnect.back = 1;
    return status;
}

zcs_status zci_v4l2_signal_follow(struct zci_v4l2_camera *camera)
{
    struct zci_v4l2_agreed agreed;
    struct zcs_image *image = &camera->head.image;
    camera->handle.changes.signal = 1;
    camera->after_signal = 0;
    if (!has_signal(camera))
        return ZCS_OK;
    zci_v4l2_capture_pause(camera);
    const zcs_status status = agree(camera, &agreed);
    if (status != ZCS_OK)
        return status == ZCS_ERR_FORMAT ? ZCS_ERR_UNSUPPORTED : status;
    const int same = zci_v4l2_layout_same(&agreed.layout, &camera->agreed.layout);
    if (same)
        zci_log(&camera->head.log, ZCS_LOG_WARNING,
                "%s: the signal changed; its frames are as before", camera->dev.path);
    else
        zci_log(&camera->head.log, ZCS_LOG_WARNING,
                "%s: the signal changed: %" PRIu32 "x%" PRIu32 " instead of %" PRIu32 "x%" PRIu32,
                camera->dev.path, agreed.layout.image.width, agreed.layout.image.height,
                image->width, image->height);
    camera->agreed = agreed;
    *image = agreed.layout.image;
    camera->head.fps_num = agreed.fps_num;
    camera->head.fps_den = agreed.fps_den;
    return same ? go_on(camera) : ZCS_ERR_FORMAT;
}
