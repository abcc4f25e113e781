/* SPDX-License-Identifier: MIT */
/* What all sources have in common: the head, the pool of slots, and frames without a stream. */
#include "source/source.h"

#include "context/context.h"

/* The slots of a source without a stream: enough for an application that keeps a few frames. */
#define OWN_SLOTS 8
#define OWN_MIN 2

void zci_source_init(zcs_source *source, const struct zci_source_ops *ops, zcs_context *ctx)
{
    *source = (struct zcs_source){
        .ops = ops,
        .backend = zci_context_take_backend(ctx),
        .path_reason = "no frame so far",
    };
    source->log = zci_log_limit(&source->limiter, &ctx->log);
}

void zci_source_watch_fd(zcs_source *source, int watched)
{
    if (source->ops->watch_fd != NULL)
        source->ops->watch_fd(source, watched);
}

static size_t slot_bytes(const zcs_source *source)
{
    if (source->ops->slots_without_memory)
        return 0;
    return source->ops->slot_bytes ? source->ops->slot_bytes(source) : source->image.size_bytes;
}

zcs_status zci_source_start(zcs_source *source, enum zcs_role role, uint32_t count, uint32_t min)
{
    if (source->ops->make_pool != NULL)
        return source->ops->make_pool(source, role, count);
    const struct zci_pool_params params = {
        .backend = source->backend,
        .role = role,
        .bytes = slot_bytes(source),
        .count = count,
        .min = min,
        .what = "capture slots",
        .nodes = source->nodes,
        .node_count = source->node_count,
    };
    zci_pool_drop(&source->pool);
    zcs_status status = zci_pool_create(&params, &source->pool);
    if (status == ZCS_OK && source->ops->start != NULL)
        status = source->ops->start(source);
    if (status != ZCS_OK)
        zci_pool_drop(&source->pool);
    return status;
}

void zcs_source_image(const zcs_source *source, struct zcs_image *out)
{
    *out = source->image;
}

void zcs_source_info(const zcs_source *source, struct zcs_source_info *out)
{
    *out = (struct zcs_source_info){
        .kind = source->ops->kind,
        .image = source->image,
        .frames = source->frames,
        .fps_num = source->fps_num,
        .fps_den = source->fps_den,
        .live = source->live,
        .path = source->path,
        .path_reason = source->path_reason,
        .first_sequence = source->first_sequence,
        .recorded_from = source->recorded_from,
        .recorded_text = source->recorded_text,
    };
    for (int cause = 0; cause < ZCS_LOSS_COUNT; cause++)
        out->lost[cause] = source->lost[cause];
}

zcs_camera *zcs_source_camera(zcs_source *source)
{
    return source->ops->camera != NULL ? source->ops->camera(source) : NULL;
}

zcs_status zcs_source_next(zcs_source *source, int64_t timeout_ns, const struct zcs_frame **out)
{
    if (source == NULL || out == NULL)
        return ZCS_ERR_ARG;
    if (source->has_stream)
        return zci_fail(&source->log, ZCS_ERR_ARG, "a stream takes the frames of this %s source",
                        source->ops->kind);
    zcs_status status = ZCS_OK;
    if (source->pool == NULL)
        status = zci_source_start(source, ZCS_ROLE_INGEST_CACHED, OWN_SLOTS, OWN_MIN);
    struct zci_slot *slot = NULL;
    if (status == ZCS_OK)
        status = source->ops->next(source, timeout_ns, &slot);
    if (status == ZCS_OK)
        *out = &slot->frame;
    return status;
}

void zcs_source_close(zcs_source **source)
{
    if (source == NULL || *source == NULL)
        return;
    struct zci_backend *backend = (*source)->backend;
    zci_pool_drop(&(*source)->pool);
    (*source)->ops->close(*source);
    *source = NULL;
    zci_context_drop_backend(&backend);
}
