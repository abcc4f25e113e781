/* SPDX-License-Identifier: MIT */
/* Checks a stream's parameters and computes how many frame contexts, slots and results it needs. */
#include "stream/sizes.h"

#define DEFAULT_SLOTS 4u
#define DEFAULT_IN_FLIGHT 2u
#define DEFAULT_RESULTS 4u
#define MAX_COUNT 256u /* of slots, frame contexts of a device, results */
#define HUGE_FRAME_BYTES                                                                           \
    ((size_t)256 << 20) /* above this size one frame is in flight while the next one loads */

static uint32_t or_default(uint32_t value, uint32_t default_value)
{
    return value ? value : default_value;
}

static uint32_t at_most(uint64_t value, uint32_t max)
{
    return value < max ? (uint32_t)value : max;
}

zcs_status zci_sizes_devices(const zcs_context *ctx, const struct zcs_stream_params *params,
                             struct zci_sizes *sizes)
{
    const uint32_t have = zcs_device_count(ctx);
    struct zcs_device_info info;
    sizes->device_count = params->device_count ? params->device_count : have;
    if (sizes->device_count > ZCS_MAX_DEVICES)
        return zci_fail(&ctx->log, ZCS_ERR_ARG, "%u devices: at most %u", sizes->device_count,
                        ZCS_MAX_DEVICES);
    for (uint32_t i = 0; i < sizes->device_count; i++) {
        sizes->devices[i] = params->device_count ? params->devices[i] : i;
        if (sizes->devices[i] >= have)
            return zci_fail(&ctx->log, ZCS_ERR_UNSUPPORTED, "device %u: the %s backend has %u",
                            sizes->devices[i], ctx->backend->ops->name, have);
        ctx->backend->ops->device_info(ctx->backend, sizes->devices[i], &info);
        sizes->nodes[i] = info.node;
    }
    if (params->device_results && (ctx->backend->ops->id != ZCS_BACKEND_CUDA ||
                                   sizes->device_count != 1 || sizes->devices[0] != 0))
        return zci_fail(&ctx->log, ZCS_ERR_UNSUPPORTED,
                        "results in device memory: on device 0 of the cuda backend alone, not on "
                        "%u of the %s backend",
                        sizes->device_count, ctx->backend->ops->name);
    return ZCS_OK;
}

/* The number of frame contexts of all branches. */
static uint32_t count_frame_ctxs(const struct zcs_stream *stream, const struct zci_sizes *sizes)
{
    const uint32_t branches = stream->branch_count;
    uint32_t devices = sizes->device_count;
    if (stream->dispatch == ZCS_DISPATCH_BANDS)
        devices = 1;
    return sizes->per_device * (devices > branches ? devices : branches);
}

static int is_huge(const struct zcs_stream *stream)
{
    for (uint32_t i = 0; i < stream->branch_count; i++) {
        const struct zci_plan *plan = &stream->branches[i].plan;
        if (plan->source.size_bytes > HUGE_FRAME_BYTES || plan->image_bytes[0] > HUGE_FRAME_BYTES)
            return 1;
    }
    return 0;
}

/* 1: a frame context of the branch may reserve multiprocessors of its device, as far as is known
 * before it exists. Another stream may have reserved them by then. */
static int may_hold(const struct zcs_stream *stream, uint32_t index, const struct zci_sizes *sizes)
{
    const struct zci_backend_ops *ops = stream->backend->ops;
    const struct zci_branch *branch = &stream->branches[index];
    const uint32_t branches = stream->branch_count, devices = sizes->device_count;
    const int together = stream->dispatch == ZCS_DISPATCH_BANDS ||
                         (stream->dispatch == ZCS_DISPATCH_RELAY && branch->plan.pass_count > 1);
    if (ops->frame_ctx_reserve == NULL || (together && devices > 1))
        return 0;
    for (uint32_t i = index % devices; i < devices; i += branches < devices ? branches : devices)
        if (ops->reserve_refusal(stream->backend, sizes->devices[i], &branch->plan) == NULL)
            return 1;
    return 0;
}

/* Frames in flight of a device if the application does not say: one if it can have a persistent
 * kernel, else two. */
static uint32_t default_in_flight(const struct zcs_stream *stream, int low_latency,
                                  const struct zci_sizes *sizes)
{
    for (uint32_t i = 0; low_latency && i < stream->branch_count; i++)
        if (may_hold(stream, i, sizes))
            return 1;
    return DEFAULT_IN_FLIGHT;
}

