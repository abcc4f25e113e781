/* SPDX-License-Identifier: MIT */
/* Running frames: the passes, the copies of the result, and the wait for completion. */
#define _DEFAULT_SOURCE /* sched_yield beside the C11 library */
#include "backend/cuda/submit.h"

#include <sched.h>

#include "backend/cuda/memory.h"
#include "backend/cuda/persistent.h"
#include "core/format.h"
#include "core/trace.h"
#include "os/clock.h"

#define POLLS 64u        /* of the report, between two reads of the clock */
#define QUERY_NS 1000000 /* between two error queries of CUDA, each of which takes microseconds */
#define SPIN_NS 200000   /* a longer wait yields the processor between polls */

static struct zci_cuda_frame_ctx *frame_ctx_of(struct zci_frame_ctx *fctx)
{
    return (struct zci_cuda_frame_ctx *)fctx;
}

/* Blames the stage, unless its device is lost, which any call reports. */
static zcs_status stage_failed(struct zci_cuda_frame_ctx *fctx, const char *name, zcs_status status)
{
    const int error = fctx->cuda->api->stream_query(fctx->kernel_stream->handle);
    zci_log(&fctx->cuda->base.log, ZCS_LOG_ERROR, "stage %s: failed: %s", name,
            zcs_strerror(status));
    if (error != ZCI_CUDA_NOT_READY && error != ZCI_CUDA_SUCCESS)
        return zci_cuda_check(fctx->cuda, fctx->device, error, name);
    fctx->base.failed_device = -1;
    return ZCS_ERR_DEVICE;
}

/* What the stage does not write is 0, including the padding of rows. */
static zcs_status run_custom(struct zci_cuda_frame_ctx *fctx, uint32_t index)
{
    const struct zci_pass *pass = &fctx->plan->passes[index];
    struct zck_cuda_pass *args = &fctx->steps[index].pass;
    const struct zcs_custom_stage *stage = &fctx->plan->custom[pass->custom];
    const char *name = fctx->plan->custom_names[pass->custom];
    void *stream = fctx->kernel_stream->handle;
    struct zcs_view in = {.data = fctx->images[pass->in],
                          .stride_bytes = args->in_stride,
                          .width = pass->width,
                          .height = pass->height,
                          .format = zci_pixel_format(pass->pixel)};
    struct zcs_view out = in;
    out.data = args->out;
    out.stride_bytes = args->out_stride;
    zcs_status status = zci_cuda_check(
        fctx->cuda, fctx->device,
        fctx->cuda->api->fill(out.data, 0, fctx->plan->image_bytes[pass->out], stream), name);
    if (status != ZCS_OK)
        return status;
    status = stage->cuda_fn(stage->user, &in, &out, stream);
    if (status != ZCS_OK)
        return stage_failed(fctx, name, status);
    return zci_cuda_check(fctx->cuda, fctx->device, fctx->cuda->api->last_error(), name);
}

static zcs_status launch_failed(struct zci_cuda_frame_ctx *fctx, int error, uint32_t index)
{
    const struct zcs_image *source = &fctx->plan->source;
    const zcs_status status = zci_cuda_check(fctx->cuda, fctx->device, error, "launching a kernel");
    return zci_fail(&fctx->cuda->base.log, status, "pass %u of %u for %s %ux%u was not launched",
                    index + 1, fctx->plan->pass_count, zcs_pixfmt_info(source->format)->name,
                    source->width, source->height);
}

static zcs_status launch_step(struct zci_cuda_frame_ctx *fctx, uint32_t index)
{
    struct zci_cuda_step *step = &fctx->steps[index];
    void *arguments[] = {&step->pass};
    const int error =
        fctx->cuda->api->launch(step->kernel, step->blocks + step->pass.transfer.loaders,
                                ZCK_CUDA_THREADS, arguments, fctx->kernel_stream->handle);
    if (error != ZCI_CUDA_SUCCESS)
        return launch_failed(fctx, error, index);
    if (index == 0)
        fctx->band_target += step->pass.transfer.loaders;
    return ZCS_OK;
}

