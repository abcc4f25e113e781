/* SPDX-License-Identifier: MIT */
/* Holding a part of the device for a lane: whether that can be, how much, and what the kernel is told. */
#include "backend/cuda/hold.h"

#include <stdlib.h>
#include <string.h>

#include "backend/cuda/memory.h"
#include "kernels/sums.h"

/* One block a multiprocessor, on three of four: the others stay free for blocks that need a whole one. */
#define HELD_OF_FOUR 3u
#define LEAST_BLOCKS 3u
#define ANSWER_BYTES 128u /* where the answer lies behind the desk */
#define BOARD_BYTES 128u  /* where the board lies behind the meeting */

/* How long calls that wait for the device, cudaFree among them, may be held up: by a stream that has no
 * frames, and by one that has. */
#define IDLE_NS 200000000
#define LIFE_NS 500000000

/* Copies of a frame's first part have a start that costs several microseconds and an end that costs as much;
 * loaders fill both. Where a frame is big, they come last, as they announce small pieces. */
#define BIG_BYTES ((size_t)4 << 20)
#define SMALL_COPIED 20u /* percent of the rows */
#define BIG_COPIED_FIRST 60u
#define BIG_COPIED 68u
#define WORDS_LOADED ((size_t)264 << 10) /* where words are looked at: while the copy starts */
#define LEAST_BANDS 8u
#define BANDS_AT_ONCE 3u /* that loaders have room for before they wait for the copies */

static const char *refuse(const struct zci_cuda_device *device, const struct zci_plan *plan)
{
    const struct zci_cuda_facts *facts = &device->facts;
    if (plan->custom_count > 0)
        return "the chain has stages of the application's, which are kernels of their own";
    if (plan->pass_count > ZCK_CUDA_RESIDENT_PASSES)
        return "the chain has more passes over the frame than a resident kernel runs";
    if (!facts->can_map)
        return "the device cannot read host memory";
    if (facts->units * HELD_OF_FOUR / 4u < LEAST_BLOCKS)
        return "the device has too few multiprocessors";
    return NULL;
}

static uint32_t rows_of(const struct zck_cuda_flow *flow, uint32_t height, uint32_t bands)
{
    const uint32_t rows = bands * flow->band_rows;
    return rows < height ? rows : height;
}

/* Whole bands, five sixths of all at most; none where several planes make one copy, or rows begin within 16 bytes. */
static uint32_t words_loaded(const struct zci_plan *plan, const struct zck_cuda_flow *flow)
{
    if (flow->plane_count > 1 || plan->load.offset_bytes[0] % 16u != 0)
        return 0;
    const size_t band_bytes = plan->source.size_bytes / flow->band_count + 1;
    const size_t bands = WORDS_LOADED / band_bytes;
    const uint32_t most = flow->band_count * 5 / 6;
    return bands < most ? (uint32_t)bands : most;
}

static void divide(const struct zci_plan *plan, struct zck_cuda_resident *args)
{
    struct zck_cuda_flow *flow = &args->passes[0].flow;
    const uint32_t bands = flow->band_count, height = plan->load.height;
    const int big = plan->source.size_bytes >= BIG_BYTES;
    if (bands < LEAST_BANDS) {
        args->hybrid = (struct zck_cuda_hybrid){
            .first_band = bands, .wait = ZCK_CUDA_WAIT_CHUNKS, .words_first_band = bands};
        flow->chunk_count = 1;
        flow->chunk_end[0] = height;
        return;
    }
    args->hybrid = (struct zck_cuda_hybrid){
        .first_band = bands * (big ? BIG_COPIED : SMALL_COPIED) / 100u,
        .after_chunk = big,
        .wait_band = bands * (big ? BIG_COPIED : SMALL_COPIED) / 100u + BANDS_AT_ONCE,
        .wait = ZCK_CUDA_WAIT_BOTH,
        .words_first_band = bands - words_loaded(plan, flow),
    };
    flow->chunk_count = big ? 2 : 1;
    flow->chunk_end[0] = rows_of(flow, height, bands * BIG_COPIED_FIRST / 100u);
    flow->chunk_end[flow->chunk_count - 1] = rows_of(flow, height, args->hybrid.first_band);
}

