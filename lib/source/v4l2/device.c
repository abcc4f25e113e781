/* SPDX-License-Identifier: MIT */
/* Opening a camera node, and one log line for each way in which it can fail. */
#include "source/v4l2/device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BUSY_TRIES 4u
#define BUSY_PAUSE_NS 20000000L

/* What an errno of a call means. The first row that fits counts. */
static const struct meaning {
    const char *call; /* NULL: any */
    int error;
    zcs_status status;
    const char *text;
} meanings[] = {
    {"open", ENOENT, ZCS_ERR_IO, "there is no such node; 'ls /dev/video*' shows those that are"},
    {"open", EMFILE, ZCS_ERR_IO, "this process has too many open files ('ulimit -n')"},
    {"open", ENFILE, ZCS_ERR_IO, "the system has too many open files"},
    {"VIDIOC_S_INPUT", EINVAL, ZCS_ERR_IO, "the driver has no such input"},
    {"VIDIOC_S_FMT", EINVAL, ZCS_ERR_IO, "the driver does not accept this format or size"},
    {"VIDIOC_G_FMT", EINVAL, ZCS_ERR_IO, "the driver has no format for video capture"},
    {"VIDIOC_REQBUFS", EBUSY, ZCS_ERR_BUSY,
     "another program uses the camera ('fuser -v' with its name shows which), or frames of an "
     "earlier stream are still held"},
    {"VIDIOC_REQBUFS", EINVAL, ZCS_ERR_IO, "the driver does not support this kind of memory"},
    {"VIDIOC_REQBUFS", ENOMEM, ZCS_ERR_NOMEM,
     "the driver has no memory for its buffers: use a smaller size or fewer buffers, or give the "
     "kernel more contiguous memory ('cma=')"},
    {"VIDIOC_QUERYBUF", EINVAL, ZCS_ERR_IO, "the driver does not know the buffer that it gave"},
    {"VIDIOC_QBUF", EINVAL, ZCS_ERR_IO, "the driver does not accept this buffer"},
    {"VIDIOC_QBUF", EFAULT, ZCS_ERR_IO, "the driver cannot reach this memory"},
    {"VIDIOC_DQBUF", EINVAL, ZCS_ERR_IO, "the driver has stopped streaming by itself"},
    {"VIDIOC_DQBUF", EPIPE, ZCS_ERR_IO,
     "the driver reports the end of its stream, or a broken media pipeline"},
    {"VIDIOC_DQBUF", EPROTO, ZCS_ERR_IO,
     "a transfer failed, or the driver returned a buffer that it does not own"},
    {"VIDIOC_STREAMON", ENOSPC, ZCS_ERR_IO,
     "the USB bus has no bandwidth left for this camera (the disk is not meant): use another port, "
     "a smaller size or a lower rate"},
    {"VIDIOC_STREAMON", ENOMEM, ZCS_ERR_NOMEM,
     "the USB bus has no bandwidth left for this camera, or the kernel has no memory: use another "
     "port, a smaller size or a lower rate"},
    {"VIDIOC_STREAMON", EPIPE, ZCS_ERR_IO,
     "formats or sizes of the media pipeline do not match ('media-ctl -p' shows them)"},
    {"VIDIOC_STREAMON", ENOLINK, ZCS_ERR_IO,
     "a link of the media pipeline is missing ('media-ctl -p' shows them)"},
    {"VIDIOC_STREAMON", EINVAL, ZCS_ERR_IO,
     "the driver does not start: a buffer, the format or a link of the media pipeline "
     "('media-ctl -p') is not what it needs"},
    /* As unplugged: it may come back. */
    {"VIDIOC_STREAMON", EIO, ZCS_ERR_GONE,
     "the camera does not answer: check its cable, hub and power"},
    {"VIDIOC_STREAMON", EPROTO, ZCS_ERR_GONE,
     "the transfer to the camera failed: check its cable, hub and power"},
    {"VIDIOC_STREAMON", EILSEQ, ZCS_ERR_GONE,
     "the transfer to the camera failed: check its cable, hub and power"},
    {"VIDIOC_STREAMON", EREMOTEIO, ZCS_ERR_GONE,
     "the sensor does not answer on its I2C bus: check its cable and power"},
    {"VIDIOC_STREAMON", ETIMEDOUT, ZCS_ERR_GONE,
     "the camera does not answer in time: check its cable, hub and power"},
    {NULL, EBUSY, ZCS_ERR_BUSY,
     "another program uses the camera; 'fuser -v' with its name shows which"},
    {NULL, ENODEV, ZCS_ERR_GONE, "the camera was unplugged, or its driver has stopped it"},
    {NULL, ENXIO, ZCS_ERR_GONE, "the camera was unplugged, or its driver has stopped it"},
    {NULL, ESHUTDOWN, ZCS_ERR_GONE, "the camera was unplugged, or its driver has stopped it"},
    {NULL, EACCES, ZCS_ERR_IO,
     "your user may not open it; members of the group 'video' usually may"},
    {NULL, EPERM, ZCS_ERR_IO,
     "your user may not open it; members of the group 'video' usually may"},
    {NULL, ENOMEM, ZCS_ERR_NOMEM, "the kernel has no memory for it"},
    {NULL, EINTR, ZCS_ERR_IO, "signals interrupt every try"},
    {NULL, ENOTTY, ZCS_ERR_IO, "the driver lacks this request"},
    {NULL, EPIPE, ZCS_ERR_IO, "the camera refuses the request, or its media pipeline is broken"},
    {NULL, EIO, ZCS_ERR_IO, "the camera does not answer: check its cable, hub and power"},
    {NULL, EPROTO, ZCS_ERR_IO, "the transfer failed: check the camera's cable, hub and power"},
    {NULL, EILSEQ, ZCS_ERR_IO, "the transfer failed: check the camera's cable, hub and power"},
    {NULL, ETIMEDOUT, ZCS_ERR_IO, "the camera does not answer in time: check its cable and power"},
};

static const struct meaning *meaning_of(const char *call, int error)
{
    static const struct meaning none = {NULL, 0, ZCS_ERR_IO, ""};
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++)
        if (meanings[i].error == error &&
            (meanings[i].call == NULL || strcmp(meanings[i].call, call) == 0))
            return &meanings[i];
    return &none;
}

zcs_status zci_v4l2_status_of(const char *call, int error)
{
    return meaning_of(call, error)->status;
}

zcs_status zci_v4l2_fail(const struct zci_v4l2_device *dev, const char *call, int error)
{
    const struct meaning *meaning = meaning_of(call, error);
    return zci_fail(dev->log, meaning->status, "%s: %s: %s%s%s", dev->path, call, strerror(error),
                    meaning->text[0] != '\0' ? ": " : "", meaning->text);
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
    unsigned tries = 0, interrupted = 0;
    do {
        dev->port.fd = calls->open(calls->user, dev->path);
    } while (dev->port.fd < 0 && ((errno == EINTR && interrupted++ < ZCI_V4L2_MAX_INTERRUPTED) ||
                                  zci_v4l2_retry_busy(errno, &tries)));
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
