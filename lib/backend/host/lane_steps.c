/* SPDX-License-Identifier: MIT */
/* A frame's steps, as the workers call for them. */
#include "backend/host/lane_steps.h"

#include <stddef.h>

#include "core/trace.h"
#include "kernels/sums.h"

/* A few bands for each worker, so that all end at about the same time, but none so small that a
 * stencil's extra rows or the hand-out would count. */
#define BANDS_PER_WORKER 4u
#define LEAST_BAND_ROWS 16u

static struct zci_host_lane *lane_of(struct zci_work *work)
{
    return (struct zci_host_lane *)((char *)work - offsetof(struct zci_host_lane, work));
}

static const struct zci_pass *pass_of(const struct zci_host_lane *lane)
{
    return &lane->plan->passes[lane->pass];
}

/* A stage failed: logged by the first band that saw it. */
static void fail(struct zci_host_lane *lane, zcs_status status)
{
    const struct zci_pass *pass = pass_of(lane);
    if (atomic_exchange(&lane->failed, 1) == 0)
        zci_log(&lane->base.backend->log, ZCS_LOG_ERROR, "stage %s: failed on a frame of %ux%u: %s",
                lane->plan->custom_names[pass->custom], pass->width, pass->height,
                zcs_strerror(status));
}

/* What the member has to do in this step. */
static struct zci_rows rows_of(const struct zci_host_lane *lane, uint32_t member)
{
    const struct zci_rows step = {lane->first, lane->last};
    return zci_rows_both(step, lane->members[member].share.rows[lane->pass]);
}

static uint32_t bands_of(const struct zci_host_lane *lane, uint32_t member)
{
    const struct zci_rows rows = rows_of(lane, member);
    return (rows.last - rows.first + lane->band_rows - 1) / lane->band_rows;
}

static void run_part(struct zci_host_lane *lane, const struct zci_host_member *member,
                     struct zci_rows rows, struct zci_seat *seat, struct zci_sums *sums)
{
    if (zci_rows_none(rows))
        return;
    zci_trace_push_pass(lane->plan, lane->pass);
    const zcs_status status =
        zci_band_run(&member->bench, pass_of(lane), &seat->scratch, rows.first, rows.last, sums);
    zci_trace_pop();
    if (status != ZCS_OK)
        fail(lane, status);
}

/* Rows that another member adds up are run without. */
static void run_rows(struct zci_host_lane *lane, uint32_t band, struct zci_seat *seat)
{
    uint32_t m = 0, bands;
    while (band >= (bands = bands_of(lane, m))) {
        band -= bands;
        m++;
    }
    const struct zci_host_member *member = &lane->members[m];
    const struct zci_rows all = rows_of(lane, m);
    const uint32_t first = all.first + band * lane->band_rows, left = all.last - first;
    const struct zci_rows rows = {first, first + (left < lane->band_rows ? left : lane->band_rows)};
    const struct zci_rows added = zci_rows_both(rows, member->share.sums[lane->pass]);
    struct zci_sums sums;
    zci_sums_init(&sums);
    if (zci_rows_none(added)) {
        run_part(lane, member, rows, seat, NULL);
        return;
    }
    run_part(lane, member, (struct zci_rows){rows.first, added.first}, seat, NULL);
    run_part(lane, member, added, seat, &sums);
    run_part(lane, member, (struct zci_rows){added.last, rows.last}, seat, NULL);
    zci_sums_merge(&seat->sums, &sums);
}

static void run(struct zci_work *work, uint32_t band, uint32_t worker)
{
    struct zci_host_lane *lane = lane_of(work);
    struct zci_seat *seat = &lane->seats[worker];
    if (band < lane->copying)
        seat->copied_bytes += zci_chunk_copy(&lane->chunks, lane->plan, lane->source,
                                             lane->copy.host, lane->copied + band);
    else if (!atomic_load_explicit(&lane->failed, memory_order_relaxed))
        run_rows(lane, band - lane->copying, seat);
}

