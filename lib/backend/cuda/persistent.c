/* SPDX-License-Identifier: MIT */
/* The persistent kernel of a frame context: reserving the device, launching, commands, and the
 * end. */
#include "backend/cuda/persistent.h"

#include <stdlib.h>
#include <string.h>

#include "backend/cuda/memory.h"
#include "os/clock.h"
#include "kernels/reduce_pixel.h"

/* One block an SM, on three of four SMs. The others stay free for blocks that need a whole SM. */
#define RESERVED_SMS_OF_FOUR 3u
#define MIN_BLOCKS 3u
#define COMPLETION_OFFSET 128u   /* of the completion behind the mailbox */
#define DEVICE_STATE_OFFSET 128u /* of the device state behind the barrier */

/* The longest delay of calls that wait for the device, such as cudaFree: beside a stream without
 * frames, and beside one with frames. */
#define IDLE_NS 200000000
#define LIFE_NS 500000000

/* In a hybrid frame the copy engine copies the first rows, and loaders load the rest while a
 * copy starts and ends, which takes several microseconds each. In a big frame they load their
 * rows last, because they signal small bands. */
#define BIG_BYTES ((size_t)4 << 20)
#define SMALL_COPIED 20u /* percent of the rows */
#define BIG_COPIED_FIRST 60u
#define BIG_COPIED 68u
#define SENTINEL_LOADED_BYTES                                                                      \
    ((size_t)264 << 10) /* with sentinel words: as much as loaders load while the copy starts */
#define MIN_BANDS 8u
#define BANDS_AT_ONCE 3u /* pieces that loaders can request before they wait for the copies */

#define ADDRESS_LIMIT ((uintptr_t)1 << 48)
#define SOURCE_ALIGNMENT 16u /* required by bulk copies */
#define MAX_LAUNCHES_PER_FRAME 3u
#define END_TIMEOUT_NS 2000000000 /* longer than any frame that the kernel has begun */

/* --- commands --- */

static int is_closed(const struct zci_cuda_persistent *persistent)
{
    /* With acquire order: reports written before it are visible. */
    return __atomic_load_n(&persistent->completion->closed, __ATOMIC_ACQUIRE) ==
           persistent->args.launch;
}

int zci_cuda_persistent_is_running(const struct zci_cuda_frame_ctx *fctx)
{
    return fctx->persistent != NULL &&
           fctx->running_stream == fctx->persistent->kernel_stream->handle;
}

/* The fences make all earlier writes, to write-combined memory too, visible before the kernel
 * sees the command. */
static void write_command(struct zci_cuda_persistent *persistent, uint64_t source, uint64_t result,
                          uint32_t frame)
{
    struct zck_cuda_command *command = &persistent->mailbox->command;
    atomic_thread_fence(memory_order_seq_cst);
    __atomic_store_n(&command->source, zck_command_word(source, frame), __ATOMIC_RELAXED);
    __atomic_store_n(&command->result, zck_command_word(result, frame), __ATOMIC_RELEASE);
    atomic_thread_fence(memory_order_seq_cst);
}

static zcs_status launch(struct zci_cuda_frame_ctx *fctx, uint32_t served)
{
    struct zci_cuda_persistent *persistent = fctx->persistent;
    void *arguments[] = {&persistent->args};
    persistent->args.served = served;
    persistent->args.launch++;
    const int error = fctx->cuda->api->launch(persistent->kernel, persistent->blocks,
                                              ZCK_CUDA_THREAD_GROUPS * ZCK_CUDA_THREADS, arguments,
                                              persistent->kernel_stream->handle);
    if (error != ZCI_CUDA_SUCCESS)
        persistent->args.launch--;
    return zci_cuda_check(fctx->cuda, fctx->device, error, "launching the persistent kernel");
}

zcs_status zci_cuda_persistent_keep_alive(struct zci_cuda_frame_ctx *fctx)
{
    struct zci_cuda_persistent *persistent = fctx->persistent;
    int previous;
    if (!is_closed(persistent) || zci_cuda_frame_ctx_reported(fctx))
        return ZCS_AGAIN;
    if (persistent->launches++ >= MAX_LAUNCHES_PER_FRAME)
        return zci_fail(&fctx->cuda->base.log, ZCS_ERR_DEVICE,
                        "cuda device %u: the persistent kernel ended %u times before frame %u",
                        fctx->device, MAX_LAUNCHES_PER_FRAME, persistent->frame);
    zcs_status status = zci_cuda_enter(fctx->cuda, fctx->device, &previous);
    if (status != ZCS_OK)
        return status;
    status = launch(fctx, persistent->frame - 1);
    zci_cuda_leave(fctx->cuda, previous);
    persistent->failed |= status != ZCS_OK;
    return status == ZCS_OK ? ZCS_AGAIN : status;
}

