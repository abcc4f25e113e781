/* SPDX-License-Identifier: MIT */
/* Submitting a frame: its bytes' way to the device, the passes, the result's way back. */
#include "backend/cuda/submit.h"

#include "backend/cuda/memory.h"
#include "backend/cuda/resident.h"
#include "core/format.h"
#include "core/trace.h"

static struct zci_cuda_lane *lane_of(struct zci_lane *lane)
{
    return (struct zci_cuda_lane *)lane;
}

/* The stage is at fault, unless its device is lost, which any call then tells. */
static zcs_status stage_failed(struct zci_cuda_lane *lane, const char *name, zcs_status status)
{
    const int error = lane->cuda->api->stream_query(lane->queue->stream);
    zci_log(&lane->cuda->base.log, ZCS_LOG_ERROR, "stage %s: failed: %s", name,
            zcs_strerror(status));
    if (error != ZCI_CUDA_NOT_READY && error != ZCI_CUDA_SUCCESS)
        return zci_cuda_check(lane->cuda, lane->device, error, name);
    lane->base.culprit = -1;
    return ZCS_ERR_DEVICE;
}

/* Whatever the stage leaves unwritten, the rows' padding above all, is 0. */
static zcs_status run_custom(struct zci_cuda_lane *lane, uint32_t index)
{
    const struct zci_pass *pass = &lane->plan->passes[index];
    struct zck_cuda_pass *args = &lane->steps[index].pass;
    const struct zcs_custom_stage *stage = &lane->plan->custom[pass->custom];
    const char *name = lane->plan->custom_names[pass->custom];
    void *stream = lane->queue->stream;
    struct zcs_view in = {.data = lane->images[pass->in],
                          .stride_bytes = args->in_stride,
                          .width = pass->width,
                          .height = pass->height,
                          .format = zci_pixel_format(pass->pixel)};
    struct zcs_view out = in;
    out.data = args->out;
    out.stride_bytes = args->out_stride;
    zcs_status status = zci_cuda_check(
        lane->cuda, lane->device,
        lane->cuda->api->fill(out.data, 0, lane->plan->image_bytes[pass->out], stream), name);
    if (status != ZCS_OK)
        return status;
    status = stage->cuda_fn(stage->user, &in, &out, stream);
    if (status != ZCS_OK)
        return stage_failed(lane, name, status);
    return zci_cuda_check(lane->cuda, lane->device, lane->cuda->api->last_error(), name);
}

static zcs_status launch_failed(struct zci_cuda_lane *lane, int error, uint32_t index)
{
    const struct zcs_image *source = &lane->plan->source;
    const zcs_status status = zci_cuda_check(lane->cuda, lane->device, error, "launching a kernel");
    return zci_fail(&lane->cuda->base.log, status, "pass %u of %u for %s %ux%u was not launched",
                    index + 1, lane->plan->pass_count, zcs_pixfmt_info(source->format)->name,
                    source->width, source->height);
}

static zcs_status launch_step(struct zci_cuda_lane *lane, uint32_t index)
{
    struct zci_cuda_step *step = &lane->steps[index];
    void *arguments[] = {&step->pass};
    const int error = lane->cuda->api->launch(step->kernel, step->blocks + step->pass.flow.loaders,
                                              ZCK_CUDA_THREADS, arguments, lane->queue->stream);
    if (error != ZCI_CUDA_SUCCESS)
        return launch_failed(lane, error, index);
    if (index == 0)
        lane->band_target += step->pass.flow.loaders;
    return ZCS_OK;
}

zcs_status zci_cuda_run_step(struct zci_cuda_lane *lane, uint32_t index)
{
    if (zci_rows_none(lane->share.rows[index]))
        return ZCS_OK;
    zci_trace_push_pass(lane->plan, index);
    const zcs_status status =
        lane->plan->passes[index].custom >= 0 ? run_custom(lane, index) : launch_step(lane, index);
    zci_trace_pop();
    return status;
}

/* 1: the last kernel writes the result where it belongs and tells the host; 0: end_frame does. */
static int ends_alone(const struct zci_cuda_lane *lane, const struct zci_cuda_places *at)
{
    const int copied = lane->device_report != NULL || at->written == lane->images[0];
    return lane->plan->passes[lane->last_pass].custom < 0 && !copied;
}

