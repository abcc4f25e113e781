/* SPDX-License-Identifier: MIT */
/* Lanes of the host backend: one frame's way through the plan's passes, as steps of the workers. */
#include "backend/host/lane.h"

#include <stdlib.h>

#include "backend/host/host.h"
#include "backend/host/lane_steps.h"

static struct zci_host_lane *lane_of(struct zci_lane *lane)
{
    return (struct zci_host_lane *)lane;
}

static zcs_status no_memory(struct zci_host_lane *lane, const char *what, size_t bytes)
{
    return zci_fail(&lane->base.backend->log, ZCS_ERR_NOMEM,
                    "host lane: %s of %zu bytes: no memory", what, bytes);
}

static zcs_status alloc(struct zci_host_lane *lane, const char *what, size_t bytes,
                        struct zci_memory *out)
{
    if (bytes == 0)
        return ZCS_OK;
    if (zci_host_memory_alloc(lane->base.backend, ZCS_ROLE_DEVICE, bytes, out) != ZCS_OK)
        return no_memory(lane, what, bytes);
    return ZCS_OK;
}

static zcs_status alloc_member(struct zci_host_lane *lane, struct zci_host_member *member)
{
    zcs_status status = ZCS_OK;
    for (int i = 0; i < 2 && status == ZCS_OK; i++)
        status = alloc(lane, "a scratch image", lane->plan->image_bytes[i + 1], &member->images[i]);
    return status;
}

static zcs_status alloc_images(struct zci_host_lane *lane, const struct zci_team *team)
{
    lane->members = calloc(team->count, sizeof *lane->members);
    if (lane->members == NULL)
        return no_memory(lane, "members", team->count * sizeof *lane->members);
    lane->member_count = team->count;
    zcs_status status =
        alloc(lane, "a copy of the source", lane->plan->source.size_bytes, &lane->copy);
    for (uint32_t i = 0; i < team->count && status == ZCS_OK; i++) {
        lane->members[i].share = team->shares[i];
        lane->members[i].bench.plan = lane->plan;
        lane->members[i].bench.kernels = zck_table_best();
        status = alloc_member(lane, &lane->members[i]);
    }
    return status;
}

static zcs_status alloc_seats(struct zci_host_lane *lane, const struct zci_plan *plan)
{
    const uint32_t count = zci_workers_count(lane->workers);
    const size_t bytes = zci_scratch_bytes(plan);
    lane->seats = calloc(count, sizeof *lane->seats);
    if (lane->seats == NULL)
        return no_memory(lane, "seats", count * sizeof *lane->seats);
    const zcs_status status = alloc(lane, "scratch rows", count * bytes, &lane->lines);
    if (status != ZCS_OK)
        return status;
    lane->seat_count = count;
    for (uint32_t i = 0; i < count; i++)
        zci_scratch_init(&lane->seats[i].scratch, plan, (uint8_t *)lane->lines.host + i * bytes);
    return ZCS_OK;
}

static zcs_status check_stages(const struct zci_log *log, const struct zci_plan *plan)
{
    for (uint32_t i = 0; i < plan->custom_count; i++)
        if (plan->custom[i].host_fn == NULL)
            return zci_fail(log, ZCS_ERR_UNSUPPORTED, "stage %s: has no host function",
                            plan->custom_names[i]);
    return ZCS_OK;
}

zcs_status zci_host_lane_create(struct zci_backend *backend, const struct zci_team *team,
                                struct zci_bell *bell, int *culprit, struct zci_lane **out)
{
    const struct zci_plan *plan = team->plan;
    (void)culprit; /* nothing here is a device's failure */
    zcs_status status = check_stages(&backend->log, plan);
    if (status != ZCS_OK)
        return status;
    struct zci_host_lane *lane = calloc(1, sizeof *lane);
    if (lane == NULL)
        return zci_fail(&backend->log, ZCS_ERR_NOMEM, "host lane: no memory");
    struct zci_lane *base = &lane->base;
    base->backend = zci_backend_ref(backend);
    base->members = team->count;
    lane->workers = zci_host_of(backend)->workers;
    lane->plan = plan;
    lane->chunks = zci_chunks_make(plan);
    zci_host_lane_steps(lane, bell);
    status = alloc_images(lane, team);
    if (status == ZCS_OK)
        status = alloc_seats(lane, plan);
    if (status != ZCS_OK)
        goto fail;
    *out = base;
    return ZCS_OK;
fail:
    zci_host_lane_destroy(&base);
    return status;
}

zcs_status zci_host_lane_submit(struct zci_lane *base, const struct zci_job *job)
{
    struct zci_host_lane *lane = lane_of(base);
    if (lane->has_job)
        return zci_fail(&base->backend->log, ZCS_ERR_BUSY, "host lane: has a frame already");
    base->culprit = -1;
    if (zci_workers_forked(lane->workers))
        return zci_fail(&base->backend->log, ZCS_ERR_DEVICE,
                        "host lane: a forked child cannot use its parent's context");
    lane->has_job = 1;
    zci_host_lane_start(lane, job);
    return ZCS_OK;
}

zcs_status zci_host_lane_poll(struct zci_lane *base, struct zci_job_result *out)
{
    struct zci_host_lane *lane = lane_of(base);
    const int busy = atomic_load_explicit(&lane->work.busy, memory_order_acquire);
    if (busy && !zci_workers_forked(lane->workers))
        return ZCS_AGAIN;
    lane->has_job = 0;
    if (busy)
        return ZCS_ERR_DEVICE;
    if (atomic_load_explicit(&lane->failed, memory_order_relaxed))
        return ZCS_ERR_DEVICE;
    const struct zci_bench *bench = &lane->members[0].bench;
    const int8_t state = lane->plan->digest_state;
    *out = (struct zci_job_result){
        .cpu_bytes_copied = lane->copied_bytes,
        .digest = state >= 0 ? bench->states[state].digest : 0,
        .device_data = bench->images[0],
    };
    return ZCS_OK;
}

zcs_status zci_host_lane_wait(struct zci_lane *base, int64_t timeout_ns)
{
    struct zci_host_lane *lane = lane_of(base);
    return zci_workers_wait(lane->workers, &lane->work, timeout_ns);
}

static void release(struct zci_backend *backend, struct zci_memory *memory)
{
    if (memory->bytes > 0)
        zci_host_memory_free(backend, memory);
}

void zci_host_lane_destroy(struct zci_lane **base)
{
    if (*base == NULL)
        return;
    struct zci_host_lane *lane = lane_of(*base);
    struct zci_backend *backend = lane->base.backend;
    *base = NULL;
    zci_workers_wait(lane->workers, &lane->work, -1);
    release(backend, &lane->copy);
    for (uint32_t i = 0; i < lane->member_count; i++)
        for (int k = 0; k < 2; k++)
            release(backend, &lane->members[i].images[k]);
    release(backend, &lane->lines);
    free(lane->members);
    free(lane->seats);
    free(lane);
    zci_backend_unref(&backend);
}
