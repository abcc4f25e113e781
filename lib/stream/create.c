/* SPDX-License-Identifier: MIT */
/* Building and taking down a stream: plan, memory policy, slots, lanes, route. */
#include <inttypes.h>
#include <stdlib.h>

#include "core/plan.h"
#include "frame/context.h"
#include "stream/calibrate.h"
#include "stream/stream.h"

#define DEFAULT_SLOTS 4u
#define DEFAULT_IN_FLIGHT 2u
#define DEFAULT_RESULTS 4u
#define MOST_COUNT 256u /* of slots, lanes a device, results */
#define HUGE_FRAME_BYTES                                                                           \
    ((size_t)256 << 20) /* above it: one frame in flight, the next one loading */

struct sizes {
    uint32_t devices[ZCS_MAX_DEVICES];
    uint32_t device_count, per_device, slots, results;
    int device_results;
};

static uint32_t or_default(uint32_t value, uint32_t preset)
{
    return value ? value : preset;
}

static uint32_t at_most(uint64_t value, uint32_t most)
{
    return value < most ? (uint32_t)value : most;
}

static zcs_status choose_devices(const zcs_context *ctx, const struct zcs_stream_params *params,
                                 struct sizes *sizes)
{
    const uint32_t have = zcs_device_count(ctx);
    sizes->device_count = params->device_count ? params->device_count : have;
    if (sizes->device_count > ZCS_MAX_DEVICES)
        return zci_fail(&ctx->log, ZCS_ERR_ARG, "%u devices: at most %u", sizes->device_count,
                        ZCS_MAX_DEVICES);
    for (uint32_t i = 0; i < sizes->device_count; i++) {
        sizes->devices[i] = params->device_count ? params->devices[i] : i;
        if (sizes->devices[i] >= have)
            return zci_fail(&ctx->log, ZCS_ERR_UNSUPPORTED, "device %u: the %s backend has %u",
                            sizes->devices[i], ctx->backend->ops->name, have);
    }
    sizes->device_results = params->device_results;
    if (params->device_results && (ctx->backend->ops->id != ZCS_BACKEND_CUDA ||
                                   sizes->device_count != 1 || sizes->devices[0] != 0))
        return zci_fail(&ctx->log, ZCS_ERR_UNSUPPORTED,
                        "results in device memory: on device 0 of the cuda backend alone, not on "
                        "%u of the %s backend",
                        sizes->device_count, ctx->backend->ops->name);
    return ZCS_OK;
}

/* How many of everything: never more than the source has frames, few where frames are huge. */
static void choose_counts(const struct zcs_stream *stream, const struct zcs_stream_params *params,
                          struct sizes *sizes)
{
    const uint64_t source_frames = stream->source->frames ? stream->source->frames : UINT64_MAX;
    const uint64_t limit = params->frames ? params->frames : UINT64_MAX;
    const uint64_t frames = source_frames < limit ? source_frames : limit;
    const int huge = stream->plan.source.size_bytes > HUGE_FRAME_BYTES ||
                     stream->plan.image_bytes[0] > HUGE_FRAME_BYTES;
    const uint32_t in_flight = huge ? 1 : or_default(params->in_flight, DEFAULT_IN_FLIGHT);
    sizes->per_device = at_most(frames, in_flight);
    const uint32_t lanes = sizes->per_device * sizes->device_count;
    const uint32_t enough = lanes + (huge ? 1 : 2);
    sizes->slots =
        or_default(params->slots, enough > DEFAULT_SLOTS || huge ? enough : DEFAULT_SLOTS);
    sizes->slots = at_most(source_frames, sizes->slots + params->tap_frames);
    sizes->results = lanes + at_most(frames, or_default(params->results, DEFAULT_RESULTS));
}

