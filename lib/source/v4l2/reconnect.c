/* SPDX-License-Identifier: MIT */
/* Reconnect */
#include "source/v4l2/reconnect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/clock.h"
#include "source/v4l2/capture.h"
#include "source/v4l2/memory_mode.h"
#include "source/wait.h"

#define MAX_NODES 256u /* minors of video4linux */

static int node_path(uint32_t n, char *path, size_t bytes)
{
    snprintf(path, bytes, "/dev/video%u", (unsigned)n);
    return n < MAX_NODES;
}

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
            strcmp(other.serial, out->serial) == 0 && strcmp(other.place, out->place) != 0 &&
            other.index == out->index)
            out->twin = 1;
}

/* Whether the node may be the camera's: nodes of others are not opened. */
static int may_be(const struct zci_v4l2_source *source, const char *path)
{
    const struct zci_v4l2_calls *calls = source->dev.port.calls;
    struct zci_v4l2_identity seen;
    return calls->identify(calls->user, path, &seen) == 0 &&
           zci_v4l2_identity_fits(&source->reconnect.identity, &seen);
}

/* The driver's word, which is all there is where sysfs has none. With a serial number any plug will do. */
static int is_it(const struct zci_v4l2_source *source, const struct zci_v4l2_caps *caps)
{
    const struct zci_v4l2_caps *own = &source->dev.caps;
    const struct zci_v4l2_identity *identity = &source->reconnect.identity;
    const int by_serial = identity->serial[0] != '\0' && !identity->twin;
    return strcmp(own->driver, caps->driver) == 0 && strcmp(own->card, caps->card) == 0 &&
           own->capture == caps->capture && own->capture_multi == caps->capture_multi &&
           (by_serial || strcmp(own->bus, caps->bus) == 0);
}

static zcs_status open_at(const struct zci_v4l2_source *source, const char *path,
                          struct zci_v4l2_device *out)
{
    zcs_status status =
        zci_v4l2_device_open(out, path, source->dev.port.calls, &source->reconnect.silent);
    if (status == ZCS_OK && !is_it(source, &out->caps))
        status = zci_fail(&source->reconnect.silent, ZCS_ERR_GONE, "%s is another camera (%s) now",
                          path, out->caps.card);
    if (status != ZCS_OK)
        zci_v4l2_device_close(out);
    return status;
}

/* The name that it was opened by may be a link that is kept up to date; numbers change. */
static zcs_status find(const struct zci_v4l2_source *source, struct zci_v4l2_device *out)
{
    char path[32];
    const char *first = source->reconnect.device;
    zcs_status status = ZCS_ERR_GONE;
    if (may_be(source, first) || source->reconnect.identity.place[0] == '\0')
        status = open_at(source, first, out);
    for (uint32_t n = 0; status != ZCS_OK && node_path(n, path, sizeof path); n++)
        if (strcmp(path, first) != 0 && may_be(source, path))
            status = open_at(source, path, out);
    return status;
}

/* What was agreed is asked for; less will not do, since slots and chain are made for it. */
static zcs_status agree(struct zci_v4l2_source *source, const struct zci_v4l2_device *dev)
{
    const struct zci_v4l2_agreed *own = &source->agreed;
    struct zci_v4l2_agreed agreed;
    struct zcs_v4l2_params wanted = source->reconnect.wanted;
    wanted.format = own->pixfmt;
    wanted.width = own->layout.image.width;
    wanted.height = own->layout.image.height;
    wanted.stride_bytes = own->stride_bytes;
    wanted.fps_num = own->fps_num;
    wanted.fps_den = own->fps_den;
    wanted.accept_nearest = 0;
    zci_v4l2_values_follow(&source->reconnect.values, &source->camera.changes);
    zci_v4l2_values_restore(&source->reconnect.values, &dev->port);
    const zcs_status status = zci_v4l2_negotiate(dev, &wanted, &source->camera.settings, &agreed);
    if (status != ZCS_OK)
        return status;
    if (!zci_v4l2_layout_same(&agreed.layout, &own->layout))
        return zci_fail(dev->log, ZCS_ERR_FORMAT,
                        "%s: frames of %zu bytes lie otherwise than before, when they had %zu",
                        dev->path, agreed.layout.slot_bytes, own->layout.slot_bytes);
    if ((uint64_t)agreed.fps_num * own->fps_den != (uint64_t)own->fps_num * agreed.fps_den)
        zci_log(&source->head.log, ZCS_LOG_WARNING,
                "%s: has %" PRIu32 "/%" PRIu32 " frames a second now, and had %" PRIu32 "/%" PRIu32,
                dev->path, agreed.fps_num, agreed.fps_den, own->fps_num, own->fps_den);
    return ZCS_OK;
}

static zcs_status reopen(struct zci_v4l2_source *source)
{
    struct zci_v4l2_device dev = {.port = {.fd = -1}};
    zcs_status status = find(source, &dev);
    if (status != ZCS_OK)
        return status;
    status = agree(source, &dev);
    if (status != ZCS_OK) {
        zci_v4l2_device_close(&dev);
        return status;
    }
    zci_v4l2_device_close(&source->dev);
    source->dev = dev;
    source->head.fd_epoch++;
    status = zci_v4l2_memory_resume(source);
    if (status == ZCS_OK)
        status = zci_v4l2_capture_start(source);
    if (status != ZCS_OK) {
        zci_v4l2_capture_leave(source);
        return status;
    }
    source->dev.log = zci_v4l2_reconnect_log(source);
    source->watchdog.restarted = 0;
    zci_v4l2_changes_watch(&source->camera.changes, &source->dev.port);
    return ZCS_OK;
}