zcs_status zci_cuda_enqueue_pass(struct zci_cuda_frame_ctx *fctx, uint32_t index)
{
    if (zci_rows_none(fctx->partition.rows[index]))
        return ZCS_OK;
    zci_trace_push_pass(fctx->plan, index);
    const zcs_status status =
        fctx->plan->passes[index].custom >= 0 ? run_custom(fctx, index) : launch_step(fctx, index);
    zci_trace_pop();
    return status;
}

/* 1: the last kernel writes the result to its place and the report; 0: end_frame enqueues both. */
static int ends_alone(const struct zci_cuda_frame_ctx *fctx, const struct zci_cuda_addresses *at)
{
    const int copied = fctx->device_report != NULL || at->device_result == fctx->images[0];
    return fctx->plan->passes[fctx->last_pass].custom < 0 && !copied;
}

void zci_cuda_begin_frame(struct zci_cuda_frame_ctx *fctx, const struct zci_cuda_addresses *at)
{
    struct zck_cuda_pass *last = &fctx->steps[fctx->last_pass].pass;
    if (fctx->last_pass + 1 == fctx->plan->pass_count)
        last->out = at->device_result;
    last->finish.frame = ++fctx->frame;
    fctx->awaited_report = fctx->report;
    fctx->awaited_frame = fctx->frame;
    fctx->running_stream = fctx->kernel_stream->handle;
    fctx->queried_ns = 0;
    last->finish.to_host = at->result_in_host;
    last->finish.report =
        ends_alone(fctx, at) ? zci_cuda_device_pointer(&fctx->pinned, fctx->device) : NULL;
}

/* Copies the frame context's rows of a result that its kernels could not write to its place. */
static int copy_result(struct zci_cuda_frame_ctx *fctx, const struct zci_cuda_addresses *at)
{
    const struct zci_plan *plan = fctx->plan;
    const struct zci_rows rows = fctx->partition.rows[plan->pass_count - 1];
    const size_t begin = rows.first * plan->image_stride[0];
    const size_t end =
        rows.last == plan->result.height ? plan->image_bytes[0] : rows.last * plan->image_stride[0];
    if (at->device_result != fctx->images[0] || zci_rows_none(rows))
        return ZCI_CUDA_SUCCESS;
    return fctx->cuda->api->copy(at->result + begin, at->device_result + begin, end - begin,
                                 ZCI_CUDA_BETWEEN, fctx->kernel_stream->handle);
}

zcs_status zci_cuda_end_frame(struct zci_cuda_frame_ctx *fctx, const struct zci_cuda_addresses *at)
{
    const struct zci_cuda_api *api = fctx->cuda->api;
    struct zck_cuda_finish finish = fctx->steps[fctx->last_pass].pass.finish;
    void *stream = fctx->kernel_stream->handle, *arguments[] = {&finish};
    fctx->done.device_data = at->device_result;
    fctx->done.cuda_stream = stream;
    fctx->done.cuda_event = fctx->kernel_stream->event;
    fctx->done.cuda_device = (int)fctx->device;
    if (ends_alone(fctx, at))
        return ZCS_OK;
    finish.report = fctx->device_report != NULL
                        ? fctx->device_report
                        : zci_cuda_device_pointer(&fctx->pinned, fctx->device);
    int error = copy_result(fctx, at);
    if (error == ZCI_CUDA_SUCCESS)
        error = api->launch(zck_cuda_signal_kernel(), 1, 1, arguments, stream);
    if (error == ZCI_CUDA_SUCCESS && fctx->device_report != NULL)
        error = api->copy(fctx->report, fctx->device_report, sizeof *fctx->report, ZCI_CUDA_TO_HOST,
                          stream);
    return zci_cuda_check(fctx->cuda, fctx->device, error, "ending a frame");
}

zcs_status zci_cuda_check_result(const struct zci_cuda_frame_ctx *fctx,
                                 const struct zci_cuda_addresses *at)
{
    if (at->device_result != NULL)
        return ZCS_OK;
    return zci_fail(&fctx->cuda->base.log, ZCS_ERR_UNSUPPORTED,
                    "cuda device %u: cannot write results into this memory", fctx->device);
}

