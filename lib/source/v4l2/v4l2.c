/* SPDX-License-Identifier: MIT */
/* The V4L2 source: opening a camera, and its zci_source_ops. */
#include "source/v4l2/source.h"

#include <inttypes.h>
#include <stdlib.h>

#include "context/context.h"
#include "source/camera_args.h"
#include "source/v4l2/memory_mode.h"
#include "source/v4l2/reconnect.h"
#include "source/v4l2/streaming.h"

static struct zci_v4l2_source *source_of(zcs_source *base)
{
    return (struct zci_v4l2_source *)base;
}

/* A forked child must not take its parent's frames. */
static zcs_status check_owner(const struct zci_v4l2_source *source)
{
    if (zci_fork_guard_same_process(&source->fork_guard))
        return ZCS_OK;
    return zci_fail(&source->head.log, ZCS_ERR_DEVICE,
                    "%s: a forked child cannot use its parent's camera", source->dev.path);
}

/* For a further stream on the same source the old slots are released first. */
static zcs_status v4l2_make_pool(zcs_source *base, enum zcs_role role, uint32_t count)
{
    struct zci_v4l2_source *source = source_of(base);
    const zcs_status owned = check_owner(source);
    if (owned != ZCS_OK)
        return owned;
    if (source->dev.port.fd < 0)
        return zci_fail(&base->log, ZCS_ERR_GONE, "%s: the camera is disconnected",
                        source->dev.path);
    zci_pool_drop(&base->pool);
    source->dev.log = &base->log;
    source->role = role;
    source->slots = count;
    zci_v4l2_streaming_stop(source);
    zcs_status status = zci_v4l2_memory_negotiate(source, role, count);
    source->dev.log = zci_v4l2_reconnect_log(source);
    if (status == ZCS_OK)
        status = zci_v4l2_streaming_start(source);
    if (status == ZCS_ERR_GONE && base->pool != NULL && source->reconnect.limit_ns != 0)
        status = zci_v4l2_reconnect_lose(source);
    if (status != ZCS_OK) {
        zci_pool_drop(&base->pool);
        zci_v4l2_streaming_stop(source);
    }
    return status;
}

static zcs_status v4l2_next(zcs_source *base, int64_t timeout_ns, struct zci_slot **out)
{
    const zcs_status owned = check_owner(source_of(base));
    return owned == ZCS_OK ? zci_v4l2_reconnect_next(source_of(base), timeout_ns, out) : owned;
}

static enum zcs_role v4l2_role(const zcs_source *base)
{
    const struct zci_v4l2_source *source = (const struct zci_v4l2_source *)base;
    return zci_v4l2_device_cpu_writes(&source->dev) ? ZCS_ROLE_INGEST_CACHED : ZCS_ROLE_INGEST;
}

/* Also for drivers that should write by DMA: some use a bounce buffer. */
static int v4l2_aliased(const zcs_source *base)
{
    return ((const struct zci_v4l2_source *)base)->buffers.path == ZCS_PATH_USERPTR;
}

/* -1 while the camera is disconnected, or while poll would only report an error again. */
static int v4l2_fd(const zcs_source *base)
{
    const struct zci_v4l2_source *source = (const struct zci_v4l2_source *)base;
    return source->backoff_until_ns != 0 ? -1 : source->dev.port.fd;
}

/* When a stream must call next without a frame: for the watchdog, after a backoff, or for the next
 * search of a camera that is disconnected. */
static int64_t v4l2_due_ns(const zcs_source *base)
{
    const struct zci_v4l2_source *source = (const struct zci_v4l2_source *)base;
    if (source->reconnect.lost_since_ns != 0)
        return source->reconnect.next_probe_ns;
    if (source->backoff_until_ns != 0)
        return source->backoff_until_ns;
    const int64_t due_ns = zci_v4l2_watchdog_due_ns(&source->watchdog);
    return due_ns == INT64_MAX ? 0 : due_ns;
}

static void v4l2_close(zcs_source *base)
{
    struct zci_v4l2_source *source = source_of(base);
    if (!zci_fork_guard_same_process(&source->fork_guard)) {
        /* The stream is the parent's: STREAMOFF would end it. */
        source->streaming = 0;
        zci_v4l2_device_close_node(&source->dev);
    }
    zci_v4l2_streaming_stop(source);
    zci_v4l2_device_close(&source->dev);
    zci_v4l2_settings_finish(&source->camera.settings);
    zci_v4l2_reconnect_finish(source);
    zci_fork_guard_finish(&source->fork_guard);
    free(source);
}

static zcs_camera *v4l2_camera(zcs_source *base)
{
    return &source_of(base)->camera;
}

static const struct zci_source_ops v4l2_ops = {
    .kind = "v4l2",
    .make_pool = v4l2_make_pool,
    .next = v4l2_next,
    .role = v4l2_role,
    .aliased = v4l2_aliased,
    .fd = v4l2_fd,
    .due_ns = v4l2_due_ns,
    .camera = v4l2_camera,
    .close = v4l2_close,
};

