/* SPDX-License-Identifier: MIT */
/* Disconnect and reconnect: finding a lost camera, reopening it, and when it is given up. */
#include "source/v4l2/reconnect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/clock.h"
#include "source/v4l2/capture.h"
#include "source/v4l2/memory_mode.h"
#include "source/v4l2/streaming.h"
#include "source/wait.h"

#define SECOND_NS INT64_C(1000000000)
#define PROBE_NS (SECOND_NS / 10)      /* between two searches of the nodes */
#define FOUND_PROBE_NS (SECOND_NS / 2) /* the same while it is found but cannot be reopened */
#define MAX_NODES 256u                 /* minors of video4linux */

/* The path of the n-th node that may exist; 0 beyond the last. */
static int node_path(uint32_t n, char *path, size_t bytes)
{
    snprintf(path, bytes, "/dev/video%u", (unsigned)n);
    return n < MAX_NODES;
}

/* Reads the identity of the node at `path`, and whether another camera has the same serial
 * number. */
static void identify(const struct zci_v4l2_calls *calls, const char *path,
                     struct zci_v4l2_identity *out)
{
    char other_path[32];
    struct zci_v4l2_identity other;
    *out = (struct zci_v4l2_identity){.index = 0};
    if (calls->identify(calls->user, path, out) != 0 || out->serial[0] == '\0')
        return;
    for (uint32_t n = 0; node_path(n, other_path, sizeof other_path); n++)
        if (calls->identify(calls->user, other_path, &other) == 0 &&
            strcmp(other.serial, out->serial) == 0 &&
            strcmp(other.sysfs_path, out->sysfs_path) != 0 && other.index == out->index)
            out->duplicate_serial = 1;
}

/* 1: the node may be the lost camera's. Nodes of other cameras are not opened. */
static int may_be(const struct zci_v4l2_source *source, const char *path)
{
    const struct zci_v4l2_calls *calls = source->dev.port.calls;
    struct zci_v4l2_identity seen;
    return calls->identify(calls->user, path, &seen) == 0 &&
           zci_v4l2_identity_matches(&source->reconnect.identity, &seen);
}

/* Compares what the driver reports: sysfs may know nothing. With a serial number the bus may
 * differ. */
static int same_camera(const struct zci_v4l2_source *source, const struct zci_v4l2_caps *caps)
{
    const struct zci_v4l2_caps *own = &source->dev.caps;
    const struct zci_v4l2_identity *identity = &source->reconnect.identity;
    const int by_serial = identity->serial[0] != '\0' && !identity->duplicate_serial;
    return strcmp(own->driver, caps->driver) == 0 && strcmp(own->card, caps->card) == 0 &&
           own->capture == caps->capture && own->capture_mplane == caps->capture_mplane &&
           (by_serial || strcmp(own->bus, caps->bus) == 0);
}

static zcs_status open_node(const struct zci_v4l2_source *source, const char *path,
                            struct zci_v4l2_device *out)
{
    zcs_status status =
        zci_v4l2_device_open(out, path, source->dev.port.calls, &source->reconnect.probe_log);
    if (status == ZCS_OK && !same_camera(source, &out->caps))
        status = zci_fail(&source->reconnect.probe_log, ZCS_ERR_GONE,
                          "%s is another camera (%s) now", path, out->caps.card);
    if (status != ZCS_OK)
        zci_v4l2_device_close(out);
    return status;
}

/* The path that it was opened by comes first: it may be a link that udev keeps up to date. */
static zcs_status find(const struct zci_v4l2_source *source, struct zci_v4l2_device *out)
{
    char path[32];
    const char *first = source->reconnect.device;
    zcs_status status = ZCS_ERR_GONE;
    if (may_be(source, first) || source->reconnect.identity.sysfs_path[0] == '\0')
        status = open_node(source, first, out);
    for (uint32_t n = 0; status != ZCS_OK && node_path(n, path, sizeof path); n++)
        if (strcmp(path, first) != 0 && may_be(source, path))
            status = open_node(source, path, out);
    return status;
}