#define SECOND_NS INT64_C(1000000000)
#define LOOK_NS (SECOND_NS / 10)      /* from one look at the nodes to the next */
#define FOUND_LOOK_NS (SECOND_NS / 2) /* the same where it was found, but not to be had */

static void soften(void *user, enum zcs_log_level level, const char *line)
{
    const struct zci_log *log = user;
    if (level == ZCS_LOG_ERROR)
        level = ZCS_LOG_WARNING;
    zci_log(log, level, "%s", line);
}

static void keep(void *user, enum zcs_log_level level, const char *line)
{
    struct zci_v4l2_reconnect *reconnect = user;
    (void)level;
    if (reconnect->why[0] == '\0')
        snprintf(reconnect->why, sizeof reconnect->why, "%s", line);
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
    reconnect->gentle = (struct zci_log){soften, &source->head.log, source->head.log.level};
    reconnect->silent = (struct zci_log){keep, reconnect, ZCS_LOG_ERROR};
    reconnect->device = copy_text(params->device);
    reconnect->input = params->input != NULL ? copy_text(params->input) : NULL;
    const int unread = reconnect->limit_ns != 0 &&
                       zci_v4l2_values_read(&reconnect->values, &source->dev.port) != 0;
    if (unread || reconnect->device == NULL || (params->input != NULL && reconnect->input == NULL))
        return zci_fail(&source->head.log, ZCS_ERR_NOMEM, "%s: no memory for what it is",
                        params->device);
    reconnect->wanted = *params;
    reconnect->wanted.device = reconnect->device;
    reconnect->wanted.input = reconnect->input;
    if (reconnect->limit_ns != 0)
        identify(calls, params->device, &reconnect->identity);
    return ZCS_OK;
}

void zci_v4l2_reconnect_finish(struct zci_v4l2_source *source)
{
    zci_v4l2_values_finish(&source->reconnect.values);
    free(source->reconnect.device);
    free(source->reconnect.input);
    source->reconnect.device = source->reconnect.input = NULL;
}

const struct zci_log *zci_v4l2_reconnect_log(const struct zci_v4l2_source *source)
{
    return source->reconnect.limit_ns != 0 ? &source->reconnect.gentle : &source->head.log;
}

static zcs_status give_up(const struct zci_v4l2_source *source)
{
    const struct zci_v4l2_reconnect *reconnect = &source->reconnect;
    return zci_fail(&source->head.log, ZCS_ERR_GONE, "%s (%s): did not come back within %.1f s%s%s",
                    source->dev.path, source->dev.caps.card, (double)reconnect->limit_ns / 1e9,
                    reconnect->why[0] != '\0' ? ", or not as it was: " : "", reconnect->why);
}

/* A camera that goes again before it has sent a frame has no further time. */
static zcs_status go_away(struct zci_v4l2_source *source)
{
    struct zci_v4l2_reconnect *reconnect = &source->reconnect;
    const int64_t now_ns = zci_now_ns();
    zci_v4l2_capture_leave(source);
    if (reconnect->proven || reconnect->until_ns == 0) {
        reconnect->until_ns =
            reconnect->limit_ns < INT64_MAX - now_ns ? now_ns + reconnect->limit_ns : INT64_MAX;
        zci_log(&source->head.log, ZCS_LOG_WARNING,
                "%s: waiting for this camera to come back, up to %.1f s", source->dev.path,
                (double)reconnect->limit_ns / 1e9);
    }
    reconnect->proven = 0;
    reconnect->since_ns = now_ns;
    reconnect->look_ns = now_ns + LOOK_NS;
    return now_ns < reconnect->until_ns ? ZCS_OK : give_up(source);
}

/* ZCS_OK: it is back. ZCS_AGAIN: not so far. */
static zcs_status look(struct zci_v4l2_source *source)
{
    struct zci_v4l2_reconnect *reconnect = &source->reconnect;
    reconnect->why[0] = '\0';
    if (reopen(source) == ZCS_OK) {
        zci_log(&source->head.log, ZCS_LOG_WARNING, "%s: the camera is back after %.1f s",
                source->dev.path, (double)(zci_now_ns() - reconnect->since_ns) / 1e9);
        reconnect->since_ns = 0;
        reconnect->back = 1;
        return ZCS_OK;
    }
    const int64_t now_ns = zci_now_ns();
    if (now_ns >= reconnect->until_ns)
        return give_up(source);
    reconnect->look_ns = now_ns + (reconnect->why[0] != '\0' ? FOUND_LOOK_NS : LOOK_NS);
    if (reconnect->look_ns > reconnect->until_ns)
        reconnect->look_ns = reconnect->until_ns;
    return ZCS_AGAIN;
}

/* ZCS_OK: it is there. ZCS_AGAIN: the deadline passed, or a signal came. */
static zcs_status wait_for(struct zci_v4l2_source *source, int64_t deadline_ns)
{
    const struct zci_v4l2_reconnect *reconnect = &source->reconnect;
    while (reconnect->since_ns != 0) {
        if (zci_wait_until(reconnect->look_ns, deadline_ns) != ZCS_OK)
            return ZCS_AGAIN;
        const zcs_status status = look(source);
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
        const zcs_status waited = wait_for(source, deadline_ns);
        if (waited != ZCS_OK)
            return waited;
        const zcs_status status = zci_v4l2_capture_next(source, zci_left_ns(deadline_ns), out);
        source->reconnect.proven |= status == ZCS_OK;
        if (status >= 0 || status == ZCS_ERR_FORMAT || source->reconnect.limit_ns == 0)
            return status;
        const zcs_status left = go_away(source);
        if (left != ZCS_OK)
            return left;
    }
}
