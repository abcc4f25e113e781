/* SPDX-License-Identifier: MIT */
/* zcs_camera: an open node as the public functions see it, alone or as part of a source. */
#include "source/v4l2/camera.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/clock.h"
#include "context/context.h"
#include "source/camera_args.h"
#include "source/v4l2/controls.h"
#include "source/v4l2/identity.h"

zcs_status zci_v4l2_camera_open(zcs_context *ctx, const char *device,
                                const struct zci_v4l2_calls *calls, zcs_camera **out)
{
    if (zci_check_camera_args(ctx, device, out) != ZCS_OK)
        return ZCS_ERR_ARG;
    zcs_camera *camera = calloc(1, sizeof *camera);
    if (camera == NULL)
        return zci_fail(&ctx->log, ZCS_ERR_NOMEM, "%s: no memory for a camera", device);
    camera->log = ctx->log;
    camera->dev = &camera->own;
    const zcs_status status = zci_v4l2_device_open_any(&camera->own, device, calls, &camera->log);
    if (status != ZCS_OK)
        zcs_camera_close(&camera);
    else
        *out = camera;
    return status;
}

zcs_status zcs_camera_open(zcs_context *ctx, const char *device, zcs_camera **out)
{
    return zci_v4l2_camera_open(ctx, device, &zci_v4l2_system, out);
}

void zcs_camera_close(zcs_camera **camera)
{
    if (camera == NULL || *camera == NULL)
        return;
    zci_v4l2_device_close(&(*camera)->own);
    free(*camera);
    *camera = NULL;
}

static enum zcs_camera_kind kind_of(const struct zci_v4l2_caps *caps)
{
    if (caps->m2m)
        return ZCS_CAMERA_CODEC;
    if (caps->capture || caps->capture_mplane)
        return ZCS_CAMERA_CAPTURE;
    if (caps->metadata)
        return ZCS_CAMERA_METADATA;
    return caps->output ? ZCS_CAMERA_OUTPUT : ZCS_CAMERA_OTHER;
}

void zcs_camera_info(const zcs_camera *camera, struct zcs_camera_info *out)
{
    const struct zci_v4l2_caps *caps = &camera->dev->caps;
    *out = (struct zcs_camera_info){
        .kind = kind_of(caps),
        .multi_planar = !caps->capture && caps->capture_mplane,
        .streaming = caps->streaming,
        .cpu_writes = zci_v4l2_device_cpu_writes(camera->dev) != 0,
    };
    memcpy(out->driver, caps->driver, sizeof out->driver);
    memcpy(out->card, caps->card, sizeof out->card);
    memcpy(out->bus, caps->bus, sizeof out->bus);
    zci_v4l2_identity_serial(camera->dev->path, out->serial, sizeof out->serial);
}

/* The status of a list request: EINVAL is the end of the list, ENOTTY means that there is none. */
static zcs_status list_status(const zcs_camera *camera, const char *call, int error)
{
    if (error == 0)
        return ZCS_OK;
    return error == EINVAL || error == ENOTTY ? ZCS_EOF : zci_v4l2_fail(camera->dev, call, error);
}

zcs_status zcs_camera_format(zcs_camera *camera, uint32_t index, struct zcs_camera_format *out)
{
    struct zci_v4l2_fmtdesc got;
    if (camera == NULL || out == NULL)
        return ZCS_ERR_ARG;
    const int error = zci_v4l2_enum_fmt(&camera->dev->port, index, &got);
    if (error != 0)
        return list_status(camera, "VIDIOC_ENUM_FMT", error);
    *out = (struct zcs_camera_format){.fourcc = got.fourcc,
                                      .pixfmt = zcs_pixfmt_from_fourcc(got.fourcc),
                                      .emulated = got.emulated};
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(out->pixfmt);
    out->readable = info != NULL && info->model != ZCS_MODEL_JPEG;
    memcpy(out->text, got.description, sizeof got.description);
    return ZCS_OK;
}

zcs_status zcs_camera_size(zcs_camera *camera, uint32_t fourcc, uint32_t index,
                           struct zcs_camera_size *out)
{
    if (camera == NULL || out == NULL)
        return ZCS_ERR_ARG;
    return list_status(camera, "VIDIOC_ENUM_FRAMESIZES",
                       zci_v4l2_enum_framesizes(&camera->dev->port, fourcc, index, out));
}

zcs_status zcs_camera_rate(zcs_camera *camera, uint32_t fourcc, uint32_t width, uint32_t height,
                           uint32_t index, struct zcs_camera_rate *out)
{
    if (camera == NULL || out == NULL)
        return ZCS_ERR_ARG;
    return list_status(
        camera, "VIDIOC_ENUM_FRAMEINTERVALS",
        zci_v4l2_enum_frameintervals(&camera->dev->port, fourcc, width, height, index, out));
}

int zcs_camera_would_give(zcs_camera *camera, uint32_t fourcc, uint32_t width, uint32_t height)
{
    if (camera == NULL)
        return 0;
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(zcs_pixfmt_from_fourcc(fourcc));
    struct zci_v4l2_format format = {.fourcc = fourcc,
                                     .width = width,
                                     .height = height,
                                     .planes = info != NULL ? info->buffers : 1};
    const int error = zci_v4l2_try_format(&camera->dev->port, &format);
    if (error == ENOTTY) /* few drivers lack VIDIOC_TRY_FMT; their list must do */
        return 1;
    return error == 0 && format.fourcc == fourcc && format.width == width &&
           format.height == height;
}

