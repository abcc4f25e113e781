/* SPDX-License-Identifier: MIT */
/* Holding a part of the device for a frame context: whether that can be, how much, and what the kernel is told. */
#include "backend/cuda/persistent_build.h"

#include <stdlib.h>
#include <string.h>

#include "backend/cuda/memory.h"
#include "kernels/reduce_pixel.h"

/* One block a multiprocessor, on three of four: the others stay free for blocks that need a whole one. */
#define HELD_OF_FOUR 3u
#define MIN_BLOCKS 3u
#define ANSWER_BYTES 128u       /* where the answer lies behind the desk */
#define DEVICE_STATE_BYTES 128u /* where the board lies behind the meeting */

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
#define MIN_BANDS 8u
#define BANDS_AT_ONCE 3u /* that loaders have room for before they wait for the copies */

static const char *refuse(const struct zci_cuda_device *device, const struct zci_plan *plan)
{
    const struct zci_cuda_facts *facts = &device->facts;
    if (plan->custom_count > 0)
        return "the chain has stages of the application's, which are kernels of their own";
    if (plan->pass_count > ZCK_CUDA_PERSISTENT_PASSES)
        return "the chain has more passes over the frame than a resident kernel runs";
    if (!facts->can_map)
        return "the device cannot read host memory";
    if (facts->units * HELD_OF_FOUR / 4u < MIN_BLOCKS)
        return "the device has too few multiprocessors";
    return NULL;
}

static uint32_t rows_of(const struct zck_cuda_transfer *transfer, uint32_t height, uint32_t bands)
{
    const uint32_t rows = bands * transfer->band_rows;
    return rows < height ? rows : height;
}

/* Whole bands, five sixths of all at most; none where several planes make one copy, or rows begin within 16 bytes. */
static uint32_t words_loaded(const struct zci_plan *plan, const struct zck_cuda_transfer *transfer)
{
    if (transfer->plane_count > 1 || plan->load.offset_bytes[0] % 16u != 0)
        return 0;
    const size_t band_bytes = plan->source.size_bytes / transfer->band_count + 1;
    const size_t bands = WORDS_LOADED / band_bytes;
    const uint32_t max = transfer->band_count * 5 / 6;
    return bands < max ? (uint32_t)bands : max;
}

static void divide(const struct zci_plan *plan, struct zck_cuda_persistent *args)
{
    struct zck_cuda_transfer *transfer = &args->passes[0].transfer;
    const uint32_t bands = transfer->band_count, height = plan->load.height;
    const int big = plan->source.size_bytes >= BIG_BYTES;
    if (bands < MIN_BANDS) {
        args->hybrid = (struct zck_cuda_hybrid){
            .first_band = bands, .wait = ZCK_CUDA_WAIT_CHUNK_FLAGS, .words_first_band = bands};
        transfer->chunk_count = 1;
        transfer->chunk_end[0] = height;
        return;
    }
    args->hybrid = (struct zck_cuda_hybrid){
        .first_band = bands * (big ? BIG_COPIED : SMALL_COPIED) / 100u,
        .after_chunk = big,
        .wait_band = bands * (big ? BIG_COPIED : SMALL_COPIED) / 100u + BANDS_AT_ONCE,
        .wait = ZCK_CUDA_WAIT_BOTH,
        .words_first_band = bands - words_loaded(plan, transfer),
    };
    transfer->chunk_count = big ? 2 : 1;
    transfer->chunk_end[0] = rows_of(transfer, height, bands * BIG_COPIED_FIRST / 100u);
    transfer->chunk_end[transfer->chunk_count - 1] =
        rows_of(transfer, height, args->hybrid.first_band);
}

static uint32_t loaders_of(const struct zci_cuda_facts *facts, uint32_t blocks)
{
    const uint32_t enough = facts->bulk ? ZCK_CUDA_LOADERS
                                        : (ZCK_CUDA_PLAIN_LOADERS + ZCK_CUDA_THREAD_GROUPS - 1) /
                                              ZCK_CUDA_THREAD_GROUPS;
    return enough < blocks / 2 ? enough : blocks / 2;
}