static uint32_t loaders_of(const struct zci_cuda_facts *facts, uint32_t blocks)
{
    const uint32_t enough = facts->bulk
                                ? ZCK_CUDA_LOADERS
                                : (ZCK_CUDA_PLAIN_LOADERS + ZCK_CUDA_TEAMS - 1) / ZCK_CUDA_TEAMS;
    return enough < blocks / 2 ? enough : blocks / 2;
}

static void set_flow(struct zci_cuda_lane *lane)
{
    struct zci_cuda_resident *r = lane->resident;
    struct zck_cuda_flow *flow = &r->args.passes[0].flow;
    r->place = lane->staging;
    r->args.passes[0].in = flow->staging = lane->staging + ZCK_CUDA_LINE;
    flow->other = lane->staging;
    r->args.other_shift = lane->other != NULL ? lane->other - lane->staging : 0;
    lane->blanked = 0;
    flow->bands = lane->bands;
    flow->chunks = lane->chunks;
    flow->loaders = r->args.loaders;
    flow->eager = 1;
    for (uint32_t p = 0; p < flow->plane_count; p++)
        flow->planes[p].begin_bytes =
            lane->plan->load.offset_bytes[p] +
            flow->first_row / flow->planes[p].vsub * flow->planes[p].stride_bytes;
}

/* The steps of the lane, with a board of their own. */
static void set_args(struct zci_cuda_lane *lane)
{
    struct zci_cuda_resident *r = lane->resident;
    struct zck_cuda_resident *args = &r->args;
    const struct zci_cuda_facts *facts = &lane->cuda->devices[lane->device].facts;
    uint8_t *seen = zci_cuda_memory_seen(&r->pinned, lane->device);
    args->desk = (const struct zck_cuda_desk *)seen;
    args->answer = (struct zck_cuda_answer *)(seen + ANSWER_BYTES);
    args->meeting = r->arena;
    args->idle_ns = IDLE_NS;
    args->life_ns = LIFE_NS;
    args->source_bytes = lane->plan->source.size_bytes;
    args->pass_count = lane->plan->pass_count;
    args->loaders = loaders_of(facts, r->blocks);
    for (uint32_t i = 0; i < args->pass_count; i++) {
        args->passes[i] = lane->steps[i].pass;
        args->passes[i].finish.board = (struct zck_cuda_board *)((uint8_t *)r->arena + BOARD_BYTES);
        args->passes[i].finish.report = i + 1 == args->pass_count ? &args->answer->report : NULL;
    }
    set_flow(lane);
    divide(lane->plan, args);
    r->words_end =
        rows_of(&args->passes[0].flow, lane->plan->load.height, args->hybrid.words_first_band);
}

/* The lane may have run frames before, which counted otherwise. */
static int clear_counters(struct zci_cuda_lane *lane, void *stream)
{
    const struct zci_cuda_api *api = lane->cuda->api;
    const size_t bands = lane->steps[0].pass.flow.band_count * sizeof *lane->bands;
    lane->band_target = 0;
    const int error = api->fill(lane->bands, 0, bands, stream);
    return error != ZCI_CUDA_SUCCESS
               ? error
               : api->fill(lane->chunks, 0, ZCK_CUDA_CHUNKS * sizeof *lane->chunks, stream);
}