static zcs_status check_params(const struct zci_log *log, const struct zcs_v4l2_params *params)
{
    if ((params->fps_num == 0) != (params->fps_den == 0))
        return zci_fail(log, ZCS_ERR_ARG, "%s: %" PRIu32 "/%" PRIu32 " frames a second is no rate",
                        params->device, params->fps_num, params->fps_den);
    if ((params->width == 0) != (params->height == 0))
        return zci_fail(log, ZCS_ERR_ARG, "%s: %" PRIu32 "x%" PRIu32 " is not a size",
                        params->device, params->width, params->height);
    if (params->stride_bytes > INT32_MAX)
        return zci_fail(log, ZCS_ERR_ARG, "%s: rows of %zu bytes: the maximum is %" PRId32,
                        params->device, params->stride_bytes, INT32_MAX);
    if (params->reconnect_ns < 0)
        return zci_fail(log, ZCS_ERR_ARG, "%s: reconnect_ns is %" PRId64 ", which is negative",
                        params->device, params->reconnect_ns);
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(params->treat_as);
    if (params->treat_as != ZCS_PIXFMT_NONE && (info == NULL || info->model == ZCS_MODEL_JPEG))
        return zci_fail(log, ZCS_ERR_ARG, "%s: nothing can be treated as format %d", params->device,
                        (int)params->treat_as);
    if (params->path != ZCS_PATH_NONE &&
        (params->path < ZCS_PATH_USERPTR || params->path > ZCS_PATH_COPIED))
        return zci_fail(log, ZCS_ERR_ARG, "%s: a camera has no path %d", params->device,
                        (int)params->path);
    for (uint32_t i = 0; i < params->control_count; i++)
        if (params->controls == NULL || params->controls[i] == NULL)
            return zci_fail(log, ZCS_ERR_ARG, "%s: control_count is %" PRIu32 ", but %s is NULL",
                            params->device, params->control_count,
                            params->controls == NULL ? "controls" : "one of controls");
    return ZCS_OK;
}

static zcs_status init_camera(struct zci_v4l2_source *source, const struct zcs_v4l2_params *params)
{
    source->camera.dev = &source->dev;
    source->camera.capturing = 1;
    for (uint32_t i = 0; i < params->control_count; i++)
        if (zci_v4l2_settings_put(&source->camera.settings, params->controls[i]) != 0)
            return zci_fail(&source->head.log, ZCS_ERR_NOMEM, "%s: no memory for its controls",
                            params->device);
    return ZCS_OK;
}

static zcs_status open_source(struct zci_v4l2_source *source, const struct zcs_v4l2_params *params,
                              const struct zci_v4l2_calls *calls)
{
    zcs_source *head = &source->head;
    zcs_status status = check_params(&head->log, params);
    if (status == ZCS_OK)
        status = zci_v4l2_device_open(&source->dev, params->device, calls, &head->log);
    if (status == ZCS_OK)
        status = init_camera(source, params);
    if (status == ZCS_OK)
        status =
            zci_v4l2_negotiate(&source->dev, params, &source->camera.settings, &source->negotiated);
    if (status != ZCS_OK)
        return status;
    zci_v4l2_events_subscribe(&source->camera.events, &source->dev.port);
    status = zci_v4l2_reconnect_init(source, params, calls);
    if (status != ZCS_OK)
        return status;
    head->fd_urgent = source->camera.events.source_change != ZCI_V4L2_SOURCE_CHANGE_UNREPORTED;
    source->wanted_path = params->path;
    source->stall_ns = params->stall_ns;
    head->image = source->negotiated.layout.image;
    head->fps_num = source->negotiated.fps_num;
    head->fps_den = source->negotiated.fps_den;
    head->live = 1;
    head->path_reason = source->reason;
    return ZCS_OK;
}

zcs_status zci_v4l2_open(zcs_context *ctx, const struct zcs_v4l2_params *params,
                         const struct zci_v4l2_calls *calls, zcs_source **out)
{
    if (zci_check_v4l2_args(ctx, params, out) != ZCS_OK)
        return ZCS_ERR_ARG;
    struct zci_v4l2_source *source = calloc(1, sizeof *source);
    if (source == NULL)
        return zci_fail(&ctx->log, ZCS_ERR_NOMEM, "%s: no memory for a source", params->device);
    source->dev.port.fd = -1;
    zci_fork_guard_init(&source->fork_guard);
    zci_source_init(&source->head, &v4l2_ops, ctx);
    zcs_source *base = &source->head;
    const zcs_status status = open_source(source, params, calls);
    if (status != ZCS_OK) {
        zcs_source_close(&base);
        return status;
    }
    *out = base;
    return ZCS_OK;
}

zcs_status zcs_source_open_v4l2(zcs_context *ctx, const struct zcs_v4l2_params *params,
                                zcs_source **out)
{
    return zci_v4l2_open(ctx, params, &zci_v4l2_system, out);
}
