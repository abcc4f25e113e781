/* SPDX-License-Identifier: MIT */
/* Teams: a lane on each device, and the order in which they are given their part of a frame. */
#include "backend/cuda/team.h"

#include <stdlib.h>

#include "backend/cuda/exchange.h"
#include "backend/cuda/submit.h"
#include "core/clock.h"

#define SLICE_NS                                                                                   \
    20000 /* of a wait, on each lane in turn: one that fails is seen while others wait for it */

static struct zci_cuda_team *team_of(struct zci_lane *lane)
{
    return (struct zci_cuda_team *)lane;
}

/* Copies between devices go straight then. Where they cannot, the driver finds another way. */
static void enable_peers(struct zci_cuda *cuda, const struct zci_team *team)
{
    for (uint32_t i = 0; i < team->count; i++) {
        int previous;
        if (zci_cuda_enter(cuda, team->devices[i], &previous) != ZCS_OK)
            continue;
        for (uint32_t k = 0; k < team->count; k++)
            if (team->devices[k] != team->devices[i] &&
                cuda->api->peer_enable((int)team->devices[k]) != ZCI_CUDA_SUCCESS)
                cuda->api->last_error();
        zci_cuda_leave(cuda, previous);
    }
}

static zcs_status add_member(struct zci_cuda_team *team, const struct zci_team *wanted)
{
    struct zci_cuda *cuda = team->cuda;
    const uint32_t place = team->count, device = wanted->devices[place];
    struct zci_lane *lane = NULL;
    int previous;
    zcs_status status = zci_cuda_lane_create(&cuda->base, wanted, place, &lane);
    if (status != ZCS_OK)
        return status;
    team->lanes[team->count++] = (struct zci_cuda_lane *)lane;
    status = zci_cuda_enter(cuda, device, &previous);
    if (status != ZCS_OK)
        return status;
    status = zci_cuda_check(cuda, device, cuda->api->event_create(&team->events[place]),
                            "making an event");
    zci_cuda_leave(cuda, previous);
    return status;
}

/* Reductions of several devices end in parts. */
static void set_partial(struct zci_cuda_team *team)
{
    for (uint32_t i = 0; i < team->count; i++)
        for (uint32_t p = 0; p < team->plan->pass_count; p++)
            team->lanes[i]->steps[p].pass.finish.partial = (uint32_t)zci_cuda_is_combined(team, p);
}

zcs_status zci_cuda_team_create(struct zci_backend *backend, const struct zci_team *team,
                                struct zci_bell *bell, int *culprit, struct zci_lane **out)
{
    (void)bell; /* the backend is polled */
    *culprit = 0;
    if (team->count == 1)
        return zci_cuda_lane_create(backend, team, 0, out);
    struct zci_cuda_team *made = calloc(1, sizeof *made);
    if (made == NULL)
        return zci_fail(&backend->log, ZCS_ERR_NOMEM, "cuda team: no memory");
    struct zci_lane *base = &made->base;
    base->backend = zci_backend_ref(backend);
    base->members = team->count;
    made->cuda = zci_cuda_of(backend);
    made->plan = team->plan;
    made->maker = zci_team_maker(team);
    enable_peers(made->cuda, team);
    zcs_status status = ZCS_OK;
    for (uint32_t i = 0; i < team->count && status == ZCS_OK; i++) {
        *culprit = (int)i;
        status = add_member(made, team);
    }
    if (status != ZCS_OK)
        goto fail;
    set_partial(made);
    *out = base;
    return ZCS_OK;
fail:
    zci_cuda_team_destroy(&base);
    return status;
}

static int is_idle(const struct zci_cuda_lane *lane)
{
    return zci_rows_none(lane->share.rows[lane->last_pass]);
}

static zcs_status begin(struct zci_cuda_team *team, uint32_t place, const struct zci_job *job,
                        struct zci_cuda_places *at)
{
    struct zci_cuda_lane *lane = team->lanes[place];
    *at = zci_cuda_find_places(lane, job);
    lane->done = (struct zci_job_result){.route = ZCS_ROUTE_AUTO};
    const zcs_status status = zci_cuda_can_write(lane, at);
    if (status != ZCS_OK)
        return status;
    zci_cuda_begin_frame(lane, at);
    return zci_rows_none(lane->share.rows[0]) ? ZCS_OK : zci_cuda_bring(lane, job, at);
}