static zcs_status take_memory(struct zci_cuda_lane *lane)
{
    struct zci_cuda_resident *r = lane->resident;
    const struct zci_cuda_api *api = lane->cuda->api;
    struct zck_cuda_board board;
    zcs_status status =
        zci_cuda_memory_alloc(&lane->cuda->base, ZCS_ROLE_READBACK, 2 * ANSWER_BYTES, &r->pinned);
    if (status != ZCS_OK)
        return zci_fail(&lane->cuda->base.log, status, "low latency: no pinned memory for orders");
    if (zci_cuda_memory_seen(&r->pinned, lane->device) == NULL)
        return zci_fail(&lane->cuda->base.log, ZCS_ERR_DEVICE,
                        "cuda device %u: does not reach the memory for orders", lane->device);
    memset(r->pinned.host, 0, 2 * ANSWER_BYTES);
    r->desk = r->pinned.host;
    r->answer = (const struct zck_cuda_answer *)((uint8_t *)r->pinned.host + ANSWER_BYTES);
    memset(&board, 0, sizeof board);
    zci_sums_init(&board.sums);
    int error = api->device_alloc(&r->arena, BOARD_BYTES + sizeof board);
    if (error == ZCI_CUDA_SUCCESS)
        error = api->fill(r->arena, 0, BOARD_BYTES, r->queue->stream);
    if (error == ZCI_CUDA_SUCCESS)
        error = clear_counters(lane, r->queue->stream);
    if (error == ZCI_CUDA_SUCCESS)
        error = api->copy((uint8_t *)r->arena + BOARD_BYTES, &board, sizeof board,
                          ZCI_CUDA_TO_DEVICE, r->queue->stream);
    if (error == ZCI_CUDA_SUCCESS)
        error = api->stream_wait(r->queue->stream);
    return zci_cuda_check(lane->cuda, lane->device, error, "low latency: taking device memory");
}

/* Other lanes' copies would be in the way of its own. */
static zcs_status take_copies(struct zci_cuda_lane *lane)
{
    struct zci_cuda_copies *copies = NULL;
    const zcs_status status = zci_cuda_copies_take(lane->cuda, lane->device, lane, &copies);
    if (status != ZCS_OK)
        return status;
    zci_cuda_copies_give(lane->cuda, lane->copies);
    lane->copies = copies;
    return ZCS_OK;
}

/* `held` of the device is this lane's, and goes with the resident. */
static zcs_status build(struct zci_cuda_lane *lane)
{
    struct zci_cuda_resident *r = lane->resident;
    r->blocks = lane->cuda->devices[lane->device].facts.units * HELD_OF_FOUR / 4u;
    r->kernel = zck_cuda_resident_kernel(lane->plan->load.unpack);
    zcs_status status = zci_cuda_queue_take(lane->cuda, lane->device, &r->queue);
    if (status == ZCS_OK)
        status = take_copies(lane);
    if (status == ZCS_OK)
        status = take_memory(lane);
    if (status != ZCS_OK)
        return status;
    set_args(lane);
    return zci_cuda_resident_launch(lane, 0);
}

static const char held_by_other[] = "another stream holds the device";

const char *zci_cuda_hold_refusal(const struct zci_backend *backend, uint32_t device,
                                  const struct zci_plan *plan)
{
    const struct zci_cuda_device *own = &((const struct zci_cuda *)backend)->devices[device];
    const char *reason = refuse(own, plan);
    return reason == NULL && atomic_load(&own->held) ? held_by_other : reason;
}

zcs_status zci_cuda_lane_hold(struct zci_lane *base, struct zci_hold *out)
{
    struct zci_cuda_lane *lane = (struct zci_cuda_lane *)base;
    int previous, free_yet = 0;
    *out = (struct zci_hold){.reason = "several devices work on each frame"};
    if (base->members > 1)
        return ZCS_OK;
    struct zci_cuda *cuda = lane->cuda;
    out->reason = refuse(&cuda->devices[lane->device], lane->plan);
    if (out->reason == NULL &&
        !atomic_compare_exchange_strong(&cuda->devices[lane->device].held, &free_yet, 1))
        out->reason = held_by_other;
    if (out->reason != NULL)
        return ZCS_OK;
    lane->resident = calloc(1, sizeof *lane->resident);
    if (lane->resident == NULL) {
        atomic_store(&cuda->devices[lane->device].held, 0);
        return zci_fail(&cuda->base.log, ZCS_ERR_NOMEM, "low latency: no memory");
    }
    zcs_status status = zci_cuda_enter(cuda, lane->device, &previous);
    if (status == ZCS_OK) {
        status = build(lane);
        if (status != ZCS_OK)
            zci_cuda_resident_finish(lane, 1);
        zci_cuda_leave(cuda, previous);
    } else {
        zci_cuda_resident_finish(lane, 0);
    }
    if (status == ZCS_OK)
        *out = (struct zci_hold){.units = lane->resident->blocks};
    return status;
}