int zci_cuda_persistent_accepts(const struct zci_cuda_frame_ctx *fctx, const struct zci_job *job,
                                const struct zci_cuda_addresses *at)
{
    const uintptr_t seen = (uintptr_t)at->device_source, written = (uintptr_t)at->device_result;
    const int reachable = job->result_memory->host == NULL || at->result_in_host;
    return fctx->persistent != NULL && !fctx->persistent->failed && job->route != ZCS_ROUTE_WHOLE &&
           at->pinned && reachable && seen != 0 && seen < ADDRESS_LIMIT &&
           seen % SOURCE_ALIGNMENT == 0 && written < ADDRESS_LIMIT && written % ZCK_CUDA_LINE == 0;
}

/* Waits until the kernel has ended the frame, has closed, or its device is lost. Before the end
 * of a frame it accepts no stop command. */
static void wait_until_idle(const struct zci_cuda_frame_ctx *fctx)
{
    const int64_t deadline_ns = zci_deadline_ns(END_TIMEOUT_NS);
    while (!zci_cuda_frame_ctx_reported(fctx) && !is_closed(fctx->persistent) &&
           !atomic_load(&fctx->cuda->devices[fctx->device].lost) && zci_now_ns() < deadline_ns)
        continue;
}

static int upload(struct zci_cuda_frame_ctx *fctx, const uint8_t *source, int words)
{
    const struct zci_cuda_persistent *persistent = fctx->persistent;
    const struct zck_cuda_transfer *transfer = &persistent->args.passes[0].transfer;
    return zci_cuda_copy_chunks(
        fctx, source, ZCK_CUDA_LINE, words ? &persistent->sentinel_end_row : transfer->chunk_end,
        words ? 1 : transfer->chunk_count, transfer->chunk_count, persistent->frame);
}

/* The kernel may have seen the command. Then it does not need the copies, so a failure waits for
 * its end. Otherwise a stop command replaces the frame's command. */
static zcs_status upload_staged(struct zci_cuda_frame_ctx *fctx, const uint8_t *source, int words)
{
    const zcs_status status = zci_cuda_check(fctx->cuda, fctx->device, upload(fctx, source, words),
                                             "copying a frame to the device");
    if (status == ZCS_OK)
        return ZCS_OK;
    wait_until_idle(fctx); /* the kernel may be reading the source */
    if (!zci_cuda_frame_ctx_reported(fctx))
        write_command(fctx->persistent, 0, ZCK_COMMAND_STOP, fctx->persistent->frame);
    return status;
}

/* The command is sent first: loaders read while the copies are being enqueued. */
zcs_status zci_cuda_persistent_submit(struct zci_cuda_frame_ctx *fctx, const struct zci_job *job,
                                      const struct zci_cuda_addresses *at)
{
    struct zci_cuda_persistent *persistent = fctx->persistent;
    const int staged = job->route == ZCS_ROUTE_STAGED;
    const int words = zci_cuda_use_sentinel(fctx, at->source);
    const uint64_t source_flags =
        (words ? ZCK_COMMAND_SENTINEL : 0u) |
        (fctx->staging != persistent->first_buffer ? ZCK_COMMAND_SECOND_BUFFER : 0u);
    const uint64_t flags =
        (staged ? ZCK_COMMAND_HYBRID : 0u) | (at->result_in_host ? ZCK_COMMAND_TO_HOST : 0u);
    fctx->done = (struct zci_job_result){.route = job->route,
                                         .device_data = at->device_result,
                                         .cuda_stream = fctx->kernel_stream->handle,
                                         .cuda_event = fctx->kernel_stream->event,
                                         .cuda_device = (int)fctx->device};
    fctx->queried_ns = 0;
    fctx->awaited_report = &persistent->completion->report;
    fctx->awaited_frame = ++persistent->frame;
    fctx->running_stream = persistent->kernel_stream->handle;
    persistent->launches = 0;
    fctx->sentinel_filled = fctx->next_staging != NULL; /* true when the frame is complete */
    write_command(persistent, (uintptr_t)at->device_source | source_flags,
                  (uintptr_t)at->device_result | flags, persistent->frame);
    zcs_status status = staged ? upload_staged(fctx, at->source, words) : ZCS_OK;
    if (status == ZCS_OK && is_closed(persistent) && !zci_cuda_frame_ctx_reported(fctx))
        status = launch(fctx, persistent->frame - 1);
    persistent->failed = status != ZCS_OK;
    return status;
}

