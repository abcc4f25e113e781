/* SPDX-License-Identifier: MIT */
/* Calibration: all candidates in turn, several rounds, the median of each. */
#include "stream/calibrate.h"

#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/drift.h"
#include "frame/notes_file.h"

#define MOST_ROUNDS 9u
#define LEAST_ROUNDS 3u
#define MOST_TURNS 4u  /* of each lane that are timed in a round ... */
#define OTHER_TURNS 2u /* ... beside those before and after */
#define LEAST_NS                                                                                   \
    100000000 /* for the least rounds, whose turns are as many as fit: the more, the surer */
#define ROUNDS_NS 30000000 /* for more of them */

/* A frame-sized piece of memory for sources whose slots have none. */
struct stand_in {
    struct zci_memory memory; /* bytes 0: not needed */
};

/* The number-th frame, on a lane with a result. */
static zcs_status submit(const struct zcs_stream *stream, const struct zci_branch *branch,
                         const struct stand_in *stand_in, uint32_t number, enum zcs_route route)
{
    struct zci_pool *slots = stream->source->pool;
    const struct zci_flight *flight = &branch->lanes.flights[number % branch->lanes.count];
    const struct zci_slot *slot = zci_pool_slot(slots, number % zci_pool_count(slots));
    const struct zci_memory *memory = stand_in->memory.bytes ? &stand_in->memory : &slot->memory;
    const struct zci_job job = {
        .source = memory->host,
        .source_memory = memory->bytes ? memory : NULL,
        .result = flight->result->memory.host,
        .result_memory = &flight->result->memory,
        .route = route,
    };
    return stream->backend->ops->lane_submit(flight->lane, &job);
}

static zcs_status collect(const struct zcs_stream *stream, const struct zci_branch *branch,
                          uint32_t number)
{
    struct zci_lane *lane = branch->lanes.flights[number % branch->lanes.count].lane;
    struct zci_job_result done;
    (void)stream->backend->ops->lane_wait(lane, -1);
    return stream->backend->ops->lane_poll(lane, &done);
}

/* Frames on all lanes at once, so that devices share the bus as they will, each lane's next one when its latest is
 * there, as a stream's. Timed are `turns` on each lane, from one completion to another, with as many in flight at both:
 * neither filling the lanes nor what is left undone counts. The time for one of them, as drift is told by later.
 * ZCS_ERR_BUSY: a device failed and was taken out, to be begun anew. */
static zcs_status measure(struct zcs_stream *stream, struct zci_branch *branch,
                          const struct stand_in *stand_in, enum zcs_route route, uint32_t turns,
                          int64_t *ns)
{
    const uint32_t count = branch->lanes.count, timed = count * turns;
    const uint32_t all = timed + OTHER_TURNS * count;
    int64_t begin_ns = 0, end_ns = 0;
    zcs_status status = ZCS_OK;
    uint32_t begun = 0, ended = 0, guilty = 0;
    while (ended < begun || (status == ZCS_OK && begun < all)) {
        const int more = status == ZCS_OK && begun < all && begun < ended + count;
        const zcs_status one =
            more ? submit(stream, branch, stand_in, begun, route) : collect(stream, branch, ended);
        if (status == ZCS_OK && one != ZCS_OK) {
            guilty = (more ? begun : ended) % count;
            status = one;
        }
        begun += more && one == ZCS_OK;
        ended += !more;
        if (!more && ended == count)
            begin_ns = zci_now_ns();
        if (!more && ended == count + timed)
            end_ns = zci_now_ns();
    }
    *ns = (end_ns - begin_ns) / timed;
    if (status == ZCS_OK || zci_lanes_blame(&branch->lanes, guilty) != ZCS_OK)
        return status;
    return ZCS_ERR_BUSY;
}

static zcs_status round_of(struct zcs_stream *stream, struct zci_branch *branch,
                           const struct stand_in *stand_in, uint32_t candidates, uint32_t turns,
                           int64_t ns[ZCI_ROUTES])
{
    zcs_status status = ZCS_OK;
    for (int i = 0; i < (int)ZCI_ROUTES && status == ZCS_OK; i++)
        if (candidates >> i & 1u)
            status = measure(stream, branch, stand_in, (enum zcs_route)i, turns, &ns[i]);
    return status;
}

