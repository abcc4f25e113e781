/* SPDX-License-Identifier: MIT */
/* Trying memory modes in turn, and keeping the reason why each one was not possible. */
#include "source/v4l2/memory_mode.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MIN_BUFFERS 2u

struct mode {
    enum zcs_path path;
    enum zci_v4l2_memory memory;
    uint32_t can;
    enum zci_v4l2_mapping_kind mapping;
    const char *note; /* the end of the reason where this mode is used */
};

static const struct mode modes[] = {
    {ZCS_PATH_USERPTR, ZCI_V4L2_USERPTR, ZCI_V4L2_CAN_USERPTR, ZCI_V4L2_MAPPING_NONE,
     "the driver writes into the slots"},
    {ZCS_PATH_USERPTR, ZCI_V4L2_USERPTR, ZCI_V4L2_CAN_USERPTR, ZCI_V4L2_MAPPING_PAGES,
     "the driver writes into plain pages, registered with the backend"},
    {ZCS_PATH_DMABUF, ZCI_V4L2_DMABUF, ZCI_V4L2_CAN_DMABUF, ZCI_V4L2_MAPPING_DMABUF,
     "the driver writes into a memfd through dma-bufs"},
    {ZCS_PATH_REGISTERED, ZCI_V4L2_MMAP, ZCI_V4L2_CAN_MMAP, ZCI_V4L2_MAPPING_DRIVER,
     "the driver's own buffers are the slots"},
    {ZCS_PATH_COPIED, ZCI_V4L2_MMAP, ZCI_V4L2_CAN_MMAP, ZCI_V4L2_MAPPING_DRIVER,
     "the driver's buffers are copied"},
};
#define MODE_COUNT (sizeof modes / sizeof modes[0])

/* Adds to the reason. Returns ZCS_ERR_UNSUPPORTED, after which the next mode is tried. */
static zcs_status refuse(struct zci_v4l2_source *source, const struct mode *mode, const char *what,
                         const char *why)
{
    const size_t length = strlen(source->reason);
    snprintf(source->reason + length, sizeof source->reason - length, "%s%s: %s: %s",
             length ? "; " : "", zcs_path_name(mode->path), what, why);
    return ZCS_ERR_UNSUPPORTED;
}

/* Errors that every other mode would meet as well end the negotiation. */
static zcs_status refuse_errno(struct zci_v4l2_source *source, const struct mode *mode,
                               const char *what, int error)
{
    const zcs_status status = zci_v4l2_status_of(what, error);
    if (status == ZCS_ERR_GONE || status == ZCS_ERR_BUSY)
        return zci_v4l2_fail(&source->dev, what, error);
    return refuse(source, mode, what, strerror(error));
}

static zcs_status request(struct zci_v4l2_source *source, const struct mode *mode, uint32_t *count)
{
    const uint32_t wanted = *count;
    unsigned tries = 0;
    uint32_t can = 0;
    int error, again = 1;
    do {
        *count = wanted;
        error = zci_v4l2_reqbufs(&source->dev.port, mode->memory, count, &can);
    } while ((error == EINVAL && again-- > 0) || zci_v4l2_retry_busy(error, &tries));
    if (error != 0)
        return refuse_errno(source, mode, "VIDIOC_REQBUFS", error);
    if (can != 0 && !(can & mode->can))
        return refuse(source, mode, "VIDIOC_REQBUFS", "not among the driver's capabilities");
    if (*count < MIN_BUFFERS)
        return refuse(source, mode, "VIDIOC_REQBUFS", "the driver gives fewer than 2 buffers");
    if (*count > ZCI_V4L2_MAX_BUFFERS)
        *count = ZCI_V4L2_MAX_BUFFERS;
    source->buffers.count = *count;
    return ZCS_OK;
}