zcs_status zci_cuda_persistent_late_copies(struct zci_cuda_frame_ctx *fctx)
{
    if (__atomic_load_n(&fctx->persistent->completion->late, __ATOMIC_RELAXED) !=
        fctx->awaited_frame)
        return ZCS_OK;
    return zci_cuda_query_stream(fctx->cuda, fctx->device, fctx->copy_stream->handle,
                                 "copying a frame to the device");
}

static void stop(struct zci_cuda_frame_ctx *fctx)
{
    struct zci_cuda_persistent *persistent = fctx->persistent;
    if (persistent->args.launch == 0)
        return;
    if (fctx->busy && zci_cuda_persistent_is_running(fctx))
        wait_until_idle(fctx);
    write_command(persistent, 0, ZCK_COMMAND_STOP, persistent->frame + 1);
    zci_cuda_classify(fctx->cuda, fctx->device,
                      fctx->cuda->api->stream_wait(persistent->kernel_stream->handle));
}

void zci_cuda_persistent_finish(struct zci_cuda_frame_ctx *fctx)
{
    struct zci_cuda_persistent *persistent = fctx->persistent;
    struct zci_cuda *cuda = fctx->cuda;
    int previous;
    if (persistent == NULL)
        return;
    if (zci_cuda_enter_quietly(cuda, fctx->device, &previous)) {
        stop(fctx);
        if (persistent->arena != NULL)
            zci_cuda_classify(cuda, fctx->device, cuda->api->device_free(persistent->arena));
        zci_cuda_leave(cuda, previous);
    }
    if (persistent->pinned.bytes > 0)
        zci_cuda_memory_free(&cuda->base, &persistent->pinned);
    zci_cuda_kernel_stream_give(cuda, fctx->device, persistent->kernel_stream);
    atomic_store(&cuda->devices[fctx->device].reserved, 0);
    free(persistent);
    fctx->persistent = NULL;
}

/* --- reserving the device --- */

static const char *refuse(const struct zci_cuda_device *device, const struct zci_plan *plan)
{
    const struct zci_cuda_properties *properties = &device->properties;
    if (plan->custom_count > 0)
        return "the chain has custom stages, which are kernels of their own";
    if (plan->pass_count > ZCK_CUDA_PERSISTENT_PASSES)
        return "the chain has more passes over the frame than a persistent kernel runs";
    if (!properties->can_map)
        return "the device cannot read host memory";
    if (properties->sm_count * RESERVED_SMS_OF_FOUR / 4u < MIN_BLOCKS)
        return "the device has too few multiprocessors";
    return NULL;
}

static uint32_t rows_of(const struct zck_cuda_transfer *transfer, uint32_t height, uint32_t bands)
{
    const uint32_t rows = bands * transfer->band_rows;
    return rows < height ? rows : height;
}

/* Whole bands, at most five sixths of them. None if there are several planes, or if rows are not
 * aligned to 16 bytes. */
static uint32_t sentinel_loaded_bands(const struct zci_plan *plan,
                                      const struct zck_cuda_transfer *transfer)
{
    if (transfer->plane_count > 1 || plan->load.offset_bytes[0] % 16u != 0)
        return 0;
    const size_t band_bytes = plan->source.size_bytes / transfer->band_count + 1;
    const size_t bands = SENTINEL_LOADED_BYTES / band_bytes;
    const uint32_t max = transfer->band_count * 5 / 6;
    return bands < max ? (uint32_t)bands : max;
}

static void split_copies(const struct zci_plan *plan, struct zck_cuda_persistent *args)
{
    struct zck_cuda_transfer *transfer = &args->passes[0].transfer;
    const uint32_t bands = transfer->band_count, height = plan->load.height;
    const int big = plan->source.size_bytes >= BIG_BYTES;
    if (bands < MIN_BANDS) {
        args->hybrid = (struct zck_cuda_hybrid){
            .first_band = bands, .wait = ZCK_CUDA_WAIT_CHUNK_FLAGS, .sentinel_first_band = bands};
        transfer->chunk_count = 1;
        transfer->chunk_end[0] = height;
        return;
    }
    args->hybrid = (struct zck_cuda_hybrid){
        .first_band = bands * (big ? BIG_COPIED : SMALL_COPIED) / 100u,
        .after_chunk = big,
        .wait_band = bands * (big ? BIG_COPIED : SMALL_COPIED) / 100u + BANDS_AT_ONCE,
        .wait = ZCK_CUDA_WAIT_HYBRID,
        .sentinel_first_band = bands - sentinel_loaded_bands(plan, transfer),
    };
    transfer->chunk_count = big ? 2 : 1;
    transfer->chunk_end[0] = rows_of(transfer, height, bands * BIG_COPIED_FIRST / 100u);
    transfer->chunk_end[transfer->chunk_count - 1] =
        rows_of(transfer, height, args->hybrid.first_band);
}

