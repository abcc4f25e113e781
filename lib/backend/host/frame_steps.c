/* SPDX-License-Identifier: MIT */
/* A frame's steps, as the workers call for them. */
#include "backend/host/frame_steps.h"

#include <stddef.h>

#include "core/trace.h"
#include "kernels/reduce_pixel.h"

/* A few bands for each worker, so that all end at about the same time, but none so small that a
 * stencil's extra rows or the hand-out would count. */
#define BANDS_PER_WORKER 4u
#define MIN_BAND_ROWS 16u

static struct zci_host_frame_ctx *frame_ctx_of(struct zci_work *work)
{
    return (struct zci_host_frame_ctx *)((char *)work - offsetof(struct zci_host_frame_ctx, work));
}

static const struct zci_pass *pass_of(const struct zci_host_frame_ctx *fctx)
{
    return &fctx->plan->passes[fctx->pass];
}

/* A stage failed: logged by the first band that saw it. */
static void fail(struct zci_host_frame_ctx *fctx, zcs_status status)
{
    const struct zci_pass *pass = pass_of(fctx);
    if (atomic_exchange(&fctx->failed, 1) == 0)
        zci_log(&fctx->base.backend->log, ZCS_LOG_ERROR, "stage %s: failed on a frame of %ux%u: %s",
                fctx->plan->custom_names[pass->custom], pass->width, pass->height,
                zcs_strerror(status));
}

/* What the member has to do in this step. */
static struct zci_rows rows_of(const struct zci_host_frame_ctx *fctx, uint32_t member)
{
    const struct zci_rows step = {fctx->first, fctx->last};
    return zci_rows_both(step, fctx->members[member].partition.rows[fctx->pass]);
}

static uint32_t bands_of(const struct zci_host_frame_ctx *fctx, uint32_t member)
{
    const struct zci_rows rows = rows_of(fctx, member);
    return (rows.last - rows.first + fctx->band_rows - 1) / fctx->band_rows;
}

static void run_part(struct zci_host_frame_ctx *fctx, const struct zci_host_member *member,
                     struct zci_rows rows, struct zci_worker_scratch *scratch,
                     struct zci_sums *sums)
{
    if (zci_rows_none(rows))
        return;
    zci_trace_push_pass(fctx->plan, fctx->pass);
    const zcs_status status = zci_band_run(&member->context, pass_of(fctx), &scratch->scratch,
                                           rows.first, rows.last, sums);
    zci_trace_pop();
    if (status != ZCS_OK)
        fail(fctx, status);
}

/* Rows that another member adds up are run without. */
static void run_rows(struct zci_host_frame_ctx *fctx, uint32_t band,
                     struct zci_worker_scratch *scratch)
{
    uint32_t m = 0, bands;
    while (band >= (bands = bands_of(fctx, m))) {
        band -= bands;
        m++;
    }
    const struct zci_host_member *member = &fctx->members[m];
    const struct zci_rows all = rows_of(fctx, m);
    const uint32_t first = all.first + band * fctx->band_rows, left = all.last - first;
    const struct zci_rows rows = {first, first + (left < fctx->band_rows ? left : fctx->band_rows)};
    const struct zci_rows added = zci_rows_both(rows, member->partition.sums[fctx->pass]);
    struct zci_sums sums;
    zci_sums_init(&sums);
    if (zci_rows_none(added)) {
        run_part(fctx, member, rows, scratch, NULL);
        return;
    }
    run_part(fctx, member, (struct zci_rows){rows.first, added.first}, scratch, NULL);
    run_part(fctx, member, added, scratch, &sums);
    run_part(fctx, member, (struct zci_rows){added.last, rows.last}, scratch, NULL);
    zci_sums_merge(&scratch->sums, &sums);
}

static void run(struct zci_work *work, uint32_t band, uint32_t worker)
{
    struct zci_host_frame_ctx *fctx = frame_ctx_of(work);
    struct zci_worker_scratch *scratch = &fctx->scratches[worker];
    if (band < fctx->copying)
        scratch->copied_bytes += zci_chunk_copy(&fctx->chunks, fctx->plan, fctx->source,
                                                fctx->copy.host, fctx->copied + band);
    else if (!atomic_load_explicit(&fctx->failed, memory_order_relaxed))
        run_rows(fctx, band - fctx->copying, scratch);
}

