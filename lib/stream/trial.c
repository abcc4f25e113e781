/* SPDX-License-Identifier: MIT */
/* Trials: all candidates in turn, several rounds, the median of each. */
#include "stream/trial.h"

#include "os/clock.h"
#include "stream/drift.h"

#define MAX_ROUNDS 9u
#define MIN_ROUNDS 3u
#define MAX_TURNS 4u   /* of each frame context that are timed in a round ... */
#define OTHER_TURNS 2u /* ... beside those before and after */

/* The number-th frame, on a frame context with a result. */
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

/* *waited: it was not there yet. */
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

/* What is timed: from one completion to another, with as many frames in flight at both, so that neither filling the
 * frame contexts nor what is left undone counts. Whole turns of the frame contexts, since these may complete all at once. */
struct span {
    uint32_t inflight, timed;
    uint32_t first, last; /* completions that it lies between */
    int sure;             /* the one behind the first had to be waited for */
    int64_t begin_ns, end_ns;
};

/* A host that stood still sees several completions late and at once; if it began there, what follows would look
 * quicker than it is. So the beginning is a completion with which no other was there, if there is one soon. */
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

/* Frames on all frame contexts at once, so that devices share the bus as they will, each frame context's next one when its latest is
 * there, as a stream's. `turns` on each frame context are timed. The time for one of them, as drift is told by later.
 * ZCS_ERR_BUSY: a device failed and was taken out, to be begun anew. */
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
                                  : status; /* a frame context's own word for something else */
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

/* As many as there is time for in the least rounds, if one turn of all candidates takes turn_ns. */
static uint32_t turns_for(const struct zci_trial_budget *budget, int64_t turn_ns)
{
    const int64_t turns = budget->min_ns / MIN_ROUNDS / (turn_ns > 0 ? turn_ns : 1) - OTHER_TURNS;
    return turns < 1 ? 1 : turns > MAX_TURNS ? MAX_TURNS : (uint32_t)turns;
}

zcs_status zci_trial_run(struct zcs_stream *stream, struct zci_branch *branch,
                         const struct zci_trial_budget *budget, int64_t best[ZCI_ROUTES])
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
