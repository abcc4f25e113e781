/* SPDX-License-Identifier: MIT */
/* Calibration: measures what a frame takes on each route, or finds it in the route cache, and
 * chooses a route. */
#include "stream/calibrate.h"

#include <stdio.h>
#include <string.h>

#include "context/route_cache.h"
#include "os/clock.h"
#include "stream/drift.h"

/* The time limits of a trial. If frames are so slow that not one round fits, only the warm-up round
 * is run: three frames on each frame context by each route. */
struct trial_budget {
    /* for the minimum number of rounds; more turns fit in if frames are quick, which makes the
     * figure surer */
    int64_t min_ns;
    int64_t rounds_ns; /* for more rounds */
};

#define MAX_ROUNDS 9u
#define MIN_ROUNDS 3u
#define MAX_TURNS 4u   /* of each frame context that are timed in a round ... */
#define OTHER_TURNS 2u /* ... and those before and after them */

/* Submits the number-th frame to a frame context, with a result. */
static zcs_status submit(const struct zcs_stream *stream, const struct zci_branch *branch,
                         uint32_t number, enum zcs_route route)
{
    struct zci_pool *slots = stream->source->pool;
    const struct zci_flight *flight = &branch->inflight.flights[number % branch->inflight.count];
    const struct zci_slot *slot = zci_pool_slot(slots, number % zci_pool_count(slots));
    const struct zci_memory *memory = stream->sample.bytes ? &stream->sample : &slot->memory;
    const struct zci_job job = {
        .source = memory->host,
        .source_memory = memory->bytes ? memory : NULL,
        .result = flight->result->memory.host,
        .result_memory = &flight->result->memory,
        .route = route,
    };
    return stream->backend->ops->frame_ctx_submit(flight->fctx, &job);
}

/* Collects the oldest frame. *waited: it was not complete yet. */
static zcs_status collect(const struct zcs_stream *stream, const struct zci_branch *branch,
                          uint32_t number, int *waited)
{
    struct zci_frame_ctx *fctx = branch->inflight.flights[number % branch->inflight.count].fctx;
    struct zci_job_result done;
    zcs_status status = stream->backend->ops->frame_ctx_poll(fctx, &done);
    *waited = status == ZCS_AGAIN;
    while (status == ZCS_AGAIN) {
        (void)stream->backend->ops->frame_ctx_wait(fctx, -1);
        status = stream->backend->ops->frame_ctx_poll(fctx, &done);
    }
    return status;
}

/* What is timed: the span from one completion to another with equally many frames in flight at both
 * ends, so that neither filling the frame contexts nor draining them counts. It covers whole turns
 * of all frame contexts, since these may complete at the same time. */
struct span {
    uint32_t inflight, timed;
    uint32_t first, last; /* the completions at both ends */
    int sure;             /* the completion after the first had to be waited for */
    int64_t begin_ns, end_ns;
};

/* A stalled host sees several completions late and at once. If the span began there, the frames
 * after it would look quicker than they are. So the span begins at a completion that came alone, if
 * there is one soon. */
static void note(struct span *span, uint32_t ended, int waited)
{
    span->sure |= ended > span->first && waited;
    if (!span->sure && ended >= span->inflight && ended <= 2 * span->inflight) {
        span->first = ended;
        span->last = ended + span->timed;
        span->begin_ns = zci_now_ns();
    }
    if (ended == span->last)
        span->end_ns = zci_now_ns();
}

/* Runs frames on all frame contexts at once, so that devices share the bus as in a stream: a frame
 * context gets its next frame when its latest one is complete. `turns` of each frame context are
 * timed. Gives the time of one turn, which drift is compared with later. ZCS_ERR_BUSY: a device
 * failed and was taken out; the caller starts again. */
