/* SPDX-License-Identifier: MIT */
/* The way back of a camera: its node, its format and rate, its buffers. */
#include "source/v4l2/reopen.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "source/v4l2/capture.h"
#include "source/v4l2/memory_mode.h"

/* Whether the node may be the camera's: nodes of others are not opened. */
static int may_be(const struct zci_v4l2_camera *camera, const char *path)
{
    const struct zci_v4l2_calls *calls = camera->dev.port.calls;
    struct zci_v4l2_identity seen;
    return calls->identify(calls->user, path, &seen) == 0 &&
           zci_v4l2_identity_fits(&camera->reconnect.identity, &seen);
}

/* The driver's word, which is all there is where sysfs has none. With a serial number any plug will do. */
static int is_it(const struct zci_v4l2_camera *camera, const struct zci_v4l2_caps *caps)
{
    const struct zci_v4l2_caps *own = &camera->dev.caps;
    const struct zci_v4l2_identity *identity = &camera->reconnect.identity;
    const int by_serial = identity->serial[0] != '\0' && !identity->twin;
    return strcmp(own->driver, caps->driver) == 0 && strcmp(own->card, caps->card) == 0 &&
           own->capture == caps->capture && own->capture_multi == caps->capture_multi &&
           (by_serial || strcmp(own->bus, caps->bus) == 0);
}

static zcs_status open_at(const struct zci_v4l2_camera *camera, const char *path,
                          struct zci_v4l2_device *out)
{
    zcs_status status =
        zci_v4l2_device_open(out, path, camera->dev.port.calls, &camera->reconnect.silent);
    if (status == ZCS_OK && !is_it(camera, &out->caps))
        status = zci_fail(&camera->reconnect.silent, ZCS_ERR_GONE, "%s is another camera (%s) now",
                          path, out->caps.card);
    if (status != ZCS_OK)
        zci_v4l2_device_close(out);
    return status;
}

/* The name that it was opened by may be a link that is kept up to date; numbers change. */
static zcs_status find(const struct zci_v4l2_camera *camera, struct zci_v4l2_device *out)
{
    char path[32];
    const char *first = camera->reconnect.device;
    zcs_status status = ZCS_ERR_GONE;
    if (may_be(camera, first) || camera->reconnect.identity.place[0] == '\0')
        status = open_at(camera, first, out);
    for (uint32_t n = 0; status != ZCS_OK && zci_v4l2_identity_node(n, path, sizeof path); n++)
        if (strcmp(path, first) != 0 && may_be(camera, path))
            status = open_at(camera, path, out);
    return status;
}

/* What was agreed is asked for; less will not do, since slots and chain are made for it. */
static zcs_status agree(struct zci_v4l2_camera *camera, const struct zci_v4l2_device *dev)
{
    const struct zci_v4l2_agreed *own = &camera->agreed;
    struct zci_v4l2_agreed agreed;
    struct zcs_v4l2_params wanted = camera->reconnect.wanted;
    wanted.format = own->pixfmt;
    wanted.width = own->layout.image.width;
    wanted.height = own->layout.image.height;
    wanted.stride_bytes = own->stride_bytes;
    wanted.fps_num = own->fps_num;
    wanted.fps_den = own->fps_den;
    wanted.accept_nearest = 0;
    zci_v4l2_values_follow(&camera->reconnect.values, &camera->handle.changes);
    zci_v4l2_values_restore(&camera->reconnect.values, &dev->port);
    const zcs_status status = zci_v4l2_negotiate(dev, &wanted, &camera->handle.settings, &agreed);
    if (status != ZCS_OK)
        return status;
    if (!zci_v4l2_layout_same(&agreed.layout, &own->layout))
        return zci_fail(dev->log, ZCS_ERR_FORMAT,
                        "%s: frames of %zu bytes lie otherwise than before, when they had %zu",
                        dev->path, agreed.layout.slot_bytes, own->layout.slot_bytes);
    if ((uint64_t)agreed.fps_num * own->fps_den != (uint64_t)own->fps_num * agreed.fps_den)
        zci_log(&camera->head.log, ZCS_LOG_WARNING,
                "%s: has %" PRIu32 "/%" PRIu32 " frames a second now, and had %" PRIu32 "/%" PRIu32,
                dev->path, agreed.fps_num, agreed.fps_den, own->fps_num, own->fps_den);
    return ZCS_OK;
}

zcs_status zci_v4l2_reopen(struct zci_v4l2_camera *camera)
{
    struct zci_v4l2_device dev = {.port = {.fd = -1}};
    zcs_status status = find(camera, &dev);
    if (status != ZCS_OK)
        return status;
    status = agree(camera, &dev);
    if (status != ZCS_OK) {
        zci_v4l2_device_close(&dev);
        return status;
    }
    zci_v4l2_device_close(&camera->dev);
    camera->dev = dev;
    camera->head.fd_epoch++;
    status = zci_v4l2_memory_resume(camera);
    if (status == ZCS_OK)
        status = zci_v4l2_capture_start(camera);
    if (status != ZCS_OK) {
        zci_v4l2_capture_leave(camera);
        return status;
    }
    camera->dev.log = zci_v4l2_reconnect_log(camera);
    camera->watchdog.restarted = 0;
    zci_v4l2_changes_watch(&camera->handle.changes, &camera->dev.port);
    return ZCS_OK;
}
