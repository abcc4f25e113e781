/* SPDX-License-Identifier: MIT */
/* Opening a camera node, and one log line for each way in which it can fail. */
#include "source/v4l2/device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BUSY_TRIES 4u
#define BUSY_PAUSE_NS 20000000L

static zcs_status status_of(int error)
{
    switch (error) {
    case EBUSY:
        return ZCS_ERR_BUSY;
    case ENODEV:
    case ENXIO:
        return ZCS_ERR_GONE;
    case ENOMEM:
        return ZCS_ERR_NOMEM;
    default:
        return ZCS_ERR_IO;
    }
}

static const char *advice(const char *call, int error)
{
    switch (error) {
    case EBUSY:
        if (strcmp(call, "VIDIOC_REQBUFS") == 0)
            return ": another program uses the camera ('fuser -v' with its name shows which), or "
                   "frames of an earlier stream are still held";
        return ": another program uses the camera; 'fuser -v' with its name shows which";
    case ENODEV:
    case ENXIO:
        return ": the camera was unplugged, or its driver has stopped it";
    case EACCES:
    case EPERM:
        return ": your user may not open it; members of the group 'video' usually may";
    case ENOENT:
        return ": there is no such node; 'ls /dev/video*' shows those that are";
    case ENOSPC:
    case ENOMEM:
        if (strcmp(call, "VIDIOC_STREAMON") == 0)
            return ": the USB bus has no bandwidth left for this camera (the disk is not meant): "
                   "use another port, a smaller size or a lower rate";
        return "";
    default:
        return "";
    }
}

zcs_status zci_v4l2_fail(const struct zci_v4l2_device *dev, const char *call, int error)
{
    return zci_fail(dev->log, status_of(error), "%s: %s: %s%s", dev->path, call, strerror(error),
                    advice(call, error));
}

int zci_v4l2_retry_busy(int error, unsigned *tries)
{
    if (error != EBUSY || *tries >= BUSY_TRIES)
        return 0;
    const struct timespec pause = {.tv_nsec = BUSY_PAUSE_NS << *tries};
    ++*tries;
    nanosleep(&pause, NULL);
    return 1;
}

static zcs_status open_node(struct zci_v4l2_device *dev)
{
    const struct zci_v4l2_calls *calls = dev->port.calls;
    unsigned tries = 0;
    do {
        dev->port.fd = calls->open(calls->user, dev->path);
    } while (dev->port.fd < 0 && (errno == EINTR || zci_v4l2_retry_busy(errno, &tries)));
    return dev->port.fd >= 0 ? ZCS_OK : zci_v4l2_fail(dev, "open", errno);
}

/* The kind of a node that cannot capture video. */
static const char *other_kind(const struct zci_v4l2_caps *caps)
{
    if (caps->m2m)
        return "it is a codec or converter";
    if (caps->metadata)
        return "it is a metadata node; the images come from another node of this camera, usually "
               "the one before";
    if (caps->output)
        return "it is an output";
    return "it is not a camera, but a radio, a VBI or another node";
}

static zcs_status check(struct zci_v4l2_device *dev)
{
    const struct zci_v4l2_caps *caps = &dev->caps;
    if (!caps->capture && !caps->capture_mplane)
        return zci_fail(dev->log, ZCS_ERR_UNSUPPORTED, "%s (%s): delivers no images: %s", dev->path,
                        caps->card, other_kind(caps));
    if (!caps->streaming)
        return zci_fail(dev->log, ZCS_ERR_UNSUPPORTED,
                        "%s (%s): offers read() only, which copies; streaming is needed", dev->path,
                        caps->card);
    return ZCS_OK;
}

zcs_status zci_v4l2_device_open_any(struct zci_v4l2_device *dev, const char *path,
                                    const struct zci_v4l2_calls *calls, const struct zci_log *log)
{
    *dev = (struct zci_v4l2_device){.port = {.calls = calls, .fd = -1}, .log = log};
    const size_t bytes = strlen(path) + 1;
    dev->path = malloc(bytes);
    if (dev->path == NULL)
        return zci_fail(log, ZCS_ERR_NOMEM, "%s: no memory for its name", path);
    memcpy(dev->path, path, bytes);
    const zcs_status status = open_node(dev);
    if (status != ZCS_OK)
        return status;
    const int error = zci_v4l2_querycap(&dev->port, &dev->caps);
    if (error == ENOTTY || error == EINVAL)
        return zci_fail(log, ZCS_ERR_UNSUPPORTED, "%s: is no V4L2 device", path);
    if (error != 0)
        return zci_v4l2_fail(dev, "VIDIOC_QUERYCAP", error);
    dev->port.mplane = !dev->caps.capture && dev->caps.capture_mplane;
    return ZCS_OK;
}

zcs_status zci_v4l2_device_open(struct zci_v4l2_device *dev, const char *path,
                                const struct zci_v4l2_calls *calls, const struct zci_log *log)
{
    zcs_status status = zci_v4l2_device_open_any(dev, path, calls, log);
    if (status == ZCS_OK)
        status = check(dev);
    if (status == ZCS_OK && !dev->port.mplane)
        calls->attach(calls->user, dev->port.fd);
    return status;
}

void zci_v4l2_device_close_node(struct zci_v4l2_device *dev)
{
    if (dev->port.calls != NULL && dev->port.fd >= 0)
        dev->port.calls->close(dev->port.calls->user, dev->port.fd);
    dev->port.fd = -1;
}

void zci_v4l2_device_close(struct zci_v4l2_device *dev)
{
    zci_v4l2_device_close_node(dev);
    free(dev->path);
    dev->path = NULL;
}

/* The CPU copies a USB camera's packets into its buffers. The drivers listed here have no
 * hardware. */
int zci_v4l2_device_cpu_writes(const struct zci_v4l2_device *dev)
{
    static const char *const drivers[] = {"vivid",        "vimc",   "v4l2 loopback",
                                          "v4l2loopback", "akvcam", "vcam"};
    if (strncmp(dev->caps.bus, "usb-", 4) == 0 || strcmp(dev->caps.driver, "uvcvideo") == 0)
        return 1;
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++)
        if (strcmp(dev->caps.driver, drivers[i]) == 0)
            return 1;
    return 0;
}

int zci_v4l2_device_shares_buffers(const struct zci_v4l2_device *dev)
{
    return strcmp(dev->caps.driver, "v4l2 loopback") == 0 ||
           strcmp(dev->caps.driver, "v4l2loopback") == 0;
}