static zcs_status measure(struct zcs_stream *stream, struct zci_branch *branch,
                          enum zcs_route route, uint32_t turns, int64_t *ns)
{
    const uint32_t count = branch->inflight.count, timed = count * turns;
    struct span span = {.inflight = count, .timed = timed, .first = count, .last = count + timed};
    zcs_status status = ZCS_OK;
    uint32_t begun = 0, ended = 0, guilty = 0;
    int waited = 0;
    while (ended < begun || (status == ZCS_OK && ended < span.last)) {
        const int more = status == ZCS_OK && begun < span.last + count && begun < ended + count;
        const zcs_status one =
            more ? submit(stream, branch, begun, route) : collect(stream, branch, ended, &waited);
        if (status == ZCS_OK && one != ZCS_OK) {
            guilty = (more ? begun : ended) % count;
            status = one;
        }
        begun += more && one == ZCS_OK;
        ended += !more;
        if (!more)
            note(&span, ended, waited);
    }
    *ns = (span.end_ns - span.begin_ns) / timed;
    if (status == ZCS_OK)
        return ZCS_OK;
    if (zci_inflight_blame(&branch->inflight, guilty) == ZCS_OK)
        return ZCS_ERR_BUSY;
    return status == ZCS_ERR_BUSY ? ZCS_ERR_DEVICE
                                  /* a frame context uses this status for something else */
                                  : status;
}

static zcs_status round_of(struct zcs_stream *stream, struct zci_branch *branch, uint32_t turns,
                           int64_t ns[ZCI_ROUTES])
{
    zcs_status status = ZCS_OK;
    for (int i = 0; i < (int)ZCI_ROUTES && status == ZCS_OK; i++)
        if (branch->candidates >> i & 1u)
            status = measure(stream, branch, (enum zcs_route)i, turns, &ns[i]);
    return status;
}

/* As many turns as there is time for in the minimum number of rounds, if one turn of all candidates
 * takes turn_ns. */
static uint32_t turns_for(const struct trial_budget *budget, int64_t turn_ns)
{
    const int64_t turns = budget->min_ns / MIN_ROUNDS / (turn_ns > 0 ? turn_ns : 1) - OTHER_TURNS;
    return turns < 1 ? 1 : turns > MAX_TURNS ? MAX_TURNS : (uint32_t)turns;
}

/* Gives the nanoseconds of a frame for each candidate of the branch. Its frame contexts are idle
 * and have results. The entries of other routes in `best` stay 0. ZCS_ERR_BUSY: a device failed and
 * was taken out; the caller starts again. */
static zcs_status run_trial(struct zcs_stream *stream, struct zci_branch *branch,
                            const struct trial_budget *budget, int64_t best[ZCI_ROUTES])
{
    int64_t values[ZCI_ROUTES][MAX_ROUNDS] = {{0}}, latest[ZCI_ROUTES] = {0}, turn_ns = 0;
    zcs_status status = round_of(stream, branch, 1, best);
    for (int i = 0; i < (int)ZCI_ROUTES; i++)
        turn_ns += best[i] * branch->inflight.count;
    const uint32_t turns = turns_for(budget, turn_ns);
    const int64_t begin_ns = zci_now_ns();
    uint32_t rounds = 0;
    while (status == ZCS_OK && rounds < MAX_ROUNDS) {
        const int min = rounds < MIN_ROUNDS;
        const int64_t next_ns = min ? turn_ns * (turns + OTHER_TURNS) : 0;
        if (zci_now_ns() - begin_ns + next_ns > (min ? budget->min_ns : budget->rounds_ns))
            break;
        status = round_of(stream, branch, turns, latest);
        for (int i = 0; i < (int)ZCI_ROUTES; i++)
            values[i][rounds] = latest[i];
        rounds++;
    }
    for (int i = 0; i < (int)ZCI_ROUTES && rounds > 0; i++)
        best[i] = zci_median(values[i], rounds);
    return status;
}

static const struct trial_budget at_start = {.min_ns = 100000000, .rounds_ns = 30000000};
static const struct trial_budget between_frames = {.min_ns = 40000000, .rounds_ns = 15000000};

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

