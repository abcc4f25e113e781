/* SPDX-License-Identifier: MIT */
/* Calibration: all candidates in turn, several rounds, the median of each. */
#include "stream/calibrate.h"

#include <string.h>

#include "core/clock.h"

#define MOST_ROUNDS 9u
#define LEAST_ROUNDS 3u
#define BUDGET_NS 15000000 /* of all rounds, where that is enough for the least */

/* A frame-sized piece of memory for sources whose slots have none. */
struct stand_in {
    struct zci_memory memory; /* bytes 0: not needed */
};

static struct zci_job job_of(const struct zcs_stream *stream, const struct stand_in *stand_in,
                             uint32_t index, enum zcs_route route)
{
    struct zci_pool *slots = stream->source->pool;
    const struct zci_slot *slot = zci_pool_slot(slots, index % zci_pool_count(slots));
    const struct zci_slot *result = zci_pool_slot(stream->results, index);
    const struct zci_memory *memory = stand_in->memory.bytes ? &stand_in->memory : &slot->memory;
    return (struct zci_job){
        .source = memory->host,
        .source_memory = memory->bytes ? memory : NULL,
        .result = result->memory.host,
        .result_memory = &result->memory,
        .route = route,
    };
}

/* One frame on each lane of the first device at once; the time for one of them. */
static zcs_status measure(struct zcs_stream *stream, const struct stand_in *stand_in,
                          enum zcs_route route, int64_t *ns)
{
    const struct zci_backend_ops *ops = stream->backend->ops;
    const uint32_t count = stream->lanes.per_device;
    const int64_t begin_ns = zci_now_ns();
    zcs_status status = ZCS_OK;
    uint32_t submitted = 0;
    for (; submitted < count && status == ZCS_OK; submitted++) {
        const struct zci_job job = job_of(stream, stand_in, submitted, route);
        status = ops->lane_submit(stream->lanes.flights[submitted].lane, &job);
    }
    if (status != ZCS_OK)
        submitted--;
    for (uint32_t i = 0; i < submitted; i++) {
        struct zci_job_result done;
        (void)ops->lane_wait(stream->lanes.flights[i].lane, -1);
        const zcs_status polled = ops->lane_poll(stream->lanes.flights[i].lane, &done);
        status = status == ZCS_OK ? polled : status;
    }
    *ns = (zci_now_ns() - begin_ns) / count;
    return status;
}

static int64_t median(int64_t *values, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i; k > 0 && values[k] < values[k - 1]; k--) {
            const int64_t other = values[k];
            values[k] = values[k - 1];
            values[k - 1] = other;
        }
    return values[count / 2];
}

static zcs_status round_of(struct zcs_stream *stream, const struct stand_in *stand_in,
                           uint32_t candidates, int64_t ns[ZCI_ROUTES])
{
    zcs_status status = ZCS_OK;
    for (int i = 0; i < (int)ZCI_ROUTES && status == ZCS_OK; i++)
        if (candidates >> i & 1u)
            status = measure(stream, stand_in, (enum zcs_route)i, &ns[i]);
    return status;
}

static zcs_status measure_all(struct zcs_stream *stream, const struct stand_in *stand_in,
                              uint32_t candidates, int64_t best[ZCI_ROUTES])
{
    int64_t values[ZCI_ROUTES][MOST_ROUNDS], first[ZCI_ROUTES] = {0};
    zcs_status status = round_of(stream, stand_in, candidates, first); /* warms up */
    const int64_t begin_ns = zci_now_ns();
    uint32_t rounds = 0;
    while (status == ZCS_OK && rounds < MOST_ROUNDS &&
           (rounds < LEAST_ROUNDS || zci_now_ns() - begin_ns < BUDGET_NS)) {
        status = round_of(stream, stand_in, candidates, first);
        for (int i = 0; i < (int)ZCI_ROUTES; i++)
            values[i][rounds] = first[i];
        rounds++;
    }
    for (int i = 0; i < (int)ZCI_ROUTES && status == ZCS_OK; i++)
        best[i] = median(values[i], rounds);
    return status;
}

/* What a measurement is good for: this device, source layout, chain and number of frames in flight. */
static uint64_t key_of(const struct zcs_stream *stream)
{
    const struct zci_plan *plan = &stream->plan;
    uint64_t key = 14695981039346656037u; /* FNV-1a, 64 bits */
    const struct {
        const void *at;
        size_t bytes;
    } parts[] = {
        {&stream->lanes.flights[0].device, sizeof stream->lanes.flights[0].device},
        {&stream->lanes.per_device, sizeof stream->lanes.per_device},
        {&stream->memory, sizeof stream->memory},
        {&plan->source.format, sizeof plan->source.format},
        {&plan->load.width, sizeof plan->load.width},
        {&plan->load.height, sizeof plan->load.height},
        {&plan->source.size_bytes, sizeof plan->source.size_bytes},
        {plan->passes, sizeof plan->passes},
        {plan->ops, sizeof plan->ops},
    };
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        for (size_t i = 0; i < parts[p].bytes; i++)
            key = (key ^ ((const uint8_t *)parts[p].at)[i]) * 1099511628211u;
    return key;
}

static zcs_status measure_with_memory(struct zcs_stream *stream, uint32_t candidates,
                                      int64_t ns[ZCI_ROUTES])
{
    struct zci_backend *backend = stream->backend;
    struct stand_in stand_in = {.memory = {.bytes = 0}};
    if (zci_pool_slot(stream->source->pool, 0)->memory.host == NULL) {
        const zcs_status status = backend->ops->memory_alloc(
            backend, ZCS_ROLE_INGEST, stream->plan.source.size_bytes, &stand_in.memory);
        if (status != ZCS_OK)
            return zci_fail(&backend->log, status, "measuring routes: no memory for a frame");
    }
    const zcs_status status = measure_all(stream, &stand_in, candidates, ns);
    if (stand_in.memory.bytes > 0)
        backend->ops->memory_free(backend, &stand_in.memory);
    return status;
}

zcs_status zci_calibrate(zcs_context *ctx, struct zcs_stream *stream, uint32_t candidates)
{
    const uint64_t key = key_of(stream);
    struct zci_route_choice *choice = &stream->choice;
    if (!zci_notes_find(ctx, key, choice)) {
        int64_t ns[ZCI_ROUTES] = {0};
        const zcs_status status = measure_with_memory(stream, candidates, ns);
        if (status != ZCS_OK)
            return status;
        zci_route_choose(ns, choice);
        zci_notes_add(ctx, key, choice);
    }
    stream->route = choice->route;
    stream->route_reason = choice->reason;
    zci_log(&ctx->log, ZCS_LOG_INFO, "route %s: %s", zcs_route_name(choice->route), choice->reason);
    return ZCS_OK;
}