/* Asks for what was negotiated before. Nothing else will do: slots and chain were made for it. */
static zcs_status renegotiate(struct zci_v4l2_source *source, const struct zci_v4l2_device *dev)
{
    const struct zci_v4l2_negotiated *own = &source->negotiated;
    struct zci_v4l2_negotiated negotiated;
    struct zcs_v4l2_params wanted = source->reconnect.params;
    wanted.format = own->pixfmt;
    wanted.width = own->layout.image.width;
    wanted.height = own->layout.image.height;
    wanted.stride_bytes = own->stride_bytes;
    wanted.fps_num = own->fps_num;
    wanted.fps_den = own->fps_den;
    wanted.accept_nearest = 0;
    zci_v4l2_snapshot_update(&source->reconnect.snapshot, &source->camera.events);
    zci_v4l2_snapshot_restore(&source->reconnect.snapshot, &dev->port);
    const zcs_status status =
        zci_v4l2_negotiate(dev, &wanted, &source->camera.settings, &negotiated);
    if (status != ZCS_OK)
        return status;
    if (!zci_v4l2_layout_same(&negotiated.layout, &own->layout))
        return zci_fail(dev->log, ZCS_ERR_FORMAT,
                        "%s: the frame layout changed: %zu bytes a frame, %zu before", dev->path,
                        negotiated.layout.slot_bytes, own->layout.slot_bytes);
    if ((uint64_t)negotiated.fps_num * own->fps_den != (uint64_t)own->fps_num * negotiated.fps_den)
        zci_log(&source->head.log, ZCS_LOG_WARNING,
                "%s: has %" PRIu32 "/%" PRIu32 " frames a second now, and had %" PRIu32 "/%" PRIu32,
                dev->path, negotiated.fps_num, negotiated.fps_den, own->fps_num, own->fps_den);
    return ZCS_OK;
}

/* One try to find and reopen the camera. On failure nothing is open, and reconnect.error tells why;
 * it is "" where the camera was not found. */
static zcs_status reopen(struct zci_v4l2_source *source)
{
    struct zci_v4l2_device dev = {.port = {.fd = -1}};
    zcs_status status = find(source, &dev);
    if (status != ZCS_OK)
        return status;
    status = renegotiate(source, &dev);
    if (status != ZCS_OK) {
        zci_v4l2_device_close(&dev);
        return status;
    }
    zci_v4l2_device_close(&source->dev);
    source->dev = dev;
    source->head.fd_epoch++;
    status = zci_v4l2_memory_resume(source);
    if (status == ZCS_OK)
        status = zci_v4l2_streaming_start(source);
    if (status != ZCS_OK) {
        zci_v4l2_streaming_disconnect(source);
        return status;
    }
    source->dev.log = zci_v4l2_reconnect_log(source);
    source->watchdog.restarted = 0;
    zci_v4l2_events_subscribe(&source->camera.events, &source->dev.port);
    return ZCS_OK;
}

/* Logs errors as warnings. */
static void log_as_warning(void *user, enum zcs_log_level level, const char *line)
{
    const struct zci_log *log = user;
    if (level == ZCS_LOG_ERROR)
        level = ZCS_LOG_WARNING;
    zci_log(log, level, "%s", line);
}

static void keep_first_error(void *user, enum zcs_log_level level, const char *line)
{
    struct zci_v4l2_reconnect *reconnect = user;
    (void)level;
    if (reconnect->error[0] == '\0')
        snprintf(reconnect->error, sizeof reconnect->error, "%s", line);
}

static char *copy_text(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    if (copy != NULL)
        memcpy(copy, text, bytes);
    return copy;
}

zcs_status zci_v4l2_reconnect_init(struct zci_v4l2_source *source,
                                   const struct zcs_v4l2_params *params,
                                   const struct zci_v4l2_calls *calls)
{
    struct zci_v4l2_reconnect *reconnect = &source->reconnect;
    reconnect->limit_ns = params->reconnect_ns;
    reconnect->warning_log =
        (struct zci_log){log_as_warning, &source->head.log, source->head.log.level};
    reconnect->probe_log = (struct zci_log){keep_first_error, reconnect, ZCS_LOG_ERROR};
    reconnect->device = copy_text(params->device);
    reconnect->input = params->input != NULL ? copy_text(params->input) : NULL;
    const int unread = reconnect->limit_ns != 0 &&
                       zci_v4l2_snapshot_take(&reconnect->snapshot, &source->dev.port) != 0;
    if (unread || reconnect->device == NULL || (params->input != NULL && reconnect->input == NULL))
        return zci_fail(&source->head.log, ZCS_ERR_NOMEM, "%s: no memory for its identity",
                        params->device);
    reconnect->params = *params;
    reconnect->params.device = reconnect->device;
    reconnect->params.input = reconnect->input;
    if (reconnect->limit_ns != 0)
        identify(calls, params->device, &reconnect->identity);
    return ZCS_OK;
}