void zci_cuda_begin_frame(struct zci_cuda_lane *lane, const struct zci_cuda_places *at)
{
    struct zck_cuda_pass *last = &lane->steps[lane->last_pass].pass;
    if (lane->last_pass + 1 == lane->plan->pass_count)
        last->out = at->written;
    last->finish.frame = ++lane->frame;
    lane->watched = lane->report;
    lane->awaited = lane->frame;
    lane->at_work = lane->queue->stream;
    lane->asked_ns = 0;
    last->finish.to_host = at->in_host;
    last->finish.report =
        ends_alone(lane, at) ? zci_cuda_memory_seen(&lane->pinned, lane->device) : NULL;
}

/* The rows of the lane's share, of a result that its kernels could not write. */
static int copy_result(struct zci_cuda_lane *lane, const struct zci_cuda_places *at)
{
    const struct zci_plan *plan = lane->plan;
    const struct zci_rows rows = lane->share.rows[plan->pass_count - 1];
    const size_t begin = rows.first * plan->image_stride[0];
    const size_t end =
        rows.last == plan->result.height ? plan->image_bytes[0] : rows.last * plan->image_stride[0];
    if (at->written != lane->images[0] || zci_rows_none(rows))
        return ZCI_CUDA_SUCCESS;
    return lane->cuda->api->copy(at->result + begin, at->written + begin, end - begin,
                                 ZCI_CUDA_BETWEEN, lane->queue->stream);
}

zcs_status zci_cuda_end_frame(struct zci_cuda_lane *lane, const struct zci_cuda_places *at)
{
    const struct zci_cuda_api *api = lane->cuda->api;
    struct zck_cuda_finish finish = lane->steps[lane->last_pass].pass.finish;
    void *stream = lane->queue->stream, *arguments[] = {&finish};
    lane->done.device_data = at->written;
    lane->done.cuda_stream = stream;
    lane->done.cuda_event = lane->queue->event;
    lane->done.cuda_device = (int)lane->device;
    if (ends_alone(lane, at))
        return ZCS_OK;
    finish.report = lane->device_report != NULL ? lane->device_report
                                                : zci_cuda_memory_seen(&lane->pinned, lane->device);
    int error = copy_result(lane, at);
    if (error == ZCI_CUDA_SUCCESS)
        error = api->launch(zck_cuda_signal_kernel(), 1, 1, arguments, stream);
    if (error == ZCI_CUDA_SUCCESS && lane->device_report != NULL)
        error = api->copy(lane->report, lane->device_report, sizeof *lane->report, ZCI_CUDA_TO_HOST,
                          stream);
    return zci_cuda_check(lane->cuda, lane->device, error, "ending a frame");
}

zcs_status zci_cuda_can_write(const struct zci_cuda_lane *lane, const struct zci_cuda_places *at)
{
    if (at->written != NULL)
        return ZCS_OK;
    return zci_fail(&lane->cuda->base.log, ZCS_ERR_UNSUPPORTED,
                    "cuda device %u: cannot write results into this memory", lane->device);
}

static zcs_status enqueue(struct zci_cuda_lane *lane, const struct zci_job *job)
{
    const struct zci_cuda_places at = zci_cuda_find_places(lane, job);
    zcs_status status = zci_cuda_can_write(lane, &at);
    if (status != ZCS_OK)
        return status;
    if (zci_cuda_resident_takes(lane, job, &at))
        return zci_cuda_resident_submit(lane, job, &at);
    zci_cuda_begin_frame(lane, &at);
    status = zci_cuda_bring(lane, job, &at);
    for (uint32_t i = 0; i < lane->plan->pass_count && status == ZCS_OK; i++)
        status = zci_cuda_run_step(lane, i);
    return status == ZCS_OK ? zci_cuda_end_frame(lane, &at) : status;
}

zcs_status zci_cuda_lane_submit(struct zci_lane *base, const struct zci_job *job)
{
    struct zci_cuda_lane *lane = lane_of(base);
    int previous;
    if (lane->busy)
        return zci_fail(&base->backend->log, ZCS_ERR_BUSY, "cuda lane: has a frame already");
    base->culprit = 0;
    zcs_status status = zci_cuda_enter(lane->cuda, lane->device, &previous);
    if (status != ZCS_OK)
        return status;
    status = enqueue(lane, job);
    if (status == ZCS_OK)
        lane->busy = 1;
    else
        zci_cuda_lane_drain(lane);
    zci_cuda_leave(lane->cuda, previous);
    return status == ZCS_OK ? ZCS_OK : ZCS_ERR_DEVICE;
}