static void set_flow(struct zci_cuda_frame_ctx *fctx)
{
    struct zci_cuda_persistent *r = fctx->persistent;
    struct zck_cuda_transfer *transfer = &r->args.passes[0].transfer;
    r->place = fctx->staging;
    r->args.passes[0].in = transfer->staging = fctx->staging + ZCK_CUDA_LINE;
    transfer->other = fctx->staging;
    r->args.other_shift = fctx->other != NULL ? fctx->other - fctx->staging : 0;
    fctx->sentinel_filled = 0;
    transfer->bands = fctx->bands;
    transfer->chunks = fctx->chunks;
    transfer->loaders = r->args.loaders;
    transfer->eager = 1;
    for (uint32_t p = 0; p < transfer->plane_count; p++)
        transfer->planes[p].begin_bytes =
            fctx->plan->load.offset_bytes[p] +
            transfer->first_row / transfer->planes[p].vsub * transfer->planes[p].stride_bytes;
}

/* The steps of the frame context, with a board of their own. */
static void set_args(struct zci_cuda_frame_ctx *fctx)
{
    struct zci_cuda_persistent *r = fctx->persistent;
    struct zck_cuda_persistent *args = &r->args;
    const struct zci_cuda_facts *facts = &fctx->cuda->devices[fctx->device].facts;
    uint8_t *seen = zci_cuda_memory_seen(&r->pinned, fctx->device);
    args->mailbox = (const struct zck_cuda_mailbox *)seen;
    args->completion = (struct zck_cuda_completion *)(seen + ANSWER_BYTES);
    args->barrier = r->arena;
    args->idle_ns = IDLE_NS;
    args->life_ns = LIFE_NS;
    args->source_bytes = fctx->plan->source.size_bytes;
    args->pass_count = fctx->plan->pass_count;
    args->loaders = loaders_of(facts, r->blocks);
    for (uint32_t i = 0; i < args->pass_count; i++) {
        args->passes[i] = fctx->steps[i].pass;
        args->passes[i].finish.state =
            (struct zck_cuda_device_state *)((uint8_t *)r->arena + DEVICE_STATE_BYTES);
        args->passes[i].finish.report =
            i + 1 == args->pass_count ? &args->completion->report : NULL;
    }
    set_flow(fctx);
    divide(fctx->plan, args);
    r->words_end =
        rows_of(&args->passes[0].transfer, fctx->plan->load.height, args->hybrid.words_first_band);
}

/* The frame context may have run frames before, which counted otherwise. */
static int clear_counters(struct zci_cuda_frame_ctx *fctx, void *stream)
{
    const struct zci_cuda_api *api = fctx->cuda->api;
    const size_t bands = fctx->steps[0].pass.transfer.band_count * sizeof *fctx->bands;
    fctx->band_target = 0;
    const int error = api->fill(fctx->bands, 0, bands, stream);
    return error != ZCI_CUDA_SUCCESS
               ? error
               : api->fill(fctx->chunks, 0, ZCK_CUDA_CHUNKS * sizeof *fctx->chunks, stream);
}

static zcs_status take_memory(struct zci_cuda_frame_ctx *fctx)
{
    struct zci_cuda_persistent *r = fctx->persistent;
    const struct zci_cuda_api *api = fctx->cuda->api;
    struct zck_cuda_device_state state;
    zcs_status status =
        zci_cuda_memory_alloc(&fctx->cuda->base, ZCS_ROLE_READBACK, 2 * ANSWER_BYTES, &r->pinned);
    if (status != ZCS_OK)
        return zci_fail(&fctx->cuda->base.log, status, "low latency: no pinned memory for orders");
    if (zci_cuda_memory_seen(&r->pinned, fctx->device) == NULL)
        return zci_fail(&fctx->cuda->base.log, ZCS_ERR_DEVICE,
                        "cuda device %u: does not reach the memory for orders", fctx->device);
    memset(r->pinned.host, 0, 2 * ANSWER_BYTES);
    r->mailbox = r->pinned.host;
    r->completion = (const struct zck_cuda_completion *)((uint8_t *)r->pinned.host + ANSWER_BYTES);
    memset(&state, 0, sizeof state);
    zci_sums_init(&state.sums);
    int error = api->device_alloc(&r->arena, DEVICE_STATE_BYTES + sizeof state);
    if (error == ZCI_CUDA_SUCCESS)
        error = api->fill(r->arena, 0, DEVICE_STATE_BYTES, r->queue->stream);
    if (error == ZCI_CUDA_SUCCESS)
        error = clear_counters(fctx, r->queue->stream);
    if (error == ZCI_CUDA_SUCCESS)
        error = api->copy((uint8_t *)r->arena + DEVICE_STATE_BYTES, &state, sizeof state,
                          ZCI_CUDA_TO_DEVICE, r->queue->stream);
    if (error == ZCI_CUDA_SUCCESS)
        error = api->stream_wait(r->queue->stream);
    return zci_cuda_check(fctx->cuda, fctx->device, error, "low latency: taking device memory");
}