static zcs_status check_params(const zcs_context *ctx, const zcs_source *source,
                               const struct zcs_stream_params *params)
{
    static const char *const dispatches[] = {"frames", "bands", "relay", "broadcast"};
    const struct zci_log *log = &ctx->log;
    if (source->has_stream)
        return zci_fail(log, ZCS_ERR_ARG, "this source has a stream already");
    if (params->slots > MOST_COUNT || params->in_flight > MOST_COUNT ||
        params->results > MOST_COUNT || params->tap_frames > MOST_COUNT)
        return zci_fail(
            log, ZCS_ERR_ARG, "slots %u, in flight %u, results %u, tapped %u: at most %u each",
            params->slots, params->in_flight, params->results, params->tap_frames, MOST_COUNT);
    if ((unsigned)params->dispatch > ZCS_DISPATCH_BROADCAST ||
        (unsigned)params->policy > ZCS_POLICY_LATEST || (unsigned)params->route > ZCS_ROUTE_WHOLE ||
        (unsigned)params->memory > ZCS_MEMORY_POLICY_CACHED ||
        (unsigned)params->wait > ZCS_WAIT_BLOCK || params->custom_count > ZCS_MAX_CUSTOM ||
        (params->custom_count > 0 && params->custom == NULL))
        return zci_fail(log, ZCS_ERR_ARG, "a stream parameter is out of its range");
    if (params->dispatch != ZCS_DISPATCH_FRAMES)
        return zci_fail(log, ZCS_ERR_UNSUPPORTED, "dispatch '%s' is not in this build",
                        dispatches[params->dispatch]);
    return ZCS_OK;
}

/* The route is forced, or the first that the device would have measured; `candidates` has those that
 * remain to be measured, 0 where there is nothing to choose. */
static zcs_status choose_route(struct zcs_stream *stream, enum zcs_route wanted, uint32_t device)
{
    const struct zci_backend *backend = stream->backend;
    uint32_t automatic = 0;
    const char *reason = "";
    const uint32_t have = backend->ops->routes(backend, device, &automatic, &reason);
    if (wanted == ZCS_ROUTE_AUTO) {
        stream->route = ZCS_ROUTE_MAPPED;
        while (!(automatic >> stream->route & 1u) && stream->route < ZCS_ROUTE_WHOLE)
            stream->route++;
        stream->route_reason = reason;
        if (automatic >> (stream->route + 1) != 0)
            stream->candidates = automatic;
        return ZCS_OK;
    }
    if (!(have >> wanted & 1u))
        return zci_fail(&backend->log, ZCS_ERR_UNSUPPORTED, "route '%s': not on this device",
                        zcs_route_name(wanted));
    stream->route = wanted;
    stream->route_reason = "asked for";
    return ZCS_OK;
}

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
                             uint32_t count)
{
    const enum zcs_role role = choose_role(stream->source, params);
    stream->slots = count;
    const zcs_status status = zci_source_start(stream->source, role, count, 1);
    if (status != ZCS_OK)
        return status;
    zci_pool_set_notify(stream->source->pool, stream->waiter.event_fd);
    stream->memory = zci_pool_slot(stream->source->pool, 0)->memory.kind;
    if (stream->source->ops->slots_without_memory)
        stream->memory = ZCS_MEMORY_USER;
    if (params->memory == ZCS_MEMORY_POLICY_WC && stream->memory != ZCS_MEMORY_WC)
        return zci_fail(&stream->backend->log, ZCS_ERR_UNSUPPORTED,
                        "memory 'wc': the %s backend gives '%s' here", stream->backend->ops->name,
                        zcs_memory_name(stream->memory));
    return ZCS_OK;
}

static zcs_status make_results(struct zcs_stream *stream, const struct sizes *sizes)
{
    const struct zci_pool_params pool = {
        .backend = stream->backend,
        .role = sizes->device_results ? ZCS_ROLE_DEVICE : ZCS_ROLE_READBACK,
        .bytes = stream->plan.image_bytes[0],
        .count = sizes->results,
        .least = sizes->per_device * sizes->device_count + 1,
        .what = "results",
    };
    const zcs_status status = zci_pool_create(&pool, &stream->results);
    if (status == ZCS_OK)
        zci_pool_set_notify(stream->results, stream->waiter.event_fd);
    return status;
}

