/* SPDX-License-Identifier: MIT */
/* Frame contexts of the host backend: one frame on its way through the plan's passes, as steps
 * of the workers.
 *
 *   mapped  pass 0 in bands | pass 1 in bands | ...
 *   whole   all chunks      | pass 0 in bands | ...
 *   staged  chunk 0 | chunk 1 and the rows of pass 0 that chunk 0 made ready | chunk 2 ... | ...
 *
 * The copies and bands of a step run at once, those of all members of the device group included.
 * A reduction is finished when the last band of its pass is done. All members are the one
 * processor: a pass reads the image of another member where it is. */
#include "backend/host/frame_ctx.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/format.h"
#include "core/trace.h"
#include "kernels/reduce_pixel.h"
#include "backend/host/band.h"
#include "backend/host/host.h"

/* The chunks of the copying routes: rows of the source that are copied before a pass reads them.
 * They are taken from the top, or from the bottom if the first pass flips the picture. */
struct chunks {
    uint32_t rows; /* of a chunk: even, so that no chroma row belongs to two */
    uint32_t count;
    int upwards;
};

/* Chunks of 2-4 MB keep a copy engine at its full rate and fit into a processor's cache. */
#define CHUNK_BYTES ((size_t)2 << 20)
#define STENCIL_REACH 2u

static struct chunks chunks_make(const struct zci_plan *plan)
{
    const uint32_t height = plan->load.height;
    const size_t row_bytes = plan->source.size_bytes / height + 1;
    const size_t wanted = (CHUNK_BYTES / row_bytes + 2) / 2 * 2;
    const uint32_t rows = wanted < height ? (uint32_t)wanted : height + height % 2;
    return (struct chunks){
        .rows = rows,
        .count = (height + rows - 1) / rows,
        .upwards = plan->passes[0].window.flip_v,
    };
}

/* The first source row of the index-th chunk from the top. */
static uint32_t chunk_first(const struct chunks *chunks, uint32_t height, uint32_t index)
{
    const uint64_t row = (uint64_t)index * chunks->rows;
    return row < height ? (uint32_t)row : height;
}

static uint64_t copy_rows(const struct zci_plan *plan, uint32_t plane, const uint8_t *from,
                          uint8_t *to, uint32_t first, uint32_t last)
{
    const struct zcs_image *image = &plan->source;
    const size_t stride = image->stride_bytes[plane];
    const size_t bytes = zci_image_row_bytes(image, plane);
    size_t at = image->offset_bytes[plane] + first * stride;
    for (uint32_t y = first; y < last; y++, at += stride)
        memcpy(to + at, from + at, bytes);
    return (uint64_t)bytes * (last - first);
}

/* Copies the index-th chunk of the source image; returns the bytes copied. */
static uint64_t chunk_copy(const struct chunks *chunks, const struct zci_plan *plan,
                           const uint8_t *from, uint8_t *to, uint32_t index)
{
    const uint32_t height = plan->load.height;
    const uint32_t from_top = chunks->upwards ? chunks->count - 1 - index : index;
    const uint32_t first = chunk_first(chunks, height, from_top);
    const uint32_t last = chunk_first(chunks, height, from_top + 1);
    uint64_t bytes = copy_rows(plan, 0, from, to, first, last);
    const uint32_t vsub = plan->load.vsub;
    for (uint32_t plane = 1; plane < plan->source.planes; plane++)
        bytes += copy_rows(plan, plane, from, to, first / vsub, (last + vsub - 1) / vsub);
    return bytes;
}

/* How many rows of `pass`, from row 0 on, can be processed once `copied` chunks are copied: an even
 * number, or all rows. */
static uint32_t chunks_ready(const struct chunks *chunks, const struct zci_plan *plan,
                             const struct zci_pass *pass, uint32_t copied)
{
    if (pass->in != ZCI_IMAGE_SOURCE || copied == chunks->count)
        return pass->height;
    const struct zci_window *window = &pass->window;
    if (window->flip_v != chunks->upwards)
        return 0;
    const uint32_t height = plan->load.height;
    int64_t rows;
    if (chunks->upwards)
        rows = (int64_t)window->y + window->height -
               chunk_first(chunks, height, chunks->count - copied);
    else
        rows = (int64_t)chunk_first(chunks, height, copied) - window->y;
    if (rows >= pass->height)
        return pass->height;
    rows -= pass->stencil == ZCI_STENCIL_NONE ? 0 : STENCIL_REACH;
    return rows > 0 ? (uint32_t)rows / 2 * 2 : 0;
}

/* What one worker needs for a frame context. */
struct zci_worker_scratch {
    struct zci_scratch scratch;
    struct zci_sums sums;
    uint64_t copied_bytes;
};

/* A device of the device group. On the host all of them are the same processor. */
struct zci_host_member {
    struct zci_partition partition;
    struct zci_memory images[2]; /* scratch images 1 and 2 */
    struct zci_worker_context context;
};