/* Other frame contexts' copies would be in the way of its own. */
static zcs_status take_copies(struct zci_cuda_frame_ctx *fctx)
{
    struct zci_cuda_copies *copies = NULL;
    const zcs_status status = zci_cuda_copies_take(fctx->cuda, fctx->device, fctx, &copies);
    if (status != ZCS_OK)
        return status;
    zci_cuda_copies_give(fctx->cuda, fctx->copies);
    fctx->copies = copies;
    return ZCS_OK;
}

/* `held` of the device is this frame context's, and goes with the persistent. */
static zcs_status build(struct zci_cuda_frame_ctx *fctx)
{
    struct zci_cuda_persistent *r = fctx->persistent;
    r->blocks = fctx->cuda->devices[fctx->device].facts.units * HELD_OF_FOUR / 4u;
    r->kernel = zck_cuda_persistent_kernel(fctx->plan->load.unpack);
    zcs_status status = zci_cuda_queue_take(fctx->cuda, fctx->device, &r->queue);
    if (status == ZCS_OK)
        status = take_copies(fctx);
    if (status == ZCS_OK)
        status = take_memory(fctx);
    if (status != ZCS_OK)
        return status;
    set_args(fctx);
    return zci_cuda_persistent_launch(fctx, 0);
}

static const char held_by_other[] = "another stream holds the device";

const char *zci_cuda_reserve_refusal(const struct zci_backend *backend, uint32_t device,
                                     const struct zci_plan *plan)
{
    const struct zci_cuda_device *own = &((const struct zci_cuda *)backend)->devices[device];
    const char *reason = refuse(own, plan);
    return reason == NULL && atomic_load(&own->held) ? held_by_other : reason;
}

zcs_status zci_cuda_frame_ctx_reserve(struct zci_frame_ctx *base, struct zci_reservation *out)
{
    struct zci_cuda_frame_ctx *fctx = (struct zci_cuda_frame_ctx *)base;
    int previous, free_yet = 0;
    *out = (struct zci_reservation){.reason = "several devices work on each frame"};
    if (base->members > 1)
        return ZCS_OK;
    struct zci_cuda *cuda = fctx->cuda;
    out->reason = refuse(&cuda->devices[fctx->device], fctx->plan);
    if (out->reason == NULL &&
        !atomic_compare_exchange_strong(&cuda->devices[fctx->device].held, &free_yet, 1))
        out->reason = held_by_other;
    if (out->reason != NULL)
        return ZCS_OK;
    fctx->persistent = calloc(1, sizeof *fctx->persistent);
    if (fctx->persistent == NULL) {
        atomic_store(&cuda->devices[fctx->device].held, 0);
        return zci_fail(&cuda->base.log, ZCS_ERR_NOMEM, "low latency: no memory");
    }
    zcs_status status = zci_cuda_enter(cuda, fctx->device, &previous);
    if (status == ZCS_OK) {
        status = build(fctx);
        if (status != ZCS_OK)
            zci_cuda_persistent_finish(fctx, 1);
        zci_cuda_leave(cuda, previous);
    } else {
        zci_cuda_persistent_finish(fctx, 0);
    }
    if (status == ZCS_OK)
        *out = (struct zci_reservation){.units = fctx->persistent->blocks};
    return status;
}