static zcs_status make_pool(struct zci_v4l2_source *source, const struct mode *mode,
                            enum zcs_role role, uint32_t count)
{
    struct zci_v4l2_mapping *map = NULL;
    if (mode->mapping != ZCI_V4L2_MAPPING_NONE) {
        const char *what = "";
        const int error = zci_v4l2_mapping_create(mode->mapping, &source->dev.port,
                                                  &source->negotiated.layout, count, &map, &what);
        if (error != 0)
            return refuse_errno(source, mode, what, error);
    }
    const int given = map != NULL && mode->path != ZCS_PATH_COPIED;
    const struct zci_pool_params params = {
        .backend = source->head.backend,
        .role = role,
        .bytes = source->negotiated.layout.slot_bytes,
        .count = count,
        .min = MIN_BUFFERS,
        .what = "capture slots",
        .nodes = source->head.nodes,
        .node_count = source->head.node_count,
        .given = given ? map->base : NULL,
        .let_go = given ? zci_v4l2_mapping_destroy : NULL,
        .let_go_user = map,
    };
    const zcs_status status = zci_pool_create(&params, &source->head.pool);
    if (status != ZCS_OK) {
        zci_v4l2_mapping_destroy(map);
        return given ? refuse(source, mode, "registering", zcs_strerror(status)) : status;
    }
    source->buffers.mapping = map;
    if (mode->path != ZCS_PATH_COPIED)
        source->buffers.count = zci_pool_count(source->head.pool);
    return ZCS_OK;
}

/* *granted: whether the driver supports this kind of memory at all. */
static zcs_status try_mode(struct zci_v4l2_source *source, const struct mode *mode,
                           enum zcs_role role, uint32_t count, int *granted)
{
    struct zci_v4l2_buffers *buffers = &source->buffers;
    *buffers = (struct zci_v4l2_buffers){.dev = &source->dev,
                                         .layout = &source->negotiated.layout,
                                         .memory = mode->memory,
                                         .path = mode->path};
    if (mode->path == ZCS_PATH_REGISTERED && zci_v4l2_device_shares_buffers(&source->dev)) {
        *granted = 1;
        return refuse(source, mode, source->dev.caps.driver,
                      "its feeder writes into buffers that are being read");
    }
    zcs_status status = request(source, mode, &count);
    *granted = buffers->count > 0;
    buffers->unwritten = UINT32_MAX;
    if (status == ZCS_OK)
        status = make_pool(source, mode, role, count);
    if (status == ZCS_OK) {
        const int error = zci_v4l2_buffers_queue_all(buffers, source->head.pool);
        if (error != 0)
            status = refuse_errno(source, mode, "VIDIOC_QBUF", error);
    }
    if (status != ZCS_OK) {
        zci_pool_drop(&source->head.pool);
        zci_v4l2_buffers_finish(buffers);
    }
    return status;
}

static zcs_status no_mode_left(const struct zci_v4l2_source *source)
{
    return zci_fail(source->dev.log, ZCS_ERR_UNSUPPORTED, "%s (%s): no capture path: %s",
                    source->dev.path, source->dev.caps.driver, source->reason);
}

static void explain(struct zci_v4l2_source *source, const struct mode *mode)
{
    const size_t length = strlen(source->reason);
    snprintf(source->reason + length, sizeof source->reason - length, "%s%s", length ? "; so " : "",
             mode->note);
    zci_log(&source->head.log, ZCS_LOG_INFO, "%s (%s): path %s: %s", source->dev.path,
            source->dev.caps.driver, zcs_path_name(mode->path), source->reason);
}

/* Tries the modes from `first` on. `unsupported`: ZCI_V4L2_CAN_... to pass over. */
static zcs_status try_modes(struct zci_v4l2_source *source, size_t first, uint32_t unsupported,
                            enum zcs_role role, uint32_t count)
{
    for (size_t i = first; i < MODE_COUNT; i++) {
        if ((source->wanted_path != ZCS_PATH_NONE && source->wanted_path != modes[i].path) ||
            (unsupported & modes[i].can))
            continue;
        int granted = 0;
        const zcs_status status = try_mode(source, &modes[i], role, count, &granted);
        unsupported |= granted ? 0 : modes[i].can;
        if (status == ZCS_OK) {
            explain(source, &modes[i]);
            source->mode = i;
            source->mode_proven = 0;
        }
        if (status != ZCS_ERR_UNSUPPORTED)
            return status;
    }
    return ZCS_ERR_UNSUPPORTED;
}

