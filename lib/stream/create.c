/* SPDX-License-Identifier: MIT */
/* Creating a stream and destroying it: plans, frame contexts, slots, results, routes. */
#include <stdlib.h>
#include <string.h>

#include "core/plan_compile.h"
#include "context/context.h"
#include "stream/calibrate.h"
#include "stream/freshness.h"
#include "stream/sizes.h"
#include "stream/stream.h"

static void log_reservation(const struct zci_log *log, uint32_t device,
                            const struct zci_reservation *reserved)
{
    if (reserved->units > 0)
        zci_log(log, ZCS_LOG_INFO, "low latency: %u multiprocessors of device %u are held",
                reserved->units, device);
    else
        zci_log(log, ZCS_LOG_WARNING, "no low latency on device %u, since %s", device,
                reserved->reason);
}

/* 1: an earlier frame context makes its results on the same device. */
static int seen_before(const struct zci_inflight *inflight, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (inflight->flights[i].device == inflight->flights[index].device)
            return 1;
    return 0;
}

static zcs_status reserve(struct zci_inflight *inflight, const struct zci_flight *flight,
                          struct zci_reservation *out)
{
    const struct zci_backend_ops *ops = inflight->params.backend->ops;
    out->reason = "frames run on the CPU: only a GPU holds a kernel ready";
    if (flight->entry_count > 1)
        out->reason = "several devices work on each frame";
    else if (ops->frame_ctx_reserve != NULL)
        return ops->frame_ctx_reserve(flight->fctx, out);
    return ZCS_OK;
}

/* Asks the first frame context of each device to reserve multiprocessors; the log says how many,
 * or why none. */
static zcs_status reserve_devices(struct zci_latency *latency, struct zci_inflight *inflight)
{
    for (uint32_t i = 0; i < inflight->count; i++) {
        struct zci_reservation reserved = {.units = 0};
        if (seen_before(inflight, i))
            continue;
        const zcs_status status = reserve(inflight, &inflight->flights[i], &reserved);
        if (status != ZCS_OK)
            return status;
        inflight->flights[i].reserved_sms = reserved.units;
        latency->reserved_sms += reserved.units;
        if (reserved.units == 0)
            latency->reason = reserved.reason;
        log_reservation(&inflight->params.backend->log, inflight->flights[i].device, &reserved);
    }
    return ZCS_OK;
}

/* Takes the route that was asked for, or the first one that the device would measure. `candidates`
 * gets the routes that remain to be measured; 0: there is nothing to choose. */
static zcs_status choose_route(struct zci_branch *branch, enum zcs_route wanted)
{
    const struct zci_inflight *inflight = &branch->inflight;
    const struct zci_backend *backend = inflight->params.backend;
    const uint32_t device = inflight->entries[inflight->flights[0].entries[0]].device;
    uint32_t automatic = 0;
    const char *reason = "";
    const uint32_t have = backend->ops->routes(backend, device, &automatic, &reason);
    if (wanted == ZCS_ROUTE_AUTO) {
        branch->route = ZCS_ROUTE_MAPPED;
        while (!(automatic >> branch->route & 1u) && branch->route < ZCS_ROUTE_WHOLE)
            branch->route++;
        branch->route_reason = reason;
        if (automatic >> (branch->route + 1) != 0)
            branch->candidates = automatic;
        return ZCS_OK;
    }
    if (!(have >> wanted & 1u))
        return zci_fail(&backend->log, ZCS_ERR_UNSUPPORTED, "route '%s': not on this device",
                        zcs_route_name(wanted));
    branch->route = wanted;
    branch->route_reason = "asked for";
    return ZCS_OK;
}

static zcs_status make_results(struct zcs_stream *stream, struct zci_branch *branch,
                               const struct zcs_stream_params *params, uint32_t held)
{
    int nodes[ZCS_MAX_DEVICES];
    for (uint32_t i = 0; i < branch->inflight.params.device_count; i++)
        nodes[i] = branch->inflight.entries[i].node;
    const struct zci_pool_params pool = {
        .backend = stream->backend,
        .role = params->device_results ? ZCS_ROLE_DEVICE : ZCS_ROLE_READBACK,
        .bytes = branch->plan.image_bytes[0],
        .count = branch->inflight.count + held,
        .min = branch->inflight.count + 1,
        .what = "results",
        .nodes = nodes,
        .node_count = branch->inflight.params.device_count,
    };
    const zcs_status status = zci_pool_create(&pool, &branch->results);
    if (status == ZCS_OK)
        zci_pool_set_notifier(branch->results, &stream->waiter.notifier);
    return status;
}

/* Custom stages must not run on dummy frames. */
static int is_measured(const struct zci_branch *branch)
{
    return branch->candidates != 0 && branch->plan.custom_count == 0;
}

/* The sample is allocated once, before a persistent kernel holds up calls that free memory. */
static zcs_status make_sample(struct zcs_stream *stream)
{
    uint32_t measured = 0;
    for (uint32_t i = 0; i < stream->branch_count; i++)
        measured += is_measured(&stream->branches[i]) != 0;
    if (measured == 0 || zci_pool_slot(stream->source->pool, 0)->memory.host != NULL)
        return ZCS_OK;
    const zcs_status status = stream->backend->ops->memory_alloc(
        stream->backend, ZCS_ROLE_INGEST, stream->source->image.size_bytes, &stream->sample);
    if (status != ZCS_OK)
        return zci_fail(&stream->backend->log, status, "measuring routes: no memory for a frame");
    return ZCS_OK;
}