/* As many as there is time for in the least rounds, if one turn of all candidates takes turn_ns. */
static uint32_t turns_for(int64_t turn_ns)
{
    const int64_t turns = LEAST_NS / LEAST_ROUNDS / (turn_ns > 0 ? turn_ns : 1) - OTHER_TURNS;
    return turns < 1 ? 1 : turns > MOST_TURNS ? MOST_TURNS : (uint32_t)turns;
}

static zcs_status measure_all(struct zcs_stream *stream, struct zci_branch *branch,
                              const struct stand_in *stand_in, uint32_t candidates,
                              int64_t best[ZCI_ROUTES])
{
    int64_t values[ZCI_ROUTES][MOST_ROUNDS], latest[ZCI_ROUTES] = {0}, turn_ns = 0;
    zcs_status status = round_of(stream, branch, stand_in, candidates, 1, latest); /* warms up */
    for (int i = 0; i < (int)ZCI_ROUTES; i++)
        turn_ns += latest[i] * branch->lanes.count;
    const uint32_t turns = turns_for(turn_ns);
    const int64_t begin_ns = zci_now_ns();
    uint32_t rounds = 0;
    while (status == ZCS_OK && rounds < MOST_ROUNDS &&
           (rounds < LEAST_ROUNDS || zci_now_ns() - begin_ns < ROUNDS_NS)) {
        status = round_of(stream, branch, stand_in, candidates, turns, latest);
        for (int i = 0; i < (int)ZCI_ROUTES; i++)
            values[i][rounds] = latest[i];
        rounds++;
    }
    for (int i = 0; i < (int)ZCI_ROUTES && status == ZCS_OK; i++)
        best[i] = zci_median(values[i], rounds);
    return status;
}

/* FNV-1a, 64 bits. */
static uint64_t mix_byte(uint64_t key, uint64_t byte)
{
    return (key ^ byte) * 1099511628211u;
}

static uint64_t mix(uint64_t key, const uint64_t *facts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int shift = 0; shift < 64; shift += 8)
            key = mix_byte(key, facts[i] >> shift & 255u);
    return key;
}

static uint64_t mix_text(uint64_t key, const char *text)
{
    while (*text != '\0')
        key = mix_byte(key, (uint8_t)*text++);
    return key;
}

static uint64_t mix_passes(uint64_t key, const struct zci_plan *plan)
{
    for (uint32_t i = 0; i < plan->pass_count; i++) {
        const struct zci_pass *pass = &plan->passes[i];
        const uint64_t facts[] = {pass->width,        pass->height,      pass->stencil,
                                  pass->pre_count,    pass->post_count,  pass->loaded.layout,
                                  pass->loaded.depth, pass->pixel.depth, pass->pixel.layout,
                                  pass->window.width, pass->reduce.kind, (uint8_t)pass->in,
                                  (uint8_t)pass->out, pass->in_width,    pass->in_height};
        key = mix(key, facts, sizeof facts / sizeof *facts);
    }
    for (uint32_t i = 0; i < plan->op_count; i++) {
        const uint64_t facts[] = {plan->ops[i].kind, plan->ops[i].in.depth, plan->ops[i].out.depth};
        key = mix(key, facts, sizeof facts / sizeof *facts);
    }
    return key;
}

/* Whose lanes were measured, by turns as they get frames. */
static uint64_t mix_devices(uint64_t key, const struct zci_lanes *lanes)
{
    struct zci_backend *backend = lanes->params.backend;
    for (uint32_t i = 0; i < lanes->count; i++)
        for (uint32_t place = 0; place < lanes->flights[i].entry_count; place++) {
            struct zcs_device_info info = {.name = ""};
            const uint32_t device = lanes->entries[lanes->flights[i].entries[place]].device;
            backend->ops->device_info(backend, device, &info);
            const uint64_t facts[] = {i, device, info.driver, info.units, info.memory_bytes};
            key = mix(mix_text(key, info.name), facts, sizeof facts / sizeof *facts);
        }
    return key;
}

/* What a measurement is good for: these devices and this driver, source layout, chain, memory and number
 * of frames in flight. The same in another process. */