struct zci_host_frame_ctx {
    struct zci_frame_ctx base;
    struct zci_work work;
    struct zci_workers *workers;
    const struct zci_plan *plan;
    struct zci_host_member *members;
    uint32_t member_count;
    struct chunks chunks;
    struct zci_memory copy;  /* of the source, for the copying routes */
    struct zci_memory lines; /* the scratch rows of all workers */
    struct zci_worker_scratch *scratches;
    uint32_t scratch_count;
    int has_job; /* a job was submitted, and poll has not yet returned ZCS_OK for it */

    const uint8_t *source; /* of the job */
    enum zcs_route route;
    uint32_t pass;        /* the pass that runs */
    uint32_t first, last; /* rows of this step */
    uint32_t band_rows;
    uint32_t copied, copying; /* chunks that are copied; chunks of this step */
    uint64_t copied_bytes;
    atomic_int failed;
};

/* Each worker gets a few bands, so that all workers end at about the same time. No band is so small
 * that the extra rows of a stencil or the hand-out would matter. */
#define BANDS_PER_WORKER 4u
#define MIN_BAND_ROWS 16u

static struct zci_host_frame_ctx *owner_of(struct zci_work *work)
{
    return (struct zci_host_frame_ctx *)((char *)work - offsetof(struct zci_host_frame_ctx, work));
}

static const struct zci_pass *pass_of(const struct zci_host_frame_ctx *fctx)
{
    return &fctx->plan->passes[fctx->pass];
}

/* A custom stage failed. The first band that sees it logs it. */
static void stage_failed(struct zci_host_frame_ctx *fctx, zcs_status status)
{
    const struct zci_pass *pass = pass_of(fctx);
    if (atomic_exchange(&fctx->failed, 1) == 0)
        zci_log(&fctx->base.backend->log, ZCS_LOG_ERROR, "stage %s: failed on a frame of %ux%u: %s",
                fctx->plan->custom_names[pass->custom], pass->width, pass->height,
                zcs_strerror(status));
}

/* The rows that the member processes in this step. */
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
        stage_failed(fctx, status);
}

/* Rows that another member adds up are run without the reduction. */
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
    struct zci_host_frame_ctx *fctx = owner_of(work);
    struct zci_worker_scratch *scratch = &fctx->scratches[worker];
    if (band < fctx->copying)
        scratch->copied_bytes += chunk_copy(&fctx->chunks, fctx->plan, fctx->source,
                                            fctx->copy.host, fctx->copied + band);
    else if (!atomic_load_explicit(&fctx->failed, memory_order_relaxed))
        run_rows(fctx, band - fctx->copying, scratch);
}

/* Each member writes its own images. An image that it did not make itself is read from the member
 * that made it. */
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