static zcs_status run_pass(struct zci_cuda_team *team, uint32_t place, uint32_t index)
{
    struct zci_cuda_lane *lane = team->lanes[place];
    struct zci_cuda *cuda = team->cuda;
    zcs_status status = zci_cuda_take_over(team, place, index);
    if (status == ZCS_OK)
        status = zci_cuda_run_step(lane, index);
    if (status == ZCS_OK && zci_cuda_is_awaited(team, place, index))
        status = zci_cuda_check(cuda, lane->device,
                                cuda->api->event_record(team->events[place], lane->queue->stream),
                                "recording an event");
    return status;
}

/* One lane's part up to the end of pass `index`, with its device current. */
static zcs_status advance(struct zci_cuda_team *team, uint32_t place, uint32_t index,
                          const struct zci_job *job, struct zci_cuda_places *at)
{
    struct zci_cuda_lane *lane = team->lanes[place];
    int previous;
    if (is_idle(lane) || (index > 0 && zci_rows_none(lane->share.rows[index])))
        return ZCS_OK;
    zcs_status status = zci_cuda_enter(team->cuda, lane->device, &previous);
    if (status != ZCS_OK)
        return status;
    if (index == 0)
        status = begin(team, place, job, at);
    if (status == ZCS_OK && !zci_rows_none(lane->share.rows[index]))
        status = run_pass(team, place, index);
    if (status == ZCS_OK && index == lane->last_pass) {
        status = zci_cuda_end_frame(lane, at);
        lane->busy = status == ZCS_OK;
        team->pending |= (uint32_t)lane->busy << place;
    }
    zci_cuda_leave(team->cuda, previous);
    return status;
}

static zcs_status enqueue(struct zci_cuda_team *team, const struct zci_job *job)
{
    struct zci_cuda_places at[ZCS_MAX_DEVICES];
    zcs_status status = ZCS_OK;
    for (uint32_t p = 0; p < team->plan->pass_count && status == ZCS_OK; p++) {
        for (uint32_t i = 0; i < team->count && status == ZCS_OK; i++) {
            team->lanes[i]->base.culprit = 0;
            status = advance(team, i, p, job, &at[i]);
            if (status != ZCS_OK)
                team->base.culprit = team->lanes[i]->base.culprit < 0 ? -1 : (int)i;
        }
        if (status == ZCS_OK)
            status = zci_cuda_combine(team, p, &team->base.culprit);
    }
    return status;
}

static int lost_one(const struct zci_cuda_team *team)
{
    for (uint32_t i = 0; i < team->count; i++)
        if (atomic_load(&team->cuda->devices[team->lanes[i]->device].lost))
            return (int)i;
    return -1;
}

/* Whose device is lost; else the lane at `place`. Calls about two devices may tell of either's error, so that
 * each is asked about itself. */
static int find_culprit(struct zci_cuda_team *team, int place)
{
    struct zci_cuda *cuda = team->cuda;
    for (uint32_t i = 0; i < team->count && lost_one(team) < 0; i++) {
        struct zci_cuda_lane *lane = team->lanes[i];
        int previous;
        if (!zci_cuda_enter_quietly(cuda, lane->device, &previous))
            continue;
        const int error = cuda->api->stream_query(lane->queue->stream);
        if (error != ZCI_CUDA_NOT_READY)
            zci_cuda_judge(cuda, lane->device, error);
        else
            cuda->api->last_error();
        zci_cuda_leave(cuda, previous);
    }
    const int found = lost_one(team);
    return found >= 0 ? found : place;
}

/* Nothing of the frame is under way any more. */
static void give_up(struct zci_cuda_team *team)
{
    team->pending = 0;
    for (uint32_t i = 0; i < team->count; i++) {
        struct zci_cuda_lane *lane = team->lanes[i];
        int previous;
        lane->busy = 0;
        if (!zci_cuda_enter_quietly(team->cuda, lane->device, &previous))
            continue;
        zci_cuda_lane_drain(lane);
        zci_cuda_leave(team->cuda, previous);
    }
}

zcs_status zci_cuda_team_submit(struct zci_lane *base, const struct zci_job *job)
{
    struct zci_cuda_team *team = team_of(base);
    if (base->members <= 1)
        return zci_cuda_lane_submit(base, job);
    if (team->pending != 0)
        return zci_fail(&base->backend->log, ZCS_ERR_BUSY, "cuda team: has a frame already");
    base->culprit = 0;
    team->done = (struct zci_job_result){.route = ZCS_ROUTE_AUTO};
    if (enqueue(team, job) == ZCS_OK)
        return ZCS_OK;
    if (base->culprit >= 0)
        base->culprit = find_culprit(team, base->culprit);
    give_up(team);
    return ZCS_ERR_DEVICE;
}