static uint64_t key_of(const struct zcs_stream *stream, const struct zci_branch *branch)
{
    const struct zci_plan *plan = &branch->plan;
    const struct zci_lanes *lanes = &branch->lanes;
    const uint64_t facts[] = {stream->latency.held_units,
                              lanes->flights[0].entry_count > 1 ? lanes->params.dispatch : 0,
                              stream->memory,
                              zci_pool_slot(branch->results, 0)->memory.kind,
                              plan->source.format,
                              plan->load.width,
                              plan->load.height,
                              plan->source.size_bytes};
    const uint64_t key = mix_text(14695981039346656037u, zcs_version());
    return mix_passes(mix(mix_devices(key, lanes), facts, sizeof facts / sizeof *facts), plan);
}

/* Results that the application does not hold, one for each lane that is measured. 0: too few. */
static int take_results(struct zci_branch *branch)
{
    struct zci_flight *flights = branch->lanes.flights;
    uint32_t taken = 0;
    while (taken < branch->lanes.count &&
           (flights[taken].result = zci_pool_take(branch->results)) != NULL)
        taken++;
    return taken == branch->lanes.count;
}

static void give_results(struct zci_branch *branch)
{
    for (uint32_t i = 0; i < branch->lanes.count; i++) {
        struct zci_slot **result = &branch->lanes.flights[i].result;
        if (*result != NULL)
            zci_slot_unref(*result);
        *result = NULL;
    }
}

static zcs_status measure_with_memory(struct zcs_stream *stream, struct zci_branch *branch,
                                      int64_t ns[ZCI_ROUTES])
{
    struct zci_backend *backend = stream->backend;
    struct stand_in stand_in = {.memory = {.bytes = 0}};
    if (zci_pool_slot(stream->source->pool, 0)->memory.host == NULL) {
        const zcs_status status = backend->ops->memory_alloc(
            backend, ZCS_ROLE_INGEST, branch->plan.source.size_bytes, &stand_in.memory);
        if (status != ZCS_OK)
            return zci_fail(&backend->log, status, "measuring routes: no memory for a frame");
    }
    zcs_status status = take_results(branch) ? ZCS_ERR_BUSY : ZCS_AGAIN;
    while (status == ZCS_ERR_BUSY) /* as often as there are devices, at most */
        status = measure_all(stream, branch, &stand_in, branch->candidates, ns);
    give_results(branch);
    if (stand_in.memory.bytes > 0)
        backend->ops->memory_free(backend, &stand_in.memory);
    return status;
}

static zcs_status measure_and_note(struct zcs_stream *stream, struct zci_branch *branch)
{
    int64_t ns[ZCI_ROUTES] = {0};
    const zcs_status status = measure_with_memory(stream, branch, ns);
    if (status != ZCS_OK)
        return status;
    zci_route_choose(ns, &branch->choice);
    zci_notes_add(stream->ctx, key_of(stream, branch), &branch->choice);
    zci_notes_write(stream->ctx);
    return ZCS_OK;
}

static void take_choice(struct zci_branch *branch)
{
    branch->route = branch->choice.route;
    branch->route_reason = branch->choice.reason;
    zci_log(&branch->lanes.params.backend->log, ZCS_LOG_INFO, "route %s: %s",
            zcs_route_name(branch->route), branch->route_reason);
}

zcs_status zci_calibrate(struct zcs_stream *stream, struct zci_branch *branch)
{
    if (zci_notes_find(stream->ctx, key_of(stream, branch), &branch->choice)) {
        zci_route_remark(&branch->choice, "kept from earlier");
    } else {
        const zcs_status status = measure_and_note(stream, branch);
        if (status != ZCS_OK)
            return status;
    }
    take_choice(branch);
    zci_drift_init(&branch->drift, branch->choice.ns[branch->route]);
    return ZCS_OK;
}

zcs_status zci_recalibrate(struct zcs_stream *stream, struct zci_branch *branch)
{
    const int64_t expected_ns = branch->drift.expected_ns, seen_ns = branch->drift.median_ns;
    const enum zcs_route before = branch->route;
    char remark[96];
    const zcs_status status = measure_and_note(stream, branch);
    if (status != ZCS_OK)
        return status;
    snprintf(remark, sizeof remark, "anew, as %s took %.1f us, not %.1f", zcs_route_name(before),
             (double)seen_ns / 1000.0, (double)expected_ns / 1000.0);
    zci_route_remark(&branch->choice, remark);
    take_choice(branch);
    zci_drift_settle(&branch->drift, branch->choice.ns[branch->route]);
    return ZCS_OK;
}