void zci_v4l2_reconnect_finish(struct zci_v4l2_source *source)
{
    zci_v4l2_snapshot_finish(&source->reconnect.snapshot);
    free(source->reconnect.device);
    free(source->reconnect.input);
    source->reconnect.device = source->reconnect.input = NULL;
}

const struct zci_log *zci_v4l2_reconnect_log(const struct zci_v4l2_source *source)
{
    return source->reconnect.limit_ns != 0 ? &source->reconnect.warning_log : &source->head.log;
}

static zcs_status give_up(const struct zci_v4l2_source *source)
{
    const struct zci_v4l2_reconnect *reconnect = &source->reconnect;
    return zci_fail(&source->head.log, ZCS_ERR_GONE, "%s (%s): did not come back within %.1f s%s%s",
                    source->dev.path, source->dev.caps.card, (double)reconnect->limit_ns / 1e9,
                    reconnect->error[0] != '\0' ? ", or not as it was: " : "", reconnect->error);
}

/* A camera that is lost again before it has sent a frame gets no additional time. */
zcs_status zci_v4l2_reconnect_lose(struct zci_v4l2_source *source)
{
    struct zci_v4l2_reconnect *reconnect = &source->reconnect;
    const int64_t now_ns = zci_now_ns();
    zci_v4l2_streaming_disconnect(source);
    if (reconnect->delivered || reconnect->give_up_ns == 0) {
        reconnect->give_up_ns =
            reconnect->limit_ns < INT64_MAX - now_ns ? now_ns + reconnect->limit_ns : INT64_MAX;
        zci_log(&source->head.log, ZCS_LOG_WARNING,
                "%s: waiting for this camera to come back, up to %.1f s", source->dev.path,
                (double)reconnect->limit_ns / 1e9);
    }
    reconnect->delivered = 0;
    reconnect->lost_since_ns = now_ns;
    reconnect->next_probe_ns = now_ns + PROBE_NS;
    return now_ns < reconnect->give_up_ns ? ZCS_OK : give_up(source);
}

/* ZCS_OK: the camera is back. ZCS_AGAIN: it is not. */
static zcs_status probe(struct zci_v4l2_source *source)
{
    struct zci_v4l2_reconnect *reconnect = &source->reconnect;
    reconnect->error[0] = '\0';
    if (reopen(source) == ZCS_OK) {
        zci_log(&source->head.log, ZCS_LOG_WARNING, "%s: the camera is back after %.1f s",
                source->dev.path, (double)(zci_now_ns() - reconnect->lost_since_ns) / 1e9);
        reconnect->lost_since_ns = 0;
        reconnect->resumed = 1;
        return ZCS_OK;
    }
    const int64_t now_ns = zci_now_ns();
    if (now_ns >= reconnect->give_up_ns)
        return give_up(source);
    reconnect->next_probe_ns = now_ns + (reconnect->error[0] != '\0' ? FOUND_PROBE_NS : PROBE_NS);
    if (reconnect->next_probe_ns > reconnect->give_up_ns)
        reconnect->next_probe_ns = reconnect->give_up_ns;
    return ZCS_AGAIN;
}

/* ZCS_OK: the camera is connected. ZCS_AGAIN: the deadline passed, or a signal interrupted the
 * wait. */
static zcs_status wait_for_camera(struct zci_v4l2_source *source, int64_t deadline_ns)
{
    const struct zci_v4l2_reconnect *reconnect = &source->reconnect;
    while (reconnect->lost_since_ns != 0) {
        if (zci_wait_until(reconnect->next_probe_ns, deadline_ns) != ZCS_OK)
            return ZCS_AGAIN;
        const zcs_status status = probe(source);
        if (status < 0)
            return status;
    }
    return ZCS_OK;
}

zcs_status zci_v4l2_reconnect_next(struct zci_v4l2_source *source, int64_t timeout_ns,
                                   struct zci_slot **out)
{
    const int64_t deadline_ns = zci_deadline_ns(timeout_ns);
    for (;;) {
        const zcs_status waited = wait_for_camera(source, deadline_ns);
        if (waited != ZCS_OK)
            return waited;
        const zcs_status status = zci_v4l2_capture_next(source, zci_left_ns(deadline_ns), out);
        source->reconnect.delivered |= status == ZCS_OK;
        if (status >= 0 || status == ZCS_ERR_FORMAT || source->reconnect.limit_ns == 0)
            return status;
        const zcs_status lost = zci_v4l2_reconnect_lose(source);
        if (lost != ZCS_OK)
            return lost;
    }
}