/* Slots to ask for: what the stream wants, and what the driver keeps for itself. */
static uint32_t slots_for(const struct zci_v4l2_source *source, uint32_t count)
{
    const uint32_t own = zci_v4l2_min_buffers(&source->dev.port);
    count += own > 1 ? own - 1 : 0;
    count = count < MIN_BUFFERS ? MIN_BUFFERS : count;
    return count < ZCI_V4L2_MAX_BUFFERS ? count : ZCI_V4L2_MAX_BUFFERS;
}

zcs_status zci_v4l2_memory_negotiate(struct zci_v4l2_source *source, enum zcs_role role,
                                     uint32_t count)
{
    source->reason[0] = '\0';
    const zcs_status status = try_modes(source, 0, 0, role, slots_for(source, count));
    return status == ZCS_ERR_UNSUPPORTED ? no_mode_left(source) : status;
}

/* The driver's own buffers were the slots, and are gone. Frames in them that are held stay
 * valid. */
static zcs_status remake_pool(struct zci_v4l2_source *source)
{
    const enum zcs_path wanted = source->wanted_path;
    struct zci_pool *old = source->head.pool;
    source->head.pool = NULL;
    source->wanted_path = source->buffers.path;
    const zcs_status status = zci_v4l2_memory_negotiate(source, source->role, source->slots);
    source->wanted_path = wanted;
    if (status != ZCS_OK) {
        source->head.pool = old;
        return status;
    }
    zci_pool_set_notifier(source->head.pool, zci_pool_notifier(old));
    zci_pool_drop(&old);
    return ZCS_OK;
}

zcs_status zci_v4l2_memory_next(struct zci_v4l2_source *source)
{
    const struct mode *mode = &modes[source->mode];
    const struct zci_v4l2_buffers buffers = source->buffers;
    struct zci_pool *old = source->head.pool;
    (void)refuse(source, mode, "streaming", "no good frame came");
    source->head.pool = NULL;
    const zcs_status status = try_modes(source, source->mode + 1, mode->can, source->role,
                                        slots_for(source, source->slots));
    if (status != ZCS_OK) {
        source->head.pool = old;
        source->buffers = buffers;
        return status == ZCS_ERR_UNSUPPORTED ? ZCS_AGAIN : status;
    }
    zci_pool_set_notifier(source->head.pool, zci_pool_notifier(old));
    zci_pool_drop(&old);
    return ZCS_OK;
}

zcs_status zci_v4l2_memory_resume(struct zci_v4l2_source *source)
{
    struct zci_v4l2_buffers *buffers = &source->buffers;
    const struct zci_v4l2_port *port = &source->dev.port;
    if (buffers->path == ZCS_PATH_REGISTERED)
        return remake_pool(source);
    uint32_t count = buffers->count, can = 0;
    const char *what = "VIDIOC_REQBUFS";
    int error = zci_v4l2_reqbufs(port, buffers->memory, &count, &can);
    if (error == 0 && count < buffers->count)
        return zci_fail(source->dev.log, ZCS_ERR_UNSUPPORTED,
                        "%s: the driver gives %" PRIu32 " buffers, and gave %" PRIu32 " before",
                        source->dev.path, count, buffers->count);
    if (error == 0 && buffers->path == ZCS_PATH_COPIED)
        error = zci_v4l2_mapping_create(ZCI_V4L2_MAPPING_DRIVER, port, buffers->layout,
                                        buffers->count, &buffers->mapping, &what);
    if (error == 0) {
        what = "VIDIOC_QBUF";
        buffers->unwritten = UINT32_MAX;
        error = zci_v4l2_buffers_queue_all(buffers, source->head.pool);
    }
    return error == 0 ? ZCS_OK : zci_v4l2_fail(&source->dev, what, error);
}
