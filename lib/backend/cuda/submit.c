/* SPDX-License-Identifier: MIT */
/* Submitting a frame: its bytes' way to the device, the passes, the result's way back. */
#include "backend/cuda/claims.h"
#include "backend/cuda/lane.h"
#include "backend/cuda/memory.h"
#include "core/format.h"

/* Where a frame's memory is for the device. */
struct places {
    const uint8_t *source; /* for copies */
    const uint8_t *seen;   /* for kernels; NULL: they cannot read it */
    int pinned;            /* 0: the driver copies the source with the CPU */
    uint8_t *result;       /* for copies */
    uint8_t *written;      /* for kernels */
    int in_host;           /* 1: that is host memory */
};

static struct zci_cuda_lane *lane_of(struct zci_lane *lane)
{
    return (struct zci_cuda_lane *)lane;
}

/* The caller's own memory: registered with the backend, or pinned by whomever (zcs_memory_alloc too). */
static void find_own(struct zci_cuda_lane *lane, const void *source, struct places *at)
{
    const struct zci_cuda_api *api = lane->cuda->api;
    at->seen =
        zci_cuda_memory_find(lane->cuda, lane->device, source, lane->plan->source.size_bytes);
    at->pinned = at->seen != NULL;
    if (at->pinned)
        return;
    if (api->is_pinned(&at->pinned, source) != ZCI_CUDA_SUCCESS)
        api->last_error();
    void *seen = NULL;
    if (at->pinned && api->host_device_pointer(&seen, (void *)(uintptr_t)source) != 0)
        api->last_error();
    at->seen = seen;
}

static void find_source(struct zci_cuda_lane *lane, const struct zci_job *job, struct places *at)
{
    const struct zci_memory *memory = job->source_memory;
    at->source = job->source;
    if (memory == NULL) {
        find_own(lane, job->source, at);
        return;
    }
    at->pinned = 1;
    at->seen = zci_cuda_memory_seen(memory, lane->device);
    if (at->seen != NULL && memory->host != NULL)
        at->seen += (const uint8_t *)job->source - (const uint8_t *)memory->host;
}

static struct places find_places(struct zci_cuda_lane *lane, const struct zci_job *job)
{
    struct places at = {.pinned = 0};
    find_source(lane, job, &at);
    at.written = zci_cuda_memory_seen(job->result_memory, lane->device);
    at.in_host = job->result_memory->host != NULL && at.written != NULL;
    at.result = job->result_memory->host != NULL ? job->result : at.written;
    if (at.written == NULL)
        at.written = lane->images[0];
    return at;
}

/* Kernels count from the line that the source begins in. */
static void set_phase(struct zci_cuda_lane *lane, size_t phase)
{
    const struct zci_plan *plan = lane->plan;
    struct zck_cuda_pass *pass = &lane->steps[0].pass;
    struct zck_cuda_flow *flow = &pass->flow;
    pass->in = lane->staging + phase;
    for (uint32_t p = 0; p < flow->plane_count; p++)
        flow->planes[p].begin_bytes = phase + plan->load.offset_bytes[p];
    flow->end_bytes =
        (phase + plan->source.size_bytes + ZCK_CUDA_LINE - 1) / ZCK_CUDA_LINE * ZCK_CUDA_LINE;
    flow->staging = lane->staging;
    flow->wait = ZCK_CUDA_WAIT_NONE;
    flow->loaders = 0;
    flow->alone = 0;
}

static void go_mapped(struct zci_cuda_lane *lane, const uint8_t *seen)
{
    const struct zci_cuda_facts *facts = &lane->cuda->devices[lane->device].facts;
    struct zck_cuda_flow *flow = &lane->steps[0].pass.flow;
    const size_t phase = (uintptr_t)seen % ZCK_CUDA_LINE;
    set_phase(lane, phase);
    flow->lines = seen - phase;
    flow->wait = ZCK_CUDA_WAIT_BANDS;
    flow->loaders = facts->bulk ? ZCK_CUDA_LOADERS : ZCK_CUDA_PLAIN_LOADERS;
    flow->alone = facts->units >= 4 * flow->loaders;
    flow->arrived = lane->bands;
    flow->target = lane->band_target + flow->loaders;
}

/* The bytes of source rows [first, last) of one plane. */
static int copy_rows(struct zci_cuda_lane *lane, const uint8_t *source, uint32_t plane,
                     uint32_t first, uint32_t last)
{
    const struct zck_cuda_plane *p = &lane->steps[0].pass.flow.planes[plane];
    const size_t size = lane->plan->source.size_bytes;
    const uint32_t end_row = (last + p->vsub - 1) / p->vsub;
    const size_t begin = p->begin_bytes + first / p->vsub * p->stride_bytes;
    const size_t end = p->begin_bytes + (end_row < p->rows ? end_row : p->rows) * p->stride_bytes;
    return lane->cuda->api->copy(lane->staging + begin, source + begin,
                                 (end < size ? end : size) - begin, ZCI_CUDA_TO_DEVICE,
                                 lane->queue->copies);
}

static int announce_chunk(struct zci_cuda_lane *lane, uint32_t index)
{
    const struct zci_cuda_api *api = lane->cuda->api;
    const struct zci_cuda_facts *facts = &lane->cuda->devices[lane->device].facts;
    uint32_t *counter = lane->chunks + index;
    if (facts->write_word != NULL)
        return api->write_word(facts, counter, *lane->flag, lane->queue->copies);
    return api->copy(counter, lane->flag, sizeof *lane->flag, ZCI_CUDA_TO_DEVICE,
                     lane->queue->copies);
}

