/* SPDX-License-Identifier: MIT */
/* A frame's bytes' way to the device: where its memory is, and the three routes. */
#include "backend/cuda/bring.h"

#include "backend/cuda/claims.h"
#include "backend/cuda/memory.h"

#define WORDS_ALIGNMENT 16u /* of the source, so that no word of it is brought in parts */

/* The caller's own memory: known to the backend, of which CUDA is not asked then, or pinned by whomever. */
static void find_own(struct zci_cuda_lane *lane, const void *source, struct zci_cuda_places *at)
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

static void find_source(struct zci_cuda_lane *lane, const struct zci_job *job,
                        struct zci_cuda_places *at)
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

struct zci_cuda_places zci_cuda_find_places(struct zci_cuda_lane *lane, const struct zci_job *job)
{
    struct zci_cuda_places at = {.pinned = 0};
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
        flow->planes[p].begin_bytes =
            phase + plan->load.offset_bytes[p] +
            flow->first_row / flow->planes[p].vsub * flow->planes[p].stride_bytes;
    flow->end_bytes =
        (phase + plan->source.size_bytes + ZCK_CUDA_LINE - 1) / ZCK_CUDA_LINE * ZCK_CUDA_LINE;
    flow->staging = lane->staging;
    flow->wait = ZCK_CUDA_WAIT_NONE;
    flow->other = NULL;
    flow->loaders = 0;
    flow->alone = 0;
}

/* What the frame's kernel gets ready, if it is not yet: behind a source that is not looked at it still is. */
static uint8_t *to_fill(const struct zci_cuda_lane *lane)
{
    return lane->blanked ? NULL : lane->other;
}

static void go_mapped(struct zci_cuda_lane *lane, const uint8_t *seen)
{
    const struct zci_cuda_facts *facts = &lane->cuda->devices[lane->device].facts;
    struct zck_cuda_flow *flow = &lane->steps[0].pass.flow;
    const size_t phase = (uintptr_t)seen % ZCK_CUDA_LINE;
    const int words = zci_cuda_begin_words(lane, seen);
    set_phase(lane, phase);
    flow->lines = seen - phase;
    flow->wait = words ? ZCK_CUDA_WAIT_WORDS_LOADED : ZCK_CUDA_WAIT_BANDS;
    flow->other = to_fill(lane);
    lane->blanked = lane->other != NULL;
    flow->loaders = facts->bulk ? ZCK_CUDA_LOADERS : ZCK_CUDA_PLAIN_LOADERS;
    flow->alone = facts->units >= 4 * flow->loaders;
    flow->bands = lane->bands;
    flow->band_target = lane->band_target + flow->loaders;
}

/* The bytes of rows [first, last) of one plane, counted from the flow's first; the image lies at `offset`. */
static int copy_rows(struct zci_cuda_lane *lane, const uint8_t *source, size_t offset,
                     uint32_t plane, uint32_t first, uint32_t last, void *stream)
{
    const struct zck_cuda_plane *p = &lane->steps[0].pass.flow.planes[plane];
    const size_t size = offset + lane->plan->source.size_bytes;
    const uint32_t end_row = (last + p->vsub - 1) / p->vsub;
    const size_t begin = p->begin_bytes + first / p->vsub * p->stride_bytes;
    const size_t end = p->begin_bytes + (end_row < p->rows ? end_row : p->rows) * p->stride_bytes;
    return lane->cuda->api->copy(lane->staging + begin, source + begin - offset,
                                 (end < size ? end : size) - begin, ZCI_CUDA_TO_DEVICE, stream);
}

/* Rows [first, last) of all planes; in one piece where these are all of the source, so that words which two planes
 * share are not brought in parts. */
static int copy_planes(struct zci_cuda_lane *lane, const uint8_t *source, size_t offset,
                       uint32_t first, uint32_t last, void *stream)
{
    const struct zck_cuda_flow *flow = &lane->steps[0].pass.flow;
    const int all = first == 0 && flow->first_row == 0 && last >= lane->plan->load.height;
    int error = ZCI_CUDA_SUCCESS;
    if (all)
        return lane->cuda->api->copy(lane->staging + offset, source, lane->plan->source.size_bytes,
                                     ZCI_CUDA_TO_DEVICE, stream);
    for (uint32_t p = 0; p < flow->plane_count && error == ZCI_CUDA_SUCCESS; p++)
        error = copy_rows(lane, source, offset, p, first, last, stream);
    return error;
}

