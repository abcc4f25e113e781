/* SPDX-License-Identifier: MIT */
/* Building and taking down a stream: plan, memory policy, slots, frame contexts, route. */
#include <stdlib.h>
#include <string.h>

#include "context/context.h"
#include "stream/sizes.h"
#include "stream/stream.h"

/* Which ingest role the source gets: write-combined memory unless the caller forces the other or taps
 * it, or the source knows that its slots are written through a cached alias or read with the CPU. */
static enum zcs_role choose_role(const zcs_source *source, const struct zcs_stream_params *params)
{
    const int automatic = params->memory == ZCS_MEMORY_POLICY_AUTO;
    if (params->memory == ZCS_MEMORY_POLICY_CACHED || (automatic && params->tap != NULL))
        return ZCS_ROLE_INGEST_CACHED;
    return automatic && source->ops->role != NULL ? source->ops->role(source) : ZCS_ROLE_INGEST;
}

static zcs_status make_slots(struct zcs_stream *stream, const struct zcs_stream_params *params,
                             const struct zci_sizes *sizes)
{
    const enum zcs_role role = choose_role(stream->source, params);
    stream->slots = sizes->slots;
    /* Slots by turns at the nodes of the devices, which prefer those at their own. */
    memcpy(stream->source->nodes, sizes->nodes, sizeof sizes->nodes);
    stream->source->node_count = sizes->device_count;
    const zcs_status status = zci_source_start(stream->source, role, sizes->slots, 1);
    if (status != ZCS_OK)
        return status;
    zci_pool_set_notifier(stream->source->pool, &stream->waiter.notifier);
    stream->memory = zci_pool_slot(stream->source->pool, 0)->memory.kind;
    if (stream->source->ops->slots_without_memory)
        stream->memory = ZCS_MEMORY_USER;
    if (params->memory == ZCS_MEMORY_POLICY_WC && stream->memory != ZCS_MEMORY_WC)
        return zci_fail(&stream->backend->log, ZCS_ERR_UNSUPPORTED,
                        "memory 'wc': the %s backend gives '%s' here", stream->backend->ops->name,
                        zcs_memory_name(stream->memory));
    return ZCS_OK;
}

static zcs_status build(struct zcs_stream *stream, zcs_context *ctx,
                        const struct zcs_stream_params *params)
{
    struct zci_sizes sizes = {0};
    zcs_status status = zci_sizes_devices(ctx, params, &sizes);
    if (status == ZCS_OK)
        status = zci_branches_plan(stream, params, sizes.device_count);
    if (status != ZCS_OK)
        return status;
    zci_sizes_counts(stream, params, &sizes);
    /* Frame contexts first: they need all they ask for, while pools make do with less. */
    status = zci_branches_in_flight(stream, params, &sizes);
    if (status == ZCS_OK)
        status = make_slots(stream, params, &sizes);
    /* What is allocated is, before a persistent kernel holds up whoever allocates. */
    if (status == ZCS_OK)
        status = zci_freshness_init(stream);
    if (status == ZCS_OK)
        status = zci_branches_results(stream, params, &sizes);
    if (status == ZCS_OK)
        zci_intake_init(&stream->intake, stream->source, params);
    return status;
}

static struct zcs_stream *alloc(uint32_t branches)
{
    struct zcs_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        return NULL;
    stream->branches = calloc(branches, sizeof *stream->branches);
    stream->branch_count = branches;
    if (stream->branches != NULL)
        return stream;
    free(stream);
    return NULL;
}

zcs_status zcs_stream_create(zcs_context *ctx, zcs_source *source,
                             const struct zcs_stream_params *params, zcs_stream **out)
{
    static const struct zcs_stream_params presets = {0};
    if (ctx == NULL)
        return ZCS_ERR_ARG;
    if (source == NULL || out == NULL)
        return zci_fail(&ctx->log, ZCS_ERR_ARG, "a stream: %s is NULL",
                        source == NULL ? "source" : "out");
    if (params == NULL)
        params = &presets;
    zcs_status status = zci_sizes_check(ctx, source, params);
    if (status != ZCS_OK)
        return status;
    struct zcs_stream *stream = alloc(params->chain_count > 0 ? params->chain_count : 1);
    if (stream == NULL)
        return zci_fail(&ctx->log, ZCS_ERR_NOMEM, "a stream: no memory");
    stream->ctx = ctx;
    stream->backend = zci_backend_ref(ctx->backend);
    stream->source = source;
    stream->dispatch = params->dispatch;
    stream->wait = params->wait;
    stream->tap = params->tap;
    stream->tap_user = params->tap_user;
    source->has_stream = 1;
    const int fd = source->ops->fd != NULL ? source->ops->fd(source) : -1;
    stream->fd_epoch = source->fd_epoch;
    status = zci_waiter_init(&stream->waiter, fd, source->fd_urgent, &ctx->log);
    if (status == ZCS_OK)
        status = build(stream, ctx, params);
    if (status != ZCS_OK)
        goto fail;
    *out = stream;
    return ZCS_OK;
fail:
    zcs_stream_destroy(&stream);
    return status;
}

void zcs_stream_destroy(zcs_stream **stream)
{
    if (stream == NULL || *stream == NULL)
        return;
    struct zcs_stream *s = *stream;
    for (uint32_t i = 0; i < s->branch_count; i++)
        zci_branch_finish(&s->branches[i]);
    zci_intake_stop(&s->intake, ZCS_EOF);
    if (s->source->pool != NULL)
        zci_pool_set_notifier(s->source->pool, NULL);
    zci_source_watch_fd(s->source, 0);
    s->source->has_stream = 0;
    zci_waiter_finish(&s->waiter);
    if (s->sample.bytes > 0)
        s->backend->ops->memory_free(s->backend, &s->sample);
    zci_backend_unref(&s->backend);
    free(s->branches);
    free(s);
    *stream = NULL;
}
