/* SPDX-License-Identifier: MIT */
/* Frame contexts of the host backend: one frame's way through the plan's passes, as steps of the workers. */
#include "backend/host/frame_ctx.h"

#include <stdlib.h>

#include "backend/host/host.h"
#include "backend/host/frame_steps.h"

static struct zci_host_frame_ctx *frame_ctx_of(struct zci_frame_ctx *fctx)
{
    return (struct zci_host_frame_ctx *)fctx;
}

static zcs_status no_memory(struct zci_host_frame_ctx *fctx, const char *what, size_t bytes)
{
    return zci_fail(&fctx->base.backend->log, ZCS_ERR_NOMEM,
                    "host lane: %s of %zu bytes: no memory", what, bytes);
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
        return no_memory(fctx, "seats", count * sizeof *fctx->scratches);
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
    (void)failed_device; /* nothing here is a device's failure */
    zcs_status status = check_stages(&backend->log, plan);
    if (status != ZCS_OK)
        return status;
    struct zci_host_frame_ctx *fctx = calloc(1, sizeof *fctx);
    if (fctx == NULL)
        return zci_fail(&backend->log, ZCS_ERR_NOMEM, "host lane: no memory");
    struct zci_frame_ctx *base = &fctx->base;
    base->backend = zci_backend_ref(backend);
    base->members = group->count;
    fctx->workers = zci_host_of(backend)->workers;
    fctx->plan = plan;
    fctx->chunks = zci_chunks_make(plan);
    zci_host_frame_steps(fctx, notifier);
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
        return zci_fail(&base->backend->log, ZCS_ERR_BUSY, "host lane: has a frame already");
    base->failed_device = -1;
    if (zci_workers_forked(fctx->workers))
        return zci_fail(&base->backend->log, ZCS_ERR_DEVICE,
                        "host lane: a forked child cannot use its parent's context");
    fctx->has_job = 1;
    zci_host_frame_ctx_start(fctx, job);
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