static int announce_chunk(struct zci_cuda_lane *lane, uint32_t index, uint32_t number)
{
    const struct zci_cuda_api *api = lane->cuda->api;
    const struct zci_cuda_facts *facts = &lane->cuda->devices[lane->device].facts;
    uint32_t *counter = lane->chunks + index;
    if (facts->write_word != NULL)
        return api->write_word(facts, counter, number, lane->copies->stream);
    *lane->flag = number;
    return api->copy(counter, lane->flag, sizeof *lane->flag, ZCI_CUDA_TO_DEVICE,
                     lane->copies->stream);
}

/* The waiting kernel sees the counters: no events, no further kernels. */
int zci_cuda_copy_chunks(struct zci_cuda_lane *lane, const uint8_t *source, size_t offset,
                         const uint32_t *rows, uint32_t count, uint32_t counters, uint32_t number)
{
    int error = ZCI_CUDA_SUCCESS;
    set_phase(lane, offset);
    for (uint32_t i = 0, first = 0; i < count && error == ZCI_CUDA_SUCCESS; first = rows[i++]) {
        error = copy_planes(lane, source, offset, first, rows[i], lane->copies->stream);
        if (error == ZCI_CUDA_SUCCESS)
            error = announce_chunk(lane, counters - count + i, number);
    }
    return error;
}

int zci_cuda_begin_words(struct zci_cuda_lane *lane, const uint8_t *source)
{
    uint8_t *place = lane->other;
    if (!lane->blanked || (uintptr_t)source % WORDS_ALIGNMENT != 0)
        return 0;
    lane->other = lane->staging;
    lane->staging = place;
    lane->blanked = 0;
    return 1;
}

/* In one piece if its words are looked at. The kernel gets the place of the next frame ready. Nothing that it
 * waits for is enqueued after it: another thread's call may hold up all others until it has ended. */
static int go_staged(struct zci_cuda_lane *lane, const uint8_t *source)
{
    struct zck_cuda_flow *flow = &lane->steps[0].pass.flow;
    const uint32_t number = ++lane->chunk_target;
    const int words = zci_cuda_begin_words(lane, source);
    const uint32_t skipped = words ? flow->chunk_count - 1 : 0;
    const int error = zci_cuda_copy_chunks(lane, source, 0, flow->chunk_end + skipped,
                                           flow->chunk_count - skipped, flow->chunk_count, number);
    flow->wait = words ? ZCK_CUDA_WAIT_WORDS : ZCK_CUDA_WAIT_CHUNKS;
    flow->chunks = lane->chunks;
    flow->chunk_target = number;
    flow->other = to_fill(lane);
    lane->blanked = lane->other != NULL;
    return error;
}

static int go_whole(struct zci_cuda_lane *lane, const uint8_t *source)
{
    const struct zck_cuda_flow *flow = &lane->steps[0].pass.flow;
    set_phase(lane, 0);
    return copy_planes(lane, source, 0, 0, flow->chunk_end[flow->chunk_count - 1],
                       lane->queue->stream);
}

/* Memory that kernels cannot read is copied; in one piece if the driver does it with the CPU, or the counters
 * of bands and chunks are the resident kernel's. */
static enum zcs_route route_of(const struct zci_cuda_lane *lane, enum zcs_route wanted,
                               const struct zci_cuda_places *at)
{
    if (!at->pinned || (at->seen == NULL && wanted == ZCS_ROUTE_MAPPED) || lane->resident != NULL)
        return ZCS_ROUTE_WHOLE;
    return wanted;
}

/* Of the source, that the lane copies. */
static uint64_t share_bytes(const struct zci_cuda_lane *lane)
{
    const struct zck_cuda_flow *flow = &lane->steps[0].pass.flow;
    uint64_t bytes = 0;
    if (flow->chunk_end[flow->chunk_count - 1] == lane->plan->load.height)
        return lane->plan->source.size_bytes;
    for (uint32_t p = 0; p < flow->plane_count; p++)
        bytes += flow->planes[p].rows * flow->planes[p].stride_bytes;
    return bytes;
}

zcs_status zci_cuda_bring(struct zci_cuda_lane *lane, const struct zci_job *job,
                          const struct zci_cuda_places *at)
{
    int error = ZCI_CUDA_SUCCESS;
    lane->done = (struct zci_job_result){
        .route = route_of(lane, job->route, at),
        .cpu_bytes_copied = at->pinned ? 0 : share_bytes(lane),
    };
    if (lane->done.route == ZCS_ROUTE_MAPPED)
        go_mapped(lane, at->seen);
    else if (lane->done.route == ZCS_ROUTE_STAGED)
        error = go_staged(lane, at->source);
    else
        error = go_whole(lane, at->source);
    return zci_cuda_check(lane->cuda, lane->device, error, "copying a frame to the device");
}