/* No more of anything than the source has frames, and few if frames are huge. */
void zci_sizes_counts(const struct zcs_stream *stream, const struct zcs_stream_params *params,
                      struct zci_sizes *sizes)
{
    const uint64_t source_frames = stream->source->frames ? stream->source->frames : UINT64_MAX;
    const uint64_t limit = params->frames ? params->frames : UINT64_MAX;
    const uint64_t frames = source_frames < limit ? source_frames : limit;
    const int huge = is_huge(stream);
    const uint32_t default_value = default_in_flight(stream, params->low_latency, sizes);
    const uint32_t in_flight = huge ? 1 : or_default(params->in_flight, default_value);
    sizes->per_device = at_most(frames, in_flight);
    const uint32_t enough = count_frame_ctxs(stream, sizes) + (huge ? 1 : 2);
    sizes->slots =
        or_default(params->slots, enough > DEFAULT_SLOTS || huge ? enough : DEFAULT_SLOTS);
    sizes->slots = at_most(source_frames, sizes->slots + params->tap_frames);
    sizes->results = at_most(frames, or_default(params->results, DEFAULT_RESULTS));
}

static zcs_status check_ranges(const struct zci_log *log, const struct zcs_stream_params *params)
{
    const struct {
        const char *name;
        unsigned value, max;
    } ranges[] = {
        {"dispatch", params->dispatch, ZCS_DISPATCH_BROADCAST},
        {"policy", params->policy, ZCS_POLICY_LATEST},
        {"route", params->route, ZCS_ROUTE_WHOLE},
        {"memory", params->memory, ZCS_MEMORY_POLICY_CACHED},
        {"wait", params->wait, ZCS_WAIT_BLOCK},
        {"custom_count", params->custom_count, ZCS_MAX_CUSTOM},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (ranges[i].value > ranges[i].max)
            return zci_fail(log, ZCS_ERR_ARG, "a stream: %s %u: the greatest is %u", ranges[i].name,
                            ranges[i].value, ranges[i].max);
    if (params->custom_count > 0 && params->custom == NULL)
        return zci_fail(log, ZCS_ERR_ARG, "a stream: custom_count is %u, but custom is NULL",
                        params->custom_count);
    return ZCS_OK;
}

static zcs_status check_dispatch(const zcs_context *ctx, const struct zcs_stream_params *params)
{
    const int broadcast = params->dispatch == ZCS_DISPATCH_BROADCAST;
    if (broadcast && (params->chain_count == 0 || params->chain_count > ZCS_MAX_CHAINS ||
                      params->chains == NULL || params->stages != NULL))
        return zci_fail(&ctx->log, ZCS_ERR_ARG,
                        "dispatch 'broadcast': %u chains, from 1 to %d are possible, and no stages "
                        "beside them",
                        params->chain_count, ZCS_MAX_CHAINS);
    if (!broadcast && params->chain_count > 0)
        return zci_fail(&ctx->log, ZCS_ERR_ARG, "%u chains: for dispatch 'broadcast' alone",
                        params->chain_count);
    return ZCS_OK;
}

/* The CUDA backend knows nothing of slots that another backend allocated. */
static zcs_status check_backends(const zcs_context *ctx, const zcs_source *source)
{
    const struct zci_backend_ops *slots = source->backend->ops, *inflight = ctx->backend->ops;
    if (inflight->id != ZCS_BACKEND_CUDA || slots->id == inflight->id ||
        source->ops->slots_without_memory)
        return ZCS_OK;
    return zci_fail(&ctx->log, ZCS_ERR_ARG,
                    "this %s source was opened with a context of the %s backend, the stream's is "
                    "of the %s backend",
                    source->ops->kind, slots->name, inflight->name);
}

zcs_status zci_sizes_check(const zcs_context *ctx, const zcs_source *source,
                           const struct zcs_stream_params *params)
{
    const struct zci_log *log = &ctx->log;
    if (source->has_stream)
        return zci_fail(log, ZCS_ERR_ARG, "this source has a stream already");
    const zcs_status status = check_backends(ctx, source);
    if (status != ZCS_OK)
        return status;
    if (params->slots > MAX_COUNT || params->in_flight > MAX_COUNT || params->results > MAX_COUNT ||
        params->tap_frames > MAX_COUNT)
        return zci_fail(
            log, ZCS_ERR_ARG, "slots %u, in flight %u, results %u, tapped %u: at most %u each",
            params->slots, params->in_flight, params->results, params->tap_frames, MAX_COUNT);
    const zcs_status ranges = check_ranges(log, params);
    return ranges == ZCS_OK ? check_dispatch(ctx, params) : ranges;
}