static zcs_status measure_routes(struct zcs_stream *stream, struct zci_branch *branch)
{
    if (branch->candidates == 0)
        return ZCS_OK;
    if (is_measured(branch))
        return zci_calibrate(stream, branch);
    branch->route_reason = "not measured: the chain has stages of the application's";
    return ZCS_OK;
}

/* The log of one chain of several: it names the chain. */
struct chain_log {
    const struct zci_log *log;
    uint32_t number;
};

static void say_of_chain(void *user, enum zcs_log_level level, const char *line)
{
    const struct chain_log *chain = user;
    zci_log(chain->log, level, "chain %u: %s", chain->number, line);
}

static zcs_status make_plan(struct zcs_stream *stream, struct zci_branch *branch,
                            const struct zci_plan_params *params)
{
    const struct zci_log *log = &stream->ctx->log;
    struct chain_log chain = {.log = log, .number = branch->index + 1};
    const struct zci_log of_chain = {.fn = say_of_chain, .user = &chain, .level = log->level};
    return zci_plan_compile(&branch->plan, &stream->source->image, params,
                            stream->branch_count > 1 ? &of_chain : log);
}

static zcs_status make_plans(struct zcs_stream *stream, const struct zcs_stream_params *params,
                             uint32_t device_count)
{
    const int broadcast = params->dispatch == ZCS_DISPATCH_BROADCAST;
    const int relay = params->dispatch == ZCS_DISPATCH_RELAY;
    for (uint32_t i = 0; i < stream->branch_count; i++) {
        const struct zci_plan_params plan = {.stages =
                                                 broadcast ? params->chains[i] : params->stages,
                                             .depth = params->depth,
                                             .custom = params->custom,
                                             .custom_count = params->custom_count,
                                             .min_passes = relay ? device_count : 0};
        struct zci_branch *branch = &stream->branches[i];
        branch->index = i;
        const zcs_status status = make_plan(stream, branch, &plan);
        if (status != ZCS_OK)
            return status;
        if (relay && branch->plan.pass_count < device_count)
            zci_log(
                &stream->ctx->log, ZCS_LOG_WARNING,
                "relay: the chain can be cut into %u parts, not %u: the last %u devices are idle",
                branch->plan.pass_count, device_count, device_count - branch->plan.pass_count);
    }
    return ZCS_OK;
}

static zcs_status make_in_flight(struct zcs_stream *stream, const struct zcs_stream_params *params,
                                 const struct zci_sizes *sizes)
{
    const uint32_t branches = stream->branch_count, devices = sizes->device_count;
    for (uint32_t i = 0; i < branches; i++) {
        struct zci_branch *branch = &stream->branches[i];
        const struct zci_inflight_params inflight = {
            .backend = stream->backend,
            .plan = &branch->plan,
            .devices = sizes->devices,
            .nodes = sizes->nodes,
            .device_count = devices,
            .first = i % devices,
            .step = branches < devices ? branches : devices,
            .per_device = sizes->per_device,
            .dispatch = params->dispatch,
            .notifier = &stream->waiter.notifier,
        };
        zcs_status status = zci_inflight_init(&branch->inflight, &inflight);
        if (status == ZCS_OK)
            status = choose_route(branch, params->route);
        if (status != ZCS_OK)
            return status;
    }
    return ZCS_OK;
}

static zcs_status make_all_results(struct zcs_stream *stream,
                                   const struct zcs_stream_params *params,
                                   const struct zci_sizes *sizes)
{
    zcs_status status = make_sample(stream);
    for (uint32_t i = 0; i < stream->branch_count && status == ZCS_OK; i++) {
        struct zci_branch *branch = &stream->branches[i];
        status = make_results(stream, branch, params, sizes->results);
        if (status == ZCS_OK && params->low_latency)
            status = reserve_devices(&stream->latency, &branch->inflight);
        if (status == ZCS_OK)
            status = measure_routes(stream, branch);
    }
    return status;
}

static void finish_branch(struct zci_branch *branch)
{
    zci_inflight_finish(&branch->inflight);
    if (branch->results != NULL)
        zci_pool_set_notifier(branch->results, NULL);
    zci_pool_drop(&branch->results);
    zci_plan_finish(&branch->plan);
}

/* Chooses the ingest role of the source: write-combined memory, unless the caller asks for cached
 * memory or has a tap, or the source knows that its slots are written through a cached alias or
 * read by the CPU. */
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
    /* Slots alternate between the nodes of the devices; a device prefers slots at its own node. */
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
        status = make_plans(stream, params, sizes.device_count);
    if (status != ZCS_OK)
        return status;
    zci_sizes_counts(stream, params, &sizes);
    /* Frame contexts come first: they need all the memory that they ask for, while a pool can be
     * smaller. */
    status = make_in_flight(stream, params, &sizes);
    if (status == ZCS_OK)
        status = make_slots(stream, params, &sizes);
    /* Memory is allocated before a persistent kernel holds up calls that allocate. */
    if (status == ZCS_OK)
        status = zci_freshness_init(stream);
    if (status == ZCS_OK)
        status = make_all_results(stream, params, &sizes);
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
    static const struct zcs_stream_params defaults = {0};
    if (ctx == NULL)
        return ZCS_ERR_ARG;
    if (source == NULL || out == NULL)
        return zci_fail(&ctx->log, ZCS_ERR_ARG, "a stream: %s is NULL",
                        source == NULL ? "source" : "out");
    if (params == NULL)
        params = &defaults;
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
        finish_branch(&s->branches[i]);
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