/* Each member writes its own images, and reads those that it has not made of the one that has. */
static void bind_images(struct zci_host_frame_ctx *fctx)
{
    const struct zci_host_member *maker = NULL;
    const int8_t in = pass_of(fctx)->in;
    for (uint32_t i = 0; i < fctx->member_count && fctx->pass > 0; i++)
        if (!zci_rows_none(fctx->members[i].partition.rows[fctx->pass - 1]))
            maker = &fctx->members[i];
    for (uint32_t i = 0; i < fctx->member_count; i++) {
        struct zci_host_member *member = &fctx->members[i];
        const int made = fctx->pass > 0 && !zci_rows_none(member->partition.rows[fctx->pass - 1]);
        for (int k = 0; k < 2; k++)
            member->context.images[k + 1] = member->images[k].host;
        if (fctx->pass > 0 && !made && maker != NULL)
            member->context.images[in] = maker->images[in - 1].host;
    }
}

static void begin_pass(struct zci_host_frame_ctx *fctx)
{
    const uint32_t bands = fctx->scratch_count * BANDS_PER_WORKER;
    const uint32_t rows = (pass_of(fctx)->height / bands + 1) / 2 * 2;
    fctx->band_rows = rows > MIN_BAND_ROWS ? rows : MIN_BAND_ROWS;
    fctx->first = fctx->last = 0;
    for (uint32_t i = 0; i < fctx->scratch_count; i++)
        zci_sums_init(&fctx->scratches[i].sums);
    bind_images(fctx);
}

static void end_pass(struct zci_host_frame_ctx *fctx)
{
    const struct zci_reduce *reduce = &pass_of(fctx)->reduce;
    if (pass_of(fctx)->custom >= 0 || reduce->kind == ZCI_REDUCE_NONE)
        return;
    for (uint32_t i = 1; i < fctx->scratch_count; i++)
        zci_sums_merge(&fctx->scratches[0].sums, &fctx->scratches[i].sums);
    for (uint32_t i = 0; i < fctx->member_count; i++)
        zci_sums_finish(reduce, &fctx->scratches[0].sums,
                        &fctx->members[i].context.states[reduce->state]);
}

/* Chunks to copy and rows to run next; their number. */
static uint32_t plan_step(struct zci_host_frame_ctx *fctx)
{
    const uint32_t left = fctx->chunks.count - fctx->copied;
    fctx->copying = fctx->route == ZCS_ROUTE_STAGED && left > 0 ? 1 : left;
    fctx->first = fctx->last;
    fctx->last = zci_chunks_ready(&fctx->chunks, fctx->plan, pass_of(fctx), fctx->copied);
    uint32_t bands = fctx->copying;
    for (uint32_t i = 0; i < fctx->member_count; i++)
        bands += bands_of(fctx, i);
    return bands;
}

static uint32_t end_job(struct zci_host_frame_ctx *fctx)
{
    for (uint32_t i = 0; i < fctx->scratch_count; i++)
        fctx->copied_bytes += fctx->scratches[i].copied_bytes;
    return 0;
}

/* Rows that no member needs are passed over. */
static uint32_t step(struct zci_work *work)
{
    struct zci_host_frame_ctx *fctx = frame_ctx_of(work);
    uint32_t bands = 0;
    fctx->copied += fctx->copying;
    while (bands == 0) {
        if (fctx->last == pass_of(fctx)->height) {
            end_pass(fctx);
            if (++fctx->pass == fctx->plan->pass_count)
                return end_job(fctx);
            begin_pass(fctx);
        }
        if (atomic_load_explicit(&fctx->failed, memory_order_relaxed))
            return end_job(fctx);
        bands = plan_step(fctx);
    }
    return bands;
}

void zci_host_frame_steps(struct zci_host_frame_ctx *fctx, struct zci_notifier *notifier)
{
    fctx->work = (struct zci_work){.run = run, .step = step, .notifier = notifier};
}

static void start_member(struct zci_host_member *member, const uint8_t *source, uint8_t *result)
{
    member->context.source = source;
    member->context.images[0] = result;
    for (int i = 0; i < ZCI_MAX_STATES; i++)
        member->context.states[i] = (struct zci_dynamic){0};
}

void zci_host_frame_ctx_start(struct zci_host_frame_ctx *fctx, const struct zci_job *job)
{
    const int mapped = job->route == ZCS_ROUTE_MAPPED;
    fctx->source = job->source;
    fctx->route = job->route;
    for (uint32_t i = 0; i < fctx->member_count; i++)
        start_member(&fctx->members[i], mapped ? job->source : fctx->copy.host, job->result);
    for (uint32_t i = 0; i < fctx->scratch_count; i++)
        fctx->scratches[i].copied_bytes = 0;
    fctx->copied = mapped ? fctx->chunks.count : 0;
    fctx->copying = 0;
    fctx->copied_bytes = 0;
    fctx->pass = 0;
    atomic_store_explicit(&fctx->failed, 0, memory_order_relaxed);
    begin_pass(fctx);
    zci_workers_submit(fctx->workers, &fctx->work);
}
