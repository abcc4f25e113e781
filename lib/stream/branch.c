/* SPDX-License-Identifier: MIT */
/* Making a stream's branches: plans, frame contexts, results, routes. */
#include "stream/branch.h"

#include "context/context.h"
#include "core/plan_compile.h"
#include "stream/calibrate.h"
#include "stream/sizes.h"

/* The route is forced, or the first that the device would have measured; `candidates` has those that
 * remain to be measured, 0 where there is nothing to choose. */
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

/* A stage of the application's might mind being run on frames that are none. */
static int is_measured(const struct zci_branch *branch)
{
    return branch->candidates != 0 && branch->plan.custom_count == 0;
}

/* For good, and before a persistent kernel holds up whoever frees memory. */
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

/* Lines of one of several chains. */
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

zcs_status zci_branches_plan(struct zcs_stream *stream, const struct zcs_stream_params *params,
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

zcs_status zci_branches_in_flight(struct zcs_stream *stream, const struct zcs_stream_params *params,
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

zcs_status zci_branches_results(struct zcs_stream *stream, const struct zcs_stream_params *params,
                                const struct zci_sizes *sizes)
{
    zcs_status status = make_sample(stream);
    for (uint32_t i = 0; i < stream->branch_count && status == ZCS_OK; i++) {
        struct zci_branch *branch = &stream->branches[i];
        status = make_results(stream, branch, params, sizes->results);
        if (status == ZCS_OK && params->low_latency)
            status = zci_latency_add(&stream->latency, &branch->inflight);
        if (status == ZCS_OK)
            status = measure_routes(stream, branch);
    }
    return status;
}

void zci_branch_finish(struct zci_branch *branch)
{
    zci_inflight_finish(&branch->inflight);
    if (branch->results != NULL)
        zci_pool_set_notifier(branch->results, NULL);
    zci_pool_drop(&branch->results);
    zci_plan_finish(&branch->plan);
}
