/* SPDX-License-Identifier: MIT */
/* Frame contexts: their making, seeing them complete, and their end. */
#define _DEFAULT_SOURCE /* sched_yield beside the C11 library */
#include "backend/cuda/frame_ctx.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "backend/cuda/layout.h"
#include "backend/cuda/memory.h"
#include "backend/cuda/persistent.h"
#include "backend/cuda/spare.h"
#include "os/clock.h"

#define FLAG_BYTES 128u  /* where the flag lies behind the report */
#define LOOKS 64u        /* at the report, between two at the clock */
#define QUERY_NS 1000000 /* between two questions to CUDA about errors: each takes microseconds */
#define SPIN_NS 200000   /* a wait that takes longer gives the processor up in between */

static struct zci_cuda_frame_ctx *frame_ctx_of(struct zci_frame_ctx *fctx)
{
    return (struct zci_cuda_frame_ctx *)fctx;
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

static zcs_status make_report(struct zci_cuda_frame_ctx *fctx)
{
    const zcs_status status = zci_cuda_spare_take(fctx->cuda, fctx->device, &fctx->pinned);
    if (status != ZCS_OK)
        return zci_fail(&fctx->cuda->base.log, status,
                        "cuda lane: no pinned memory for its report");
    if (zci_cuda_memory_seen(&fctx->pinned, fctx->device) == NULL &&
        fctx->cuda->devices[fctx->device].facts.can_map)
        return zci_fail(&fctx->cuda->base.log, ZCS_ERR_DEVICE,
                        "cuda device %u: does not reach its lane's report", fctx->device);
    fctx->report = fctx->pinned.host;
    fctx->flag = (uint32_t *)((uint8_t *)fctx->pinned.host + FLAG_BYTES);
    *fctx->report = (struct zck_cuda_report){.frame = 0};
    fctx->watched = fctx->report;
    *fctx->flag = 0;
    return ZCS_OK;
}

static uint32_t last_pass(const struct zci_plan *plan, const struct zci_partition *partition)
{
    uint32_t last = plan->pass_count - 1;
    while (last > 0 && zci_rows_none(partition->rows[last]))
        last--;
    return last;
}

zcs_status zci_cuda_frame_ctx_create(struct zci_backend *backend, const struct zci_group *group,
                                     uint32_t place, struct zci_frame_ctx **out)
{
    const uint32_t device = group->devices[place];
    const struct zci_plan *plan = group->plan;
    struct zci_cuda *cuda = zci_cuda_of(backend);
    int previous;
    zcs_status status = check_stages(&backend->log, plan);
    if (status == ZCS_OK)
        status = zci_cuda_enter(cuda, device, &previous);
    if (status != ZCS_OK)
        return status;
    struct zci_cuda_frame_ctx *fctx = calloc(1, sizeof *fctx);
    if (fctx == NULL) {
        zci_cuda_leave(cuda, previous);
        return zci_fail(&backend->log, ZCS_ERR_NOMEM, "cuda lane: no memory");
    }
    struct zci_frame_ctx *base = &fctx->base;
    base->backend = zci_backend_ref(backend);
    base->members = 1;
    fctx->cuda = cuda;
    fctx->device = device;
    fctx->plan = plan;
    fctx->partition = group->partitions[place];
    fctx->group_count = group->count;
    fctx->last_pass = last_pass(plan, &fctx->partition);
    status = make_report(fctx);
    if (status == ZCS_OK)
        status = zci_cuda_queue_take(cuda, device, &fctx->queue);
    if (status == ZCS_OK)
        status = zci_cuda_copies_take(cuda, device, plan, &fctx->copies);
    if (status == ZCS_OK)
        status = zci_cuda_layout(fctx);
    zci_cuda_leave(cuda, previous);
    if (status != ZCS_OK)
        goto fail;
    *out = base;
    return ZCS_OK;
fail:
    zci_cuda_frame_ctx_destroy(&base);
    return status;
}

int zci_cuda_frame_ctx_reported(const struct zci_cuda_frame_ctx *fctx)
{
    return __atomic_load_n(&fctx->watched->frame, __ATOMIC_ACQUIRE) == fctx->awaited;
}

/* Behind a report: ZCS_AGAIN while what the frame was made of is still read. */
static zcs_status settle(struct zci_cuda_frame_ctx *fctx)
{
    return zci_cuda_persistent_works(fctx) ? zci_cuda_persistent_settle(fctx) : ZCS_OK;
}

/* Asks CUDA, which also finds errors. */
static zcs_status query(struct zci_cuda_frame_ctx *fctx)
{
    zcs_status status = zci_cuda_ask(fctx->cuda, fctx->device, fctx->at_work, "running a frame");
    if (status != ZCS_OK)
        return status;
    if (zci_cuda_frame_ctx_reported(fctx))
        return settle(fctx);
    if (zci_cuda_persistent_works(fctx))
        status = zci_cuda_persistent_tend(fctx);
    else
        status =
            zci_fail(&fctx->cuda->base.log, ZCS_ERR_DEVICE,
                     "cuda device %u: frame %u ended without a report", fctx->device, fctx->frame);
    return status;
}

/* ZCS_AGAIN while the frame is under way. */
static zcs_status look(struct zci_cuda_frame_ctx *fctx)
{
    if (zci_cuda_frame_ctx_reported(fctx))
        return settle(fctx);
    if (zci_cuda_persistent_works(fctx)) {
        const zcs_status status = zci_cuda_persistent_tend(fctx);
        if (status != ZCS_AGAIN)
            return status;
    }
    const int64_t now_ns = zci_now_ns();
    if (fctx->asked_ns == 0)
        fctx->asked_ns = now_ns;
    if (now_ns - fctx->asked_ns < QUERY_NS)
        return ZCS_AGAIN;
    const zcs_status status = query(fctx);
    if (status == ZCS_AGAIN)
        fctx->asked_ns = now_ns; /* else poll sees at once what wait has seen */
    return status;
}

zcs_status zci_cuda_frame_ctx_poll(struct zci_frame_ctx *base, struct zci_job_result *out)
{
    struct zci_cuda_frame_ctx *fctx = frame_ctx_of(base);
    zcs_status status = look(fctx);
    if (status == ZCS_AGAIN)
        return status;
    fctx->busy = 0;
    base->failed_device = 0;
    if (status != ZCS_OK) {
        fctx->sentinel_filled = 0;
        return ZCS_ERR_DEVICE;
    }
    if (fctx->plan->digest_state >= 0)
        fctx->done.digest = fctx->watched->digest;
    *out = fctx->done;
    return ZCS_OK;
}

zcs_status zci_cuda_frame_ctx_wait(struct zci_frame_ctx *base, int64_t timeout_ns)
{
    struct zci_cuda_frame_ctx *fctx = frame_ctx_of(base);
    const int64_t deadline_ns = zci_deadline_ns(timeout_ns), yield_ns = zci_now_ns() + SPIN_NS;
    while (fctx->busy) {
        for (uint32_t i = 0; i < LOOKS && !zci_cuda_frame_ctx_reported(fctx); i++)
            continue;
        if (look(fctx) != ZCS_AGAIN)
            return ZCS_OK;
        const int64_t now_ns = zci_now_ns();
        if (now_ns >= deadline_ns)
            return ZCS_AGAIN;
        if (now_ns > yield_ns)
            sched_yield();
    }
    return ZCS_OK;
}

void zci_cuda_frame_ctx_drain(struct zci_cuda_frame_ctx *fctx)
{
    const struct zci_cuda_api *api = fctx->cuda->api;
    fctx->sentinel_filled = 0; /* whoever should have seen to it may not have run */
    zci_cuda_classify(fctx->cuda, fctx->device, api->stream_wait(fctx->copies->stream));
    zci_cuda_classify(fctx->cuda, fctx->device, api->stream_wait(fctx->queue->stream));
}

void zci_cuda_frame_ctx_destroy(struct zci_frame_ctx **base)
{
    if (*base == NULL)
        return;
    struct zci_cuda_frame_ctx *fctx = frame_ctx_of(*base);
    struct zci_backend *backend = fctx->base.backend;
    struct zci_cuda *cuda = fctx->cuda;
    *base = NULL;
    int previous;
    const int usable = zci_cuda_enter_quietly(cuda, fctx->device, &previous);
    zci_cuda_persistent_finish(fctx, usable);
    if (usable && fctx->copies != NULL)
        zci_cuda_frame_ctx_drain(fctx);
    if (usable && fctx->arena != NULL)
        zci_cuda_classify(cuda, fctx->device, cuda->api->device_free(fctx->arena));
    if (usable)
        zci_cuda_leave(cuda, previous);
    zci_cuda_spare_give(cuda, &fctx->pinned);
    zci_cuda_copies_give(cuda, fctx->copies);
    zci_cuda_queue_give(cuda, fctx->device, fctx->queue);
    free(fctx->steps);
    free(fctx);
    zci_backend_unref(&backend);
}