static void add_done(struct zci_cuda_team *team, const struct zci_cuda_lane *lane,
                     const struct zci_job_result *done)
{
    const struct zci_plan *plan = team->plan;
    const uint64_t copied = team->done.cpu_bytes_copied + done->cpu_bytes_copied;
    const enum zcs_route route = done->route != ZCS_ROUTE_AUTO ? done->route : team->done.route;
    uint64_t digest = team->done.digest;
    for (uint32_t p = 0; p < plan->pass_count; p++)
        if (plan->passes[p].reduce.kind == ZCI_REDUCE_DIGEST &&
            plan->passes[p].reduce.state == plan->digest_state &&
            !zci_rows_none(lane->share.sums[p]))
            digest += done->digest;
    if (lane == team->lanes[team->maker])
        team->done = *done;
    team->done.digest = digest;
    team->done.cpu_bytes_copied = copied;
    team->done.route = route;
}

zcs_status zci_cuda_team_poll(struct zci_lane *base, struct zci_job_result *out)
{
    struct zci_cuda_team *team = team_of(base);
    if (base->members <= 1)
        return zci_cuda_lane_poll(base, out);
    for (uint32_t i = 0; i < team->count; i++) {
        struct zci_cuda_lane *lane = team->lanes[i];
        struct zci_job_result done;
        if (!(team->pending >> i & 1u))
            continue;
        const zcs_status status = zci_cuda_lane_poll(&lane->base, &done);
        if (status == ZCS_AGAIN)
            continue;
        if (status != ZCS_OK) {
            base->culprit = find_culprit(team, (int)i);
            team->pending = 0;
            return status;
        }
        team->pending &= ~(1u << i);
        add_done(team, lane, &done);
    }
    if (team->pending != 0)
        return ZCS_AGAIN;
    *out = team->done;
    return ZCS_OK;
}

/* Bits of lanes that have nothing more to wait for. */
static uint32_t look(struct zci_cuda_team *team, uint32_t pending)
{
    uint32_t over = 0;
    for (uint32_t i = 0; i < team->count; i++)
        if (pending >> i & 1u && zci_cuda_lane_wait(&team->lanes[i]->base, SLICE_NS) == ZCS_OK)
            over |= 1u << i;
    return over;
}

zcs_status zci_cuda_team_wait(struct zci_lane *base, int64_t timeout_ns)
{
    struct zci_cuda_team *team = team_of(base);
    if (base->members <= 1)
        return zci_cuda_lane_wait(base, timeout_ns);
    const int64_t deadline_ns = zci_deadline_ns(timeout_ns);
    uint32_t pending = team->pending;
    while (pending != 0) {
        const uint32_t over = look(team, pending);
        for (uint32_t i = 0; i < team->count; i++)
            if (over >> i & 1u && !zci_cuda_lane_reported(team->lanes[i]))
                return ZCS_OK; /* it has failed */
        pending &= ~over;
        if (pending != 0 && zci_now_ns() >= deadline_ns)
            return ZCS_AGAIN;
    }
    return ZCS_OK;
}

void zci_cuda_team_destroy(struct zci_lane **base)
{
    if (*base == NULL || (*base)->members <= 1) {
        zci_cuda_lane_destroy(base);
        return;
    }
    struct zci_cuda_team *team = team_of(*base);
    struct zci_backend *backend = team->base.backend;
    struct zci_cuda *cuda = team->cuda;
    *base = NULL;
    give_up(team);
    for (uint32_t i = 0; i < team->count; i++) {
        struct zci_lane *lane = &team->lanes[i]->base;
        int previous;
        const int usable = zci_cuda_enter_quietly(cuda, team->lanes[i]->device, &previous);
        if (usable && team->events[i] != NULL)
            zci_cuda_judge(cuda, team->lanes[i]->device, cuda->api->event_destroy(team->events[i]));
        if (usable)
            zci_cuda_leave(cuda, previous);
        zci_cuda_lane_destroy(&lane);
    }
    free(team);
    zci_backend_unref(&backend);
}