static uint32_t loaders_of(const struct zci_cuda_properties *properties, uint32_t blocks)
{
    const uint32_t enough =
        properties->has_bulk_copy
            ? ZCK_CUDA_LOADERS
            : (ZCK_CUDA_PLAIN_LOADERS + ZCK_CUDA_THREAD_GROUPS - 1) / ZCK_CUDA_THREAD_GROUPS;
    return enough < blocks / 2 ? enough : blocks / 2;
}

static void set_transfer(struct zci_cuda_frame_ctx *fctx)
{
    struct zci_cuda_persistent *persistent = fctx->persistent;
    struct zck_cuda_transfer *transfer = &persistent->args.passes[0].transfer;
    persistent->first_buffer = fctx->staging;
    persistent->args.passes[0].in = transfer->staging = fctx->staging + ZCK_CUDA_LINE;
    transfer->next_staging = fctx->staging;
    persistent->args.second_buffer_offset =
        fctx->next_staging != NULL ? fctx->next_staging - fctx->staging : 0;
    fctx->sentinel_filled = 0;
    transfer->band_flags = fctx->band_flags;
    transfer->chunk_flags = fctx->chunk_flags;
    transfer->loaders = persistent->args.loaders;
    transfer->eager = 1;
    for (uint32_t p = 0; p < transfer->plane_count; p++)
        transfer->planes[p].begin_bytes =
            fctx->plan->load.offset_bytes[p] +
            transfer->first_row / transfer->planes[p].vsub * transfer->planes[p].stride_bytes;
}

/* The frame context's passes, with a device state of their own. */
static void set_args(struct zci_cuda_frame_ctx *fctx)
{
    struct zci_cuda_persistent *persistent = fctx->persistent;
    struct zck_cuda_persistent *args = &persistent->args;
    const struct zci_cuda_properties *properties = &fctx->cuda->devices[fctx->device].properties;
    uint8_t *seen = zci_cuda_device_pointer(&persistent->pinned, fctx->device);
    args->mailbox = (const struct zck_cuda_mailbox *)seen;
    args->completion = (struct zck_cuda_completion *)(seen + COMPLETION_OFFSET);
    args->barrier = persistent->arena;
    args->idle_ns = IDLE_NS;
    args->life_ns = LIFE_NS;
    args->source_bytes = fctx->plan->source.size_bytes;
    args->pass_count = fctx->plan->pass_count;
    args->loaders = loaders_of(properties, persistent->blocks);
    for (uint32_t i = 0; i < args->pass_count; i++) {
        args->passes[i] = fctx->steps[i].pass;
        args->passes[i].finish.state =
            (struct zck_cuda_device_state *)((uint8_t *)persistent->arena + DEVICE_STATE_OFFSET);
        args->passes[i].finish.report =
            i + 1 == args->pass_count ? &args->completion->report : NULL;
    }
    set_transfer(fctx);
    split_copies(fctx->plan, args);
    persistent->sentinel_end_row = rows_of(&args->passes[0].transfer, fctx->plan->load.height,
                                           args->hybrid.sentinel_first_band);
}

/* Ordinary frames of this frame context counted differently. */
static int clear_counters(struct zci_cuda_frame_ctx *fctx, void *stream)
{
    const struct zci_cuda_api *api = fctx->cuda->api;
    const size_t bands = fctx->steps[0].pass.transfer.band_count * sizeof *fctx->band_flags;
    fctx->band_target = 0;
    const int error = api->fill(fctx->band_flags, 0, bands, stream);
    return error != ZCI_CUDA_SUCCESS
               ? error
               : api->fill(fctx->chunk_flags, 0, ZCK_CUDA_CHUNKS * sizeof *fctx->chunk_flags,
                           stream);
}