static zcs_status enqueue(struct zci_cuda_frame_ctx *fctx, const struct zci_job *job)
{
    const struct zci_cuda_addresses at = zci_cuda_find_addresses(fctx, job);
    zcs_status status = zci_cuda_check_result(fctx, &at);
    if (status != ZCS_OK)
        return status;
    if (zci_cuda_persistent_accepts(fctx, job, &at))
        return zci_cuda_persistent_submit(fctx, job, &at);
    zci_cuda_begin_frame(fctx, &at);
    status = zci_cuda_upload(fctx, job, &at);
    for (uint32_t i = 0; i < fctx->plan->pass_count && status == ZCS_OK; i++)
        status = zci_cuda_enqueue_pass(fctx, i);
    return status == ZCS_OK ? zci_cuda_end_frame(fctx, &at) : status;
}

zcs_status zci_cuda_frame_ctx_submit(struct zci_frame_ctx *base, const struct zci_job *job)
{
    struct zci_cuda_frame_ctx *fctx = frame_ctx_of(base);
    int previous;
    if (fctx->busy)
        return zci_fail(&base->backend->log, ZCS_ERR_BUSY,
                        "cuda frame context: has a frame already");
    base->failed_device = 0;
    zcs_status status = zci_cuda_enter(fctx->cuda, fctx->device, &previous);
    if (status != ZCS_OK)
        return status;
    status = enqueue(fctx, job);
    if (status == ZCS_OK)
        fctx->busy = 1;
    else
        zci_cuda_frame_ctx_drain(fctx);
    zci_cuda_leave(fctx->cuda, previous);
    return status == ZCS_OK ? ZCS_OK : ZCS_ERR_DEVICE;
}

/* --- completion --- */

/* After the report. ZCS_AGAIN: late copies still read the source. */
static zcs_status settle(struct zci_cuda_frame_ctx *fctx)
{
    return zci_cuda_persistent_is_running(fctx) ? zci_cuda_persistent_late_copies(fctx) : ZCS_OK;
}

/* Queries CUDA, which also reports errors. */
static zcs_status query(struct zci_cuda_frame_ctx *fctx)
{
    zcs_status status =
        zci_cuda_query_stream(fctx->cuda, fctx->device, fctx->running_stream, "running a frame");
    if (status != ZCS_OK)
        return status;
    if (zci_cuda_frame_ctx_reported(fctx))
        return settle(fctx);
    if (zci_cuda_persistent_is_running(fctx))
        status = zci_cuda_persistent_keep_alive(fctx);
    else
        status =
            zci_fail(&fctx->cuda->base.log, ZCS_ERR_DEVICE,
                     "cuda device %u: frame %u ended without a report", fctx->device, fctx->frame);
    return status;
}

/* ZCS_AGAIN: the frame is not complete. */
static zcs_status look(struct zci_cuda_frame_ctx *fctx)
{
    if (zci_cuda_frame_ctx_reported(fctx))
        return settle(fctx);
    if (zci_cuda_persistent_is_running(fctx)) {
        const zcs_status status = zci_cuda_persistent_keep_alive(fctx);
        if (status != ZCS_AGAIN)
            return status;
    }
    const int64_t now_ns = zci_now_ns();
    if (fctx->queried_ns == 0)
        fctx->queried_ns = now_ns;
    if (now_ns - fctx->queried_ns < QUERY_NS)
        return ZCS_AGAIN;
    const zcs_status status = query(fctx);
    if (status == ZCS_AGAIN)
        fctx->queried_ns = now_ns; /* otherwise poll sees at once what wait has seen */
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
        fctx->done.digest = fctx->awaited_report->digest;
    *out = fctx->done;
    return ZCS_OK;
}

zcs_status zci_cuda_frame_ctx_wait(struct zci_frame_ctx *base, int64_t timeout_ns)
{
    struct zci_cuda_frame_ctx *fctx = frame_ctx_of(base);
    const int64_t deadline_ns = zci_deadline_ns(timeout_ns), yield_ns = zci_now_ns() + SPIN_NS;
    while (fctx->busy) {
        for (uint32_t i = 0; i < POLLS && !zci_cuda_frame_ctx_reported(fctx); i++)
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

void zci_cuda_frame_ctx_destroy(struct zci_frame_ctx **base)
{
    if (*base == NULL)
        return;
    struct zci_cuda_frame_ctx *fctx = frame_ctx_of(*base);
    *base = NULL;
    zci_cuda_persistent_finish(fctx);
    zci_cuda_frame_ctx_free(fctx);
}
