/* SPDX-License-Identifier: MIT */
/* Lanes: their making, seeing them complete, and their end. */
#define _DEFAULT_SOURCE /* sched_yield beside the C11 library */
#include "backend/cuda/lane.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "backend/cuda/layout.h"
#include "backend/cuda/memory.h"
#include "backend/cuda/resident.h"
#include "backend/cuda/spare.h"
#include "core/clock.h"

#define FLAG_BYTES 128u  /* where the flag lies behind the report */
#define LOOKS 64u        /* at the report, between two at the clock */
#define QUERY_NS 1000000 /* between two questions to CUDA about errors: each takes microseconds */
#define SPIN_NS 200000   /* a wait that takes longer gives the processor up in between */

static struct zci_cuda_lane *lane_of(struct zci_lane *lane)
{
    return (struct zci_cuda_lane *)lane;
}

static zcs_status check_stages(const struct zci_log *log, const struct zci_plan *plan)
{
    for (uint32_t i = 0; i < plan->custom_count; i++)
        if (plan->custom[i].cuda_fn == NULL)
            return zci_fail(log, ZCS_ERR_UNSUPPORTED, "stage %s: has no CUDA function",
                            plan->custom_names[i]);
    return ZCS_OK;
}

_Static_assert(2 * FLAG_BYTES <= ZCI_CUDA_REPORT_BYTES, "a report and a flag");

static zcs_status make_report(struct zci_cuda_lane *lane)
{
    const zcs_status status = zci_cuda_spare_take(lane->cuda, lane->device, &lane->pinned);
    if (status != ZCS_OK)
        return zci_fail(&lane->cuda->base.log, status,
                        "cuda lane: no pinned memory for its report");
    if (zci_cuda_memory_seen(&lane->pinned, lane->device) == NULL &&
        lane->cuda->devices[lane->device].facts.can_map)
        return zci_fail(&lane->cuda->base.log, ZCS_ERR_DEVICE,
                        "cuda device %u: does not reach its lane's report", lane->device);
    lane->report = lane->pinned.host;
    lane->flag = (uint32_t *)((uint8_t *)lane->pinned.host + FLAG_BYTES);
    *lane->report = (struct zck_cuda_report){.frame = 0};
    lane->watched = lane->report;
    *lane->flag = 0;
    return ZCS_OK;
}

static uint32_t last_pass(const struct zci_plan *plan, const struct zci_share *share)
{
    uint32_t last = plan->pass_count - 1;
    while (last > 0 && zci_rows_none(share->rows[last]))
        last--;
    return last;
}

zcs_status zci_cuda_lane_create(struct zci_backend *backend, const struct zci_team *team,
                                uint32_t place, struct zci_lane **out)
{
    const uint32_t device = team->devices[place];
    const struct zci_plan *plan = team->plan;
    struct zci_cuda *cuda = zci_cuda_of(backend);
    int previous;
    zcs_status status = check_stages(&backend->log, plan);
    if (status == ZCS_OK)
        status = zci_cuda_enter(cuda, device, &previous);
    if (status != ZCS_OK)
        return status;
    struct zci_cuda_lane *lane = calloc(1, sizeof *lane);
    if (lane == NULL) {
        zci_cuda_leave(cuda, previous);
        return zci_fail(&backend->log, ZCS_ERR_NOMEM, "cuda lane: no memory");
    }
    struct zci_lane *base = &lane->base;
    base->backend = zci_backend_ref(backend);
    base->members = 1;
    lane->cuda = cuda;
    lane->device = device;
    lane->plan = plan;
    lane->share = team->shares[place];
    lane->team_count = team->count;
    lane->last_pass = last_pass(plan, &lane->share);
    status = make_report(lane);
    if (status == ZCS_OK)
        status = zci_cuda_queue_take(cuda, device, &lane->queue);
    if (status == ZCS_OK)
        status = zci_cuda_copies_take(cuda, device, plan, &lane->copies);
    if (status == ZCS_OK)
        status = zci_cuda_layout(lane);
    zci_cuda_leave(cuda, previous);
    if (status != ZCS_OK)
        goto fail;
    *out = base;
    return ZCS_OK;
fail:
    zci_cuda_lane_destroy(&base);
    return status;
}

int zci_cuda_lane_reported(const struct zci_cuda_lane *lane)
{
    return __atomic_load_n(&lane->watched->frame, __ATOMIC_ACQUIRE) == lane->awaited;
}