/* Each member writes its own images, and reads those that it has not made of the one that has. */
static void bind_images(struct zci_host_lane *lane)
{
    const struct zci_host_member *maker = NULL;
    const int8_t in = pass_of(lane)->in;
    for (uint32_t i = 0; i < lane->member_count && lane->pass > 0; i++)
        if (!zci_rows_none(lane->members[i].share.rows[lane->pass - 1]))
            maker = &lane->members[i];
    for (uint32_t i = 0; i < lane->member_count; i++) {
        struct zci_host_member *member = &lane->members[i];
        const int made = lane->pass > 0 && !zci_rows_none(member->share.rows[lane->pass - 1]);
        for (int k = 0; k < 2; k++)
            member->bench.images[k + 1] = member->images[k].host;
        if (lane->pass > 0 && !made && maker != NULL)
            member->bench.images[in] = maker->images[in - 1].host;
    }
}

static void begin_pass(struct zci_host_lane *lane)
{
    const uint32_t bands = lane->seat_count * BANDS_PER_WORKER;
    const uint32_t rows = (pass_of(lane)->height / bands + 1) / 2 * 2;
    lane->band_rows = rows > LEAST_BAND_ROWS ? rows : LEAST_BAND_ROWS;
    lane->first = lane->last = 0;
    for (uint32_t i = 0; i < lane->seat_count; i++)
        zci_sums_init(&lane->seats[i].sums);
    bind_images(lane);
}

static void end_pass(struct zci_host_lane *lane)
{
    const struct zci_reduce *reduce = &pass_of(lane)->reduce;
    if (pass_of(lane)->custom >= 0 || reduce->kind == ZCI_REDUCE_NONE)
        return;
    for (uint32_t i = 1; i < lane->seat_count; i++)
        zci_sums_merge(&lane->seats[0].sums, &lane->seats[i].sums);
    for (uint32_t i = 0; i < lane->member_count; i++)
        zci_sums_finish(reduce, &lane->seats[0].sums,
                        &lane->members[i].bench.states[reduce->state]);
}

/* Chunks to copy and rows to run next; their number. */
static uint32_t plan_step(struct zci_host_lane *lane)
{
    const uint32_t left = lane->chunks.count - lane->copied;
    lane->copying = lane->route == ZCS_ROUTE_STAGED && left > 0 ? 1 : left;
    lane->first = lane->last;
    lane->last = zci_chunks_ready(&lane->chunks, lane->plan, pass_of(lane), lane->copied);
    uint32_t bands = lane->copying;
    for (uint32_t i = 0; i < lane->member_count; i++)
        bands += bands_of(lane, i);
    return bands;
}

static uint32_t end_job(struct zci_host_lane *lane)
{
    for (uint32_t i = 0; i < lane->seat_count; i++)
        lane->copied_bytes += lane->seats[i].copied_bytes;
    return 0;
}

/* Rows that no member needs are passed over. */
static uint32_t step(struct zci_work *work)
{
    struct zci_host_lane *lane = lane_of(work);
    uint32_t bands = 0;
    lane->copied += lane->copying;
    while (bands == 0) {
        if (lane->last == pass_of(lane)->height) {
            end_pass(lane);
            if (++lane->pass == lane->plan->pass_count)
                return end_job(lane);
            begin_pass(lane);
        }
        if (atomic_load_explicit(&lane->failed, memory_order_relaxed))
            return end_job(lane);
        bands = plan_step(lane);
    }
    return bands;
}

void zci_host_lane_steps(struct zci_host_lane *lane, struct zci_bell *bell)
{
    lane->work = (struct zci_work){.run = run, .step = step, .bell = bell};
}

static void start_member(struct zci_host_member *member, const uint8_t *source, uint8_t *result)
{
    member->bench.source = source;
    member->bench.images[0] = result;
    for (int i = 0; i < ZCI_MAX_STATES; i++)
        member->bench.states[i] = (struct zci_dynamic){0};
}

void zci_host_lane_start(struct zci_host_lane *lane, const struct zci_job *job)
{
    const int mapped = job->route == ZCS_ROUTE_MAPPED;
    lane->source = job->source;
    lane->route = job->route;
    for (uint32_t i = 0; i < lane->member_count; i++)
        start_member(&lane->members[i], mapped ? job->source : lane->copy.host, job->result);
    for (uint32_t i = 0; i < lane->seat_count; i++)
        lane->seats[i].copied_bytes = 0;
    lane->copied = mapped ? lane->chunks.count : 0;
    lane->copying = 0;
    lane->copied_bytes = 0;
    lane->pass = 0;
    atomic_store_explicit(&lane->failed, 0, memory_order_relaxed);
    begin_pass(lane);
    zci_workers_submit(lane->workers, &lane->work);
}