static zcs_status take_memory(struct zci_cuda_frame_ctx *fctx)
{
    struct zci_cuda_persistent *persistent = fctx->persistent;
    const struct zci_cuda_api *api = fctx->cuda->api;
    struct zck_cuda_device_state state;
    zcs_status status = zci_cuda_memory_alloc(&fctx->cuda->base, ZCS_ROLE_READBACK,
                                              2 * COMPLETION_OFFSET, &persistent->pinned);
    if (status != ZCS_OK)
        return zci_fail(&fctx->cuda->base.log, status,
                        "low latency: no pinned memory for the mailbox");
    if (zci_cuda_device_pointer(&persistent->pinned, fctx->device) == NULL)
        return zci_fail(&fctx->cuda->base.log, ZCS_ERR_DEVICE,
                        "cuda device %u: cannot access the mailbox", fctx->device);
    memset(persistent->pinned.host, 0, 2 * COMPLETION_OFFSET);
    persistent->mailbox = persistent->pinned.host;
    persistent->completion =
        (const struct zck_cuda_completion *)((uint8_t *)persistent->pinned.host +
                                             COMPLETION_OFFSET);
    memset(&state, 0, sizeof state);
    zci_sums_init(&state.sums);
    int error = api->device_alloc(&persistent->arena, DEVICE_STATE_OFFSET + sizeof state);
    if (error == ZCI_CUDA_SUCCESS)
        error =
            api->fill(persistent->arena, 0, DEVICE_STATE_OFFSET, persistent->kernel_stream->handle);
    if (error == ZCI_CUDA_SUCCESS)
        error = clear_counters(fctx, persistent->kernel_stream->handle);
    if (error == ZCI_CUDA_SUCCESS)
        error = api->copy((uint8_t *)persistent->arena + DEVICE_STATE_OFFSET, &state, sizeof state,
                          ZCI_CUDA_TO_DEVICE, persistent->kernel_stream->handle);
    if (error == ZCI_CUDA_SUCCESS)
        error = api->stream_wait(persistent->kernel_stream->handle);
    return zci_cuda_check(fctx->cuda, fctx->device, error, "low latency: allocating device memory");
}

/* Its own copy stream: copies of other frame contexts would delay it. */
static zcs_status take_copies(struct zci_cuda_frame_ctx *fctx)
{
    struct zci_cuda_copy_stream *copies = NULL;
    const zcs_status status = zci_cuda_copy_stream_take(fctx->cuda, fctx->device, fctx, &copies);
    if (status != ZCS_OK)
        return status;
    zci_cuda_copy_stream_give(fctx->cuda, fctx->copy_stream);
    fctx->copy_stream = copies;
    return ZCS_OK;
}

/* The device's `reserved` flag is set; zci_cuda_persistent_finish clears it. */
static zcs_status build(struct zci_cuda_frame_ctx *fctx)
{
    struct zci_cuda_persistent *persistent = fctx->persistent;
    persistent->blocks =
        fctx->cuda->devices[fctx->device].properties.sm_count * RESERVED_SMS_OF_FOUR / 4u;
    persistent->kernel = zck_cuda_persistent_kernel(fctx->plan->load.unpack);
    zcs_status status =
        zci_cuda_kernel_stream_take(fctx->cuda, fctx->device, &persistent->kernel_stream);
    if (status == ZCS_OK)
        status = take_copies(fctx);
    if (status == ZCS_OK)
        status = take_memory(fctx);
    if (status != ZCS_OK)
        return status;
    set_args(fctx);
    return launch(fctx, 0);
}

static const char reserved_by_other[] = "another stream has reserved the device";

const char *zci_cuda_reserve_refusal(const struct zci_backend *backend, uint32_t device,
                                     const struct zci_plan *plan)
{
    const struct zci_cuda_device *own = &((const struct zci_cuda *)backend)->devices[device];
    const char *reason = refuse(own, plan);
    return reason == NULL && atomic_load(&own->reserved) ? reserved_by_other : reason;
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
        !atomic_compare_exchange_strong(&cuda->devices[fctx->device].reserved, &free_yet, 1))
        out->reason = reserved_by_other;
    if (out->reason != NULL)
        return ZCS_OK;
    fctx->persistent = calloc(1, sizeof *fctx->persistent);
    if (fctx->persistent == NULL) {
        atomic_store(&cuda->devices[fctx->device].reserved, 0);
        return zci_fail(&cuda->base.log, ZCS_ERR_NOMEM, "low latency: no memory");
    }
    zcs_status status = zci_cuda_enter(cuda, fctx->device, &previous);
    if (status == ZCS_OK) {
        status = build(fctx);
        zci_cuda_leave(cuda, previous);
    }
    if (status == ZCS_OK)
        *out = (struct zci_reservation){.units = fctx->persistent->blocks};
    else
        zci_cuda_persistent_finish(fctx);
    return status;
}