/* Behind a report: ZCS_AGAIN while what the frame was made of is still read. */
static zcs_status settle(struct zci_cuda_lane *lane)
{
    return zci_cuda_resident_works(lane) ? zci_cuda_resident_settle(lane) : ZCS_OK;
}

/* Asks CUDA, which also finds errors. */
static zcs_status query(struct zci_cuda_lane *lane)
{
    zcs_status status = zci_cuda_ask(lane->cuda, lane->device, lane->at_work, "running a frame");
    if (status != ZCS_OK)
        return status;
    if (zci_cuda_lane_reported(lane))
        return settle(lane);
    if (zci_cuda_resident_works(lane))
        status = zci_cuda_resident_tend(lane);
    else
        status =
            zci_fail(&lane->cuda->base.log, ZCS_ERR_DEVICE,
                     "cuda device %u: frame %u ended without a report", lane->device, lane->frame);
    return status;
}

/* ZCS_AGAIN while the frame is under way. */
static zcs_status look(struct zci_cuda_lane *lane)
{
    if (zci_cuda_lane_reported(lane))
        return settle(lane);
    if (zci_cuda_resident_works(lane)) {
        const zcs_status status = zci_cuda_resident_tend(lane);
        if (status != ZCS_AGAIN)
            return status;
    }
    const int64_t now_ns = zci_now_ns();
    if (lane->asked_ns == 0)
        lane->asked_ns = now_ns;
    if (now_ns - lane->asked_ns < QUERY_NS)
        return ZCS_AGAIN;
    const zcs_status status = query(lane);
    if (status == ZCS_AGAIN)
        lane->asked_ns = now_ns; /* else poll sees at once what wait has seen */
    return status;
}

zcs_status zci_cuda_lane_poll(struct zci_lane *base, struct zci_job_result *out)
{
    struct zci_cuda_lane *lane = lane_of(base);
    zcs_status status = look(lane);
    if (status == ZCS_AGAIN)
        return status;
    lane->busy = 0;
    base->culprit = 0;
    if (status != ZCS_OK) {
        lane->blanked = 0;
        return ZCS_ERR_DEVICE;
    }
    if (lane->plan->digest_state >= 0)
        lane->done.digest = lane->watched->digest;
    *out = lane->done;
    return ZCS_OK;
}

zcs_status zci_cuda_lane_wait(struct zci_lane *base, int64_t timeout_ns)
{
    struct zci_cuda_lane *lane = lane_of(base);
    const int64_t deadline_ns = zci_deadline_ns(timeout_ns), yield_ns = zci_now_ns() + SPIN_NS;
    while (lane->busy) {
        for (uint32_t i = 0; i < LOOKS && !zci_cuda_lane_reported(lane); i++)
            continue;
        if (look(lane) != ZCS_AGAIN)
            return ZCS_OK;
        const int64_t now_ns = zci_now_ns();
        if (now_ns >= deadline_ns)
            return ZCS_AGAIN;
        if (now_ns > yield_ns)
            sched_yield();
    }
    return ZCS_OK;
}

void zci_cuda_lane_drain(struct zci_cuda_lane *lane)
{
    const struct zci_cuda_api *api = lane->cuda->api;
    lane->blanked = 0; /* whoever should have seen to it may not have run */
    zci_cuda_judge(lane->cuda, lane->device, api->stream_wait(lane->copies->stream));
    zci_cuda_judge(lane->cuda, lane->device, api->stream_wait(lane->queue->stream));
}

void zci_cuda_lane_destroy(struct zci_lane **base)
{
    if (*base == NULL)
        return;
    struct zci_cuda_lane *lane = lane_of(*base);
    struct zci_backend *backend = lane->base.backend;
    struct zci_cuda *cuda = lane->cuda;
    *base = NULL;
    int previous;
    const int usable = zci_cuda_enter_quietly(cuda, lane->device, &previous);
    zci_cuda_resident_finish(lane, usable);
    if (usable && lane->copies != NULL)
        zci_cuda_lane_drain(lane);
    if (usable && lane->arena != NULL)
        zci_cuda_judge(cuda, lane->device, cuda->api->device_free(lane->arena));
    if (usable)
        zci_cuda_leave(cuda, previous);
    zci_cuda_spare_give(cuda, &lane->pinned);
    zci_cuda_copies_give(cuda, lane->copies);
    zci_cuda_queue_give(cuda, lane->device, lane->queue);
    free(lane->steps);
    free(lane);
    zci_backend_unref(&backend);
}