/* Chooses the chunks to copy and the rows to run next, and returns how many there are. */
static uint32_t plan_step(struct zci_host_frame_ctx *fctx)
{
    const uint32_t left = fctx->chunks.count - fctx->copied;
    fctx->copying = fctx->route == ZCS_ROUTE_STAGED && left > 0 ? 1 : left;
    fctx->first = fctx->last;
    fctx->last = chunks_ready(&fctx->chunks, fctx->plan, pass_of(fctx), fctx->copied);
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

/* Rows that no member needs are skipped. */
static uint32_t step(struct zci_work *work)
{
    struct zci_host_frame_ctx *fctx = owner_of(work);
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

static void init_work(struct zci_host_frame_ctx *fctx, struct zci_notifier *notifier)
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

static void start(struct zci_host_frame_ctx *fctx, const struct zci_job *job)
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

static struct zci_host_frame_ctx *frame_ctx_of(struct zci_frame_ctx *fctx)
{
    return (struct zci_host_frame_ctx *)fctx;
}

static zcs_status no_memory(struct zci_host_frame_ctx *fctx, const char *what, size_t bytes)
{
    return zci_fail(&fctx->base.backend->log, ZCS_ERR_NOMEM,
                    "host frame context: %s of %zu bytes: no memory", what, bytes);
}

static zcs_status alloc(struct zci_host_frame_ctx *fctx, const char *what, size_t bytes,
                        struct zci_memory *out)
{
    if (bytes == 0)
        return ZCS_OK;
    if (zci_host_memory_alloc(fctx->base.backend, ZCS_ROLE_DEVICE, bytes, out) != ZCS_OK)
        return no_memory(fctx, what, bytes);
    return ZCS_OK;
}

static zcs_status alloc_member(struct zci_host_frame_ctx *fctx, struct zci_host_member *member)
{
    zcs_status status = ZCS_OK;
    for (int i = 0; i < 2 && status == ZCS_OK; i++)
        status = alloc(fctx, "a scratch image", fctx->plan->image_bytes[i + 1], &member->images[i]);
    return status;
}

static zcs_status alloc_images(struct zci_host_frame_ctx *fctx, const struct zci_group *group)
{
    fctx->members = calloc(group->count, sizeof *fctx->members);
    if (fctx->members == NULL)
        return no_memory(fctx, "members", group->count * sizeof *fctx->members);
    fctx->member_count = group->count;
    zcs_status status =
        alloc(fctx, "a copy of the source", fctx->plan->source.size_bytes, &fctx->copy);
    for (uint32_t i = 0; i < group->count && status == ZCS_OK; i++) {
        fctx->members[i].partition = group->partitions[i];
        fctx->members[i].context.plan = fctx->plan;
        fctx->members[i].context.kernels = zck_table_best();
        status = alloc_member(fctx, &fctx->members[i]);
    }
    return status;
}

static zcs_status alloc_scratch(struct zci_host_frame_ctx *fctx, const struct zci_plan *plan)
{
    const uint32_t count = zci_workers_count(fctx->workers);
    const size_t bytes = zci_scratch_bytes(plan);
    fctx->scratches = calloc(count, sizeof *fctx->scratches);
    if (fctx->scratches == NULL)
        return no_memory(fctx, "worker scratch", count * sizeof *fctx->scratches);
    const zcs_status status = alloc(fctx, "scratch rows", count * bytes, &fctx->lines);
    if (status != ZCS_OK)
        return status;
    fctx->scratch_count = count;
    for (uint32_t i = 0; i < count; i++)
        zci_scratch_init(&fctx->scratches[i].scratch, plan,
                         (uint8_t *)fctx->lines.host + i * bytes);
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

zcs_status zci_host_frame_ctx_create(struct zci_backend *backend, const struct zci_group *group,
                                     struct zci_notifier *notifier, int *failed_device,
                                     struct zci_frame_ctx **out)
{
    const struct zci_plan *plan = group->plan;
    (void)failed_device; /* on the host no device fails */
    zcs_status status = check_stages(&backend->log, plan);
    if (status != ZCS_OK)
        return status;
    struct zci_host_frame_ctx *fctx = calloc(1, sizeof *fctx);
    if (fctx == NULL)
        return zci_fail(&backend->log, ZCS_ERR_NOMEM, "host frame context: no memory");
    struct zci_frame_ctx *base = &fctx->base;
    base->backend = zci_backend_ref(backend);
    base->members = group->count;
    fctx->workers = zci_host_of(backend)->workers;
    fctx->plan = plan;
    fctx->chunks = chunks_make(plan);
    init_work(fctx, notifier);
    status = alloc_images(fctx, group);
    if (status == ZCS_OK)
        status = alloc_scratch(fctx, plan);
    if (status != ZCS_OK)
        goto fail;
    *out = base;
    return ZCS_OK;
fail:
    zci_host_frame_ctx_destroy(&base);
    return status;
}

zcs_status zci_host_frame_ctx_submit(struct zci_frame_ctx *base, const struct zci_job *job)
{
    struct zci_host_frame_ctx *fctx = frame_ctx_of(base);
    if (fctx->has_job)
        return zci_fail(&base->backend->log, ZCS_ERR_BUSY,
                        "host frame context: has a frame already");
    base->failed_device = -1;
    if (zci_workers_forked(fctx->workers))
        return zci_fail(&base->backend->log, ZCS_ERR_DEVICE,
                        "host frame context: a forked child cannot use its parent's context");
    fctx->has_job = 1;
    start(fctx, job);
    return ZCS_OK;
}

zcs_status zci_host_frame_ctx_poll(struct zci_frame_ctx *base, struct zci_job_result *out)
{
    struct zci_host_frame_ctx *fctx = frame_ctx_of(base);
    const int busy = atomic_load_explicit(&fctx->work.busy, memory_order_acquire);
    if (busy && !zci_workers_forked(fctx->workers))
        return ZCS_AGAIN;
    fctx->has_job = 0;
    if (busy)
        return ZCS_ERR_DEVICE;
    if (atomic_load_explicit(&fctx->failed, memory_order_relaxed))
        return ZCS_ERR_DEVICE;
    const struct zci_worker_context *context = &fctx->members[0].context;
    const int8_t state = fctx->plan->digest_state;
    *out = (struct zci_job_result){
        .cpu_bytes_copied = fctx->copied_bytes,
        .digest = state >= 0 ? context->states[state].digest : 0,
        .device_data = context->images[0],
    };
    return ZCS_OK;
}

zcs_status zci_host_frame_ctx_wait(struct zci_frame_ctx *base, int64_t timeout_ns)
{
    struct zci_host_frame_ctx *fctx = frame_ctx_of(base);
    return zci_workers_wait(fctx->workers, &fctx->work, timeout_ns);
}

static void release(struct zci_backend *backend, struct zci_memory *memory)
{
    if (memory->bytes > 0)
        zci_host_memory_free(backend, memory);
}

void zci_host_frame_ctx_destroy(struct zci_frame_ctx **base)
{
    if (*base == NULL)
        return;
    struct zci_host_frame_ctx *fctx = frame_ctx_of(*base);
    struct zci_backend *backend = fctx->base.backend;
    *base = NULL;
    zci_workers_wait(fctx->workers, &fctx->work, -1);
    release(backend, &fctx->copy);
    for (uint32_t i = 0; i < fctx->member_count; i++)
        for (int k = 0; k < 2; k++)
            release(backend, &fctx->members[i].images[k]);
    release(backend, &fctx->lines);
    free(fctx->members);
    free(fctx->scratches);
    free(fctx);
    zci_backend_unref(&backend);
}