/* Behind each chunk its counter, which the waiting kernel sees: no events, no further kernels. */
static int go_staged(struct zci_cuda_lane *lane, const uint8_t *source)
{
    struct zck_cuda_flow *flow = &lane->steps[0].pass.flow;
    set_phase(lane, 0);
    flow->wait = ZCK_CUDA_WAIT_CHUNKS;
    flow->arrived = lane->chunks;
    flow->target = *lane->flag = ++lane->chunk_target;
    int error = ZCI_CUDA_SUCCESS;
    for (uint32_t i = 0, first = 0; i < flow->chunk_count; first = flow->chunk_end[i++]) {
        for (uint32_t p = 0; p < flow->plane_count && error == ZCI_CUDA_SUCCESS; p++)
            error = copy_rows(lane, source, p, first, flow->chunk_end[i]);
        if (error == ZCI_CUDA_SUCCESS)
            error = announce_chunk(lane, i);
    }
    return error;
}

static int go_whole(struct zci_cuda_lane *lane, const uint8_t *source)
{
    set_phase(lane, 0);
    return lane->cuda->api->copy(lane->staging, source, lane->plan->source.size_bytes,
                                 ZCI_CUDA_TO_DEVICE, lane->queue->stream);
}

/* Memory that kernels cannot read is copied; in one piece if the driver does it with the CPU. */
static enum zcs_route route_of(enum zcs_route wanted, const struct places *at)
{
    if (!at->pinned || (at->seen == NULL && wanted == ZCS_ROUTE_MAPPED))
        return ZCS_ROUTE_WHOLE;
    return wanted;
}

static zcs_status bring_source(struct zci_cuda_lane *lane, const struct zci_job *job,
                               const struct places *at)
{
    int error = ZCI_CUDA_SUCCESS;
    lane->done = (struct zci_job_result){
        .route = route_of(job->route, at),
        .cpu_bytes_copied = at->pinned ? 0 : lane->plan->source.size_bytes,
    };
    if (lane->done.route == ZCS_ROUTE_MAPPED)
        go_mapped(lane, at->seen);
    else if (lane->done.route == ZCS_ROUTE_STAGED)
        error = go_staged(lane, at->source);
    else
        error = go_whole(lane, at->source);
    return zci_cuda_check(lane->cuda, lane->device, error, "copying a frame to the device");
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

static zcs_status run_step(struct zci_cuda_lane *lane, uint32_t index)
{
    struct zci_cuda_step *step = &lane->steps[index];
    if (step->kernel == NULL)
        return run_custom(lane, index);
    void *arguments[] = {&step->pass};
    const int error = lane->cuda->api->launch(step->kernel, step->blocks + step->pass.flow.loaders,
                                              ZCK_CUDA_THREADS, arguments, lane->queue->stream);
    if (error != ZCI_CUDA_SUCCESS)
        return launch_failed(lane, error, index);
    if (index == 0)
        lane->band_target += step->pass.flow.loaders;
    return ZCS_OK;
}

/* 1: the last pass's kernel writes the result where it belongs and tells the host; 0: end_frame does. */
static int set_ends(struct zci_cuda_lane *lane, const struct places *at)
{
    struct zci_cuda_step *last = &lane->steps[lane->plan->pass_count - 1];
    struct zck_cuda_finish *finish = &last->pass.finish;
    const int alone = last->kernel != NULL && lane->device_report == NULL;
    last->pass.out = at->written;
    finish->frame = ++lane->frame;
    finish->to_host = at->in_host;
    finish->report = alone ? zci_cuda_memory_seen(&lane->pinned, lane->device) : NULL;
    return alone;
}

/* What is left behind the passes: the copy of a result that kernels could not write, and the report. */
static zcs_status end_frame(struct zci_cuda_lane *lane, const struct places *at)
{
    const struct zci_cuda_api *api = lane->cuda->api;
    struct zck_cuda_finish finish = lane->steps[lane->plan->pass_count - 1].pass.finish;
    void *stream = lane->queue->stream, *arguments[] = {&finish};
    int error = ZCI_CUDA_SUCCESS;
    finish.report = lane->device_report != NULL ? lane->device_report
                                                : zci_cuda_memory_seen(&lane->pinned, lane->device);
    if (at->result != at->written && at->written == lane->images[0])
        error = api->copy(at->result, at->written, lane->plan->image_bytes[0], ZCI_CUDA_TO_HOST,
                          stream);
    if (error == ZCI_CUDA_SUCCESS)
        error = api->launch(zck_cuda_signal_kernel(), 1, 1, arguments, stream);
    if (error == ZCI_CUDA_SUCCESS && lane->device_report != NULL)
        error = api->copy(lane->report, lane->device_report, sizeof *lane->report, ZCI_CUDA_TO_HOST,
                          stream);
    return zci_cuda_check(lane->cuda, lane->device, error, "ending a frame");
}

static zcs_status enqueue(struct zci_cuda_lane *lane, const struct zci_job *job)
{
    const struct places at = find_places(lane, job);
    if (at.written == NULL)
        return zci_fail(&lane->cuda->base.log, ZCS_ERR_UNSUPPORTED,
                        "cuda device %u: cannot write results into this memory", lane->device);
    const int alone = set_ends(lane, &at);
    zcs_status status = bring_source(lane, job, &at);
    for (uint32_t i = 0; i < lane->plan->pass_count && status == ZCS_OK; i++)
        status = run_step(lane, i);
    if (status == ZCS_OK && !alone)
        status = end_frame(lane, &at);
    lane->done.device_data = at.written;
    lane->done.cuda_stream = lane->queue->stream;
    lane->done.cuda_event = lane->queue->event;
    lane->done.cuda_device = (int)lane->device;
    return status;
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
