/* SPDX-License-Identifier: MIT */
/* A frame's steps, as the workers call for them. */
#include "backend/host/lane_steps.h"

#include <stddef.h>

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
    return &lane->bench.plan->passes[lane->pass];
}

/* A stage failed: logged by the first band that saw it. */
static void fail(struct zci_host_lane *lane, zcs_status status)
{
    const struct zci_pass *pass = pass_of(lane);
    if (atomic_exchange(&lane->failed, 1) == 0)
        zci_log(&lane->base.backend->log, ZCS_LOG_ERROR, "stage %s: failed on a frame of %ux%u: %s",
                lane->bench.plan->custom_names[pass->custom], pass->width, pass->height,
                zcs_strerror(status));
}

static void run_rows(struct zci_host_lane *lane, uint32_t band, struct zci_seat *seat)
{
    const uint32_t first = lane->first + band * lane->band_rows;
    const uint32_t left = lane->last - first;
    const uint32_t last = first + (left < lane->band_rows ? left : lane->band_rows);
    struct zci_sums sums;
    zci_sums_init(&sums);
    const zcs_status status =
        zci_band_run(&lane->bench, pass_of(lane), &seat->scratch, first, last, &sums);
    if (status != ZCS_OK)
        fail(lane, status);
    zci_sums_merge(&seat->sums, &sums);
}

static void run(struct zci_work *work, uint32_t band, uint32_t worker)
{
    struct zci_host_lane *lane = lane_of(work);
    struct zci_seat *seat = &lane->seats[worker];
    if (band < lane->copying)
        seat->copied_bytes += zci_chunk_copy(&lane->chunks, lane->bench.plan, lane->source,
                                             lane->copy.host, lane->copied + band);
    else if (!atomic_load_explicit(&lane->failed, memory_order_relaxed))
        run_rows(lane, band - lane->copying, seat);
}

static void begin_pass(struct zci_host_lane *lane)
{
    const uint32_t bands = lane->seat_count * BANDS_PER_WORKER;
    const uint32_t rows = (pass_of(lane)->height / bands + 1) / 2 * 2;
    lane->band_rows = rows > LEAST_BAND_ROWS ? rows : LEAST_BAND_ROWS;
    lane->first = lane->last = 0;
    for (uint32_t i = 0; i < lane->seat_count; i++)
        zci_sums_init(&lane->seats[i].sums);
}

static void end_pass(struct zci_host_lane *lane)
{
    const struct zci_reduce *reduce = &pass_of(lane)->reduce;
    if (pass_of(lane)->custom >= 0 || reduce->kind == ZCI_REDUCE_NONE)
        return;
    for (uint32_t i = 1; i < lane->seat_count; i++)
        zci_sums_merge(&lane->seats[0].sums, &lane->seats[i].sums);
    zci_sums_finish(reduce, &lane->seats[0].sums, &lane->bench.states[reduce->state]);
}

/* Chunks to copy and rows to run next; their number. */
static uint32_t plan_step(struct zci_host_lane *lane)
{
    const uint32_t left = lane->chunks.count - lane->copied;
    lane->copying = lane->route == ZCS_ROUTE_STAGED && left > 0 ? 1 : left;
    lane->first = lane->last;
    lane->last = zci_chunks_ready(&lane->chunks, lane->bench.plan, pass_of(lane), lane->copied);
    const uint32_t rows = lane->last - lane->first;
    return lane->copying + (rows + lane->band_rows - 1) / lane->band_rows;
}

static uint32_t end_job(struct zci_host_lane *lane)
{
    for (uint32_t i = 0; i < lane->seat_count; i++)
        lane->copied_bytes += lane->seats[i].copied_bytes;
    return 0;
}

static uint32_t step(struct zci_work *work)
{
    struct zci_host_lane *lane = lane_of(work);
    lane->copied += lane->copying;
    if (lane->last == pass_of(lane)->height) {
        end_pass(lane);
        if (++lane->pass == lane->bench.plan->pass_count)
            return end_job(lane);
        begin_pass(lane);
    }
    if (atomic_load_explicit(&lane->failed, memory_order_relaxed))
        return end_job(lane);
    return plan_step(lane);
}

void zci_host_lane_steps(struct zci_host_lane *lane, int notify_fd)
{
    lane->work = (struct zci_work){.run = run, .step = step, .notify_fd = notify_fd};
}

void zci_host_lane_start(struct zci_host_lane *lane, const struct zci_job *job)
{
    const int mapped = job->route == ZCS_ROUTE_MAPPED;
    lane->source = job->source;
    lane->route = job->route;
    lane->bench.source = mapped ? job->source : lane->copy.host;
    lane->bench.images[0] = job->result;
    for (int i = 0; i < ZCI_MAX_STATES; i++)
        lane->bench.states[i] = (struct zci_dynamic){0};
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