/* struct zcs_control has not all that the requests need, so the control is queried again. */
static zcs_status look_up(const zcs_camera *camera, uint32_t id, struct zci_v4l2_control *out)
{
    const zcs_status status = zci_v4l2_control_next(camera->dev, id - 1, out);
    if (status < 0 || (status == ZCS_OK && out->info.id == id))
        return status;
    return zci_fail(camera->dev->log, ZCS_ERR_ARG, "%s: no control 0x%08x", camera->dev->path, id);
}

zcs_status zcs_control_next(zcs_camera *camera, uint32_t after, struct zcs_control *out)
{
    struct zci_v4l2_control control;
    if (camera == NULL || out == NULL)
        return ZCS_ERR_ARG;
    const zcs_status status = zci_v4l2_control_next(camera->dev, after, &control);
    if (status == ZCS_OK)
        *out = control.info;
    return status;
}

zcs_status zcs_control_find(zcs_camera *camera, const char *name, struct zcs_control *out)
{
    struct zci_v4l2_control control;
    if (camera == NULL || name == NULL || out == NULL)
        return ZCS_ERR_ARG;
    const zcs_status status = zci_v4l2_control_find(camera->dev, name, &control);
    if (status == ZCS_OK)
        *out = control.info;
    return status;
}

zcs_status zcs_control_item(zcs_camera *camera, const struct zcs_control *control, uint32_t from,
                            struct zcs_control_item *out)
{
    if (camera == NULL || control == NULL || out == NULL)
        return ZCS_ERR_ARG;
    const struct zci_v4l2_control wanted = {.info = *control};
    return zci_v4l2_control_item(camera->dev, &wanted, from, out);
}

zcs_status zcs_control_get(zcs_camera *camera, const struct zcs_control *control, char *text,
                           size_t text_bytes)
{
    struct zci_v4l2_control now;
    if (camera == NULL || control == NULL || text == NULL)
        return ZCS_ERR_ARG;
    const zcs_status status = look_up(camera, control->id, &now);
    return status == ZCS_OK ? zci_v4l2_control_get(camera->dev, &now, text, text_bytes) : status;
}

/* During capture: keeps the setting for a reconnect, and the change for the frames. */
static void keep_change(zcs_camera *camera, const struct zci_v4l2_control *control,
                        const char *setting, int64_t done)
{
    if (!camera->capturing)
        return;
    if (control->info.type == ZCS_CONTROL_BUTTON) /* has no value to keep */
        return;
    zci_v4l2_events_add(&camera->events, control->info.id, done, zci_now_ns());
    if (zci_v4l2_settings_put(&camera->settings, setting) != 0)
        zci_log(camera->dev->log, ZCS_LOG_WARNING,
                "%s: no memory to set '%s' again after a reconnect", camera->dev->path, setting);
}

/* The value and the format of a capturing camera before a control is set. */
struct before {
    int known;
    int64_t value;
    struct zci_v4l2_format format;
};

static void read_before(const zcs_camera *camera, const struct zci_v4l2_control *control,
                        struct before *out)
{
    const struct zci_v4l2_port *port = &camera->dev->port;
    *out = (struct before){.known = camera->capturing};
    if (control->info.type == ZCS_CONTROL_STRING || control->info.type == ZCS_CONTROL_BUTTON ||
        zci_v4l2_get_control(port, control, &out->value) != 0 ||
        zci_v4l2_get_format(port, &out->format) != 0)
        out->known = 0;
}

/* Slots and chain were made for the present format, so a control that changes it is set back. */
static zcs_status keep_format(const zcs_camera *camera, const struct zci_v4l2_control *control,
                              const struct before *before)
{
    struct zci_v4l2_format now;
    const struct zci_v4l2_port *port = &camera->dev->port;
    if (!before->known || zci_v4l2_get_format(port, &now) != 0 ||
        (now.fourcc == before->format.fourcc && now.width == before->format.width &&
         now.height == before->format.height))
        return ZCS_OK;
    (void)zci_v4l2_set_control(port, control, before->value);
    return zci_fail(camera->dev->log, ZCS_ERR_BUSY,
                    "%s: %s changes the frames' format, and was set back: it can be set when the "
                    "camera is opened",
                    camera->dev->path, control->info.name);
}

zcs_status zcs_control_set(zcs_camera *camera, const char *setting, char *got, size_t got_bytes)
{
    struct zci_v4l2_control control;
    const char *value = NULL;
    int64_t done = 0;
    struct before before;
    if (camera == NULL || setting == NULL)
        return ZCS_ERR_ARG;
    zcs_status status = zci_v4l2_control_parse(camera->dev, setting, &control, &value);
    if (status != ZCS_OK)
        return status;
    read_before(camera, &control, &before);
    status = zci_v4l2_control_set(camera->dev, &control, value, &done);
    if (status == ZCS_OK)
        status = keep_format(camera, &control, &before);
    if (status != ZCS_OK)
        return status;
    keep_change(camera, &control, setting, done);
    if (got == NULL)
        return ZCS_OK;
    const zcs_status read = zci_v4l2_control_get(camera->dev, &control, got, got_bytes);
    if (read == ZCS_ERR_UNSUPPORTED)
        snprintf(got, got_bytes, "%s", value != NULL ? value : "");
    return read == ZCS_ERR_UNSUPPORTED ? ZCS_OK : read;
}

zcs_status zcs_control_change(const zcs_camera *camera, uint64_t number,
                              struct zcs_control_change *out)
{
    if (camera == NULL || out == NULL)
        return ZCS_ERR_ARG;
    const struct zcs_control_change *change = zci_v4l2_events_get(&camera->events, number);
    if (change == NULL)
        return ZCS_ERR_ARG;
    *out = *change;
    return ZCS_OK;
}