/* A stage of the application's might mind being run on frames that are none. */
static zcs_status measure_routes(zcs_context *ctx, struct zcs_stream *stream)
{
    if (stream->candidates == 0)
        return ZCS_OK;
    if (stream->plan.custom_count == 0)
        return zci_calibrate(ctx, stream);
    stream->route_reason = "not measured: the chain has stages of the application's";
    return ZCS_OK;
}

static zcs_status build(struct zcs_stream *stream, zcs_context *ctx,
                        const struct zcs_stream_params *params)
{
    zcs_source *source = stream->source;
    struct sizes sizes = {0};
    const struct zci_plan_params plan = {.stages = params->stages,
                                         .depth = params->depth,
                                         .custom = params->custom,
                                         .custom_count = params->custom_count};
    zcs_status status = choose_devices(ctx, params, &sizes);
    if (status == ZCS_OK)
        status = zci_plan_init(&stream->plan, &source->image, &plan, &ctx->log);
    if (status == ZCS_OK)
        status = choose_route(stream, params->route, sizes.devices[0]);
    if (status != ZCS_OK)
        return status;
    choose_counts(stream, params, &sizes);
    /* Lanes first: they need all they ask for, while pools make do with less. */
    status = zci_lanes_init(&stream->lanes, stream->backend, &stream->plan, sizes.devices,
                            sizes.device_count, sizes.per_device, stream->waiter.event_fd);
    if (status == ZCS_OK)
        status = make_slots(stream, params, sizes.slots);
    if (status == ZCS_OK)
        status = make_results(stream, &sizes);
    if (status == ZCS_OK)
        status = measure_routes(ctx, stream);
    if (status == ZCS_OK)
        status = zci_freshness_init(stream);
    if (status == ZCS_OK)
        zci_intake_init(&stream->intake, source, params);
    return status;
}

zcs_status zcs_stream_create(zcs_context *ctx, zcs_source *source,
                             const struct zcs_stream_params *params, zcs_stream **out)
{
    static const struct zcs_stream_params presets = {0};
    if (ctx == NULL || source == NULL || out == NULL)
        return ZCS_ERR_ARG;
    if (params == NULL)
        params = &presets;
    zcs_status status = check_params(ctx, source, params);
    if (status != ZCS_OK)
        return status;
    struct zcs_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        return zci_fail(&ctx->log, ZCS_ERR_NOMEM, "a stream: no memory");
    stream->ctx = ctx;
    stream->backend = zci_backend_ref(ctx->backend);
    stream->source = source;
    stream->wait = params->wait;
    stream->tap = params->tap;
    stream->tap_user = params->tap_user;
    source->has_stream = 1;
    const int fd = source->ops->fd != NULL ? source->ops->fd(source) : -1;
    status = zci_waiter_init(&stream->waiter, fd, &ctx->log);
    if (status == ZCS_OK)
        status = build(stream, ctx, params);
    if (status != ZCS_OK)
        goto fail;
    const struct zci_intake_wait wait = zci_intake_wait(&stream->intake, 1);
    zci_waiter_arm(&stream->waiter, wait.descriptor, wait.due_ns, wait.ready);
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
    zci_lanes_finish(&s->lanes);
    zci_intake_stop(&s->intake, ZCS_EOF);
    if (s->source->pool != NULL)
        zci_pool_set_notify(s->source->pool, -1);
    if (s->results != NULL)
        zci_pool_set_notify(s->results, -1);
    zci_pool_drop(&s->results);
    zci_plan_finish(&s->plan);
    s->source->has_stream = 0;
    zci_waiter_finish(&s->waiter);
    zci_backend_unref(&s->backend);
    free(s);
    *stream = NULL;
}