/* The devices whose frame contexts were measured, in the order in which they get frames. */
static uint64_t mix_devices(uint64_t key, const struct zci_inflight *inflight)
{
    struct zci_backend *backend = inflight->params.backend;
    for (uint32_t i = 0; i < inflight->count; i++)
        for (uint32_t place = 0; place < inflight->flights[i].entry_count; place++) {
            struct zcs_device_info info = {.name = ""};
            const uint32_t device = inflight->entries[inflight->flights[i].entries[place]].device;
            backend->ops->device_info(backend, device, &info);
            const uint64_t facts[] = {i, device, info.driver, info.units, info.memory_bytes};
            key = mix(mix_text(key, info.name), facts, sizeof facts / sizeof *facts);
        }
    return key;
}

/* What a measurement depends on: the devices and the driver, the source's layout, the chain, the
 * kind of memory and the number of frames in flight. The key is the same in another process. */
static uint64_t key_of(const struct zcs_stream *stream, const struct zci_branch *branch)
{
    const struct zci_plan *plan = &branch->plan;
    const struct zci_inflight *inflight = &branch->inflight;
    const uint64_t facts[] = {stream->latency.reserved_sms,
                              inflight->flights[0].entry_count > 1 ? inflight->params.dispatch : 0,
                              stream->memory,
                              zci_pool_slot(branch->results, 0)->memory.kind,
                              plan->source.format,
                              plan->load.width,
                              plan->load.height,
                              plan->source.size_bytes};
    const uint64_t key = mix_text(14695981039346656037u, zcs_version());
    return mix_passes(mix(mix_devices(key, inflight), facts, sizeof facts / sizeof *facts), plan);
}

/* Takes a result for each frame context that is measured, of those that the application does not
 * hold. 0: too few. */
static int take_results(struct zci_branch *branch)
{
    struct zci_flight *flights = branch->inflight.flights;
    uint32_t taken = 0;
    while (taken < branch->inflight.count &&
           (flights[taken].result = zci_pool_take(branch->results)) != NULL)
        taken++;
    return taken == branch->inflight.count;
}

static void give_results(struct zci_branch *branch)
{
    for (uint32_t i = 0; i < branch->inflight.count; i++) {
        struct zci_slot **result = &branch->inflight.flights[i].result;
        if (*result != NULL)
            zci_slot_unref(*result);
        *result = NULL;
    }
}

static zcs_status measure_and_note(struct zcs_stream *stream, struct zci_branch *branch,
                                   const struct trial_budget *budget)
{
    int64_t ns[ZCI_ROUTES] = {0};
    zcs_status status = take_results(branch) ? ZCS_ERR_BUSY : ZCS_AGAIN;
    while (status == ZCS_ERR_BUSY) /* at most once for each device */
        status = run_trial(stream, branch, budget, ns);
    give_results(branch);
    if (status != ZCS_OK)
        return status;
    zci_route_choose(ns, &branch->choice);
    zci_route_cache_add(&stream->ctx->route_cache, key_of(stream, branch), &branch->choice);
    zci_route_cache_write(&stream->ctx->route_cache, &stream->ctx->log);
    return ZCS_OK;
}

static void take_choice(struct zci_branch *branch)
{
    branch->route = branch->choice.route;
    branch->route_reason = branch->choice.reason;
    zci_log(&branch->inflight.params.backend->log, ZCS_LOG_INFO, "route %s: %s",
            zcs_route_name(branch->route), branch->route_reason);
}

zcs_status zci_calibrate(struct zcs_stream *stream, struct zci_branch *branch)
{
    if (zci_route_cache_find(&stream->ctx->route_cache, key_of(stream, branch), &branch->choice)) {
        zci_route_remark(&branch->choice, "kept from earlier");
    } else {
        const zcs_status status = measure_and_note(stream, branch, &at_start);
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
    const zcs_status status = measure_and_note(stream, branch, &between_frames);
    if (status != ZCS_OK)
        return status;
    snprintf(remark, sizeof remark, "anew, as %s took %.1f us, not %.1f", zcs_route_name(before),
             (double)seen_ns / 1000.0, (double)expected_ns / 1000.0);
    zci_route_remark(&branch->choice, remark);
    take_choice(branch);
    zci_drift_settle(&branch->drift, branch->choice.ns[branch->route]);
    return ZCS_OK;
}
