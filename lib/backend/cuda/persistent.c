/* SPDX-License-Identifier: MIT */
/* The persistent kernel's life: launched, told of frames, launched anew, stopped. */
#include "backend/cuda/persistent.h"

#include <stdlib.h>

#include "backend/cuda/persistent_build.h"
#include "backend/cuda/memory.h"
#include "os/clock.h"

#define ADDRESS_LIMIT ((uintptr_t)1 << 48)
#define SOURCE_ALIGNMENT 16u /* that bulk copies want */
#define LAUNCHES_A_FRAME 3u
#define END_NS 2000000000 /* a frame that the kernel has begun is over long before */

static int is_closed(const struct zci_cuda_persistent *r)
{
    /* Reports before it are seen then. */
    return __atomic_load_n(&r->completion->closed, __ATOMIC_ACQUIRE) == r->args.launch;
}

int zci_cuda_persistent_works(const struct zci_cuda_frame_ctx *fctx)
{
    return fctx->persistent != NULL && fctx->at_work == fctx->persistent->queue->stream;
}

/* Everything that was written before, write-combined memory too, is there when the kernel sees the order. */
static void write_order(struct zci_cuda_persistent *r, uint64_t source, uint64_t result,
                        uint32_t frame)
{
    struct zck_cuda_command *command = &r->mailbox->command;
    atomic_thread_fence(memory_order_seq_cst);
    __atomic_store_n(&command->source, zck_command_word(source, frame), __ATOMIC_RELAXED);
    __atomic_store_n(&command->result, zck_command_word(result, frame), __ATOMIC_RELEASE);
    atomic_thread_fence(memory_order_seq_cst);
}

zcs_status zci_cuda_persistent_launch(struct zci_cuda_frame_ctx *fctx, uint32_t served)
{
    struct zci_cuda_persistent *r = fctx->persistent;
    void *arguments[] = {&r->args};
    r->args.served = served;
    r->args.launch++;
    const int error =
        fctx->cuda->api->launch(r->kernel, r->blocks, ZCK_CUDA_THREAD_GROUPS * ZCK_CUDA_THREADS,
                                arguments, r->queue->stream);
    if (error != ZCI_CUDA_SUCCESS)
        r->args.launch--;
    return zci_cuda_check(fctx->cuda, fctx->device, error, "launching the resident kernel");
}

zcs_status zci_cuda_persistent_tend(struct zci_cuda_frame_ctx *fctx)
{
    struct zci_cuda_persistent *r = fctx->persistent;
    int previous;
    if (!is_closed(r) || zci_cuda_frame_ctx_reported(fctx))
        return ZCS_AGAIN;
    if (r->launches++ >= LAUNCHES_A_FRAME)
        return zci_fail(&fctx->cuda->base.log, ZCS_ERR_DEVICE,
                        "cuda device %u: the resident kernel ended %u times before frame %u",
                        fctx->device, LAUNCHES_A_FRAME, r->frame);
    zcs_status status = zci_cuda_enter(fctx->cuda, fctx->device, &previous);
    if (status != ZCS_OK)
        return status;
    status = zci_cuda_persistent_launch(fctx, r->frame - 1);
    zci_cuda_leave(fctx->cuda, previous);
    r->failed |= status != ZCS_OK;
    return status == ZCS_OK ? ZCS_AGAIN : status;
}

int zci_cuda_persistent_takes(const struct zci_cuda_frame_ctx *fctx, const struct zci_job *job,
                              const struct zci_cuda_addresses *at)
{
    const uintptr_t seen = (uintptr_t)at->seen, written = (uintptr_t)at->written;
    const int reached = job->result_memory->host == NULL || at->in_host;
    return fctx->persistent != NULL && !fctx->persistent->failed && job->route != ZCS_ROUTE_WHOLE &&
           at->pinned && reached && seen != 0 && seen < ADDRESS_LIMIT &&
           seen % SOURCE_ALIGNMENT == 0 && written < ADDRESS_LIMIT && written % ZCK_CUDA_LINE == 0;
}

/* Until the frame is over or cannot be. A kernel that is still at it then takes no order to stop before. */
static void await_end(const struct zci_cuda_frame_ctx *fctx)
{
    const int64_t deadline_ns = zci_deadline_ns(END_NS);
    while (!zci_cuda_frame_ctx_reported(fctx) && !is_closed(fctx->persistent) &&
           !atomic_load(&fctx->cuda->devices[fctx->device].lost) && zci_now_ns() < deadline_ns)
        continue;
}

static int upload(struct zci_cuda_frame_ctx *fctx, const uint8_t *source, int words)
{
    const struct zci_cuda_persistent *r = fctx->persistent;
    const struct zck_cuda_transfer *transfer = &r->args.passes[0].transfer;
    return zci_cuda_copy_chunks(fctx, source, ZCK_CUDA_LINE,
                                words ? &r->words_end : transfer->chunk_end,
                                words ? 1 : transfer->chunk_count, transfer->chunk_count, r->frame);
}

/* The order is given: a kernel that has seen it does without what is not copied. One that comes later does not
 * see it any more. */
static zcs_status upload_staged(struct zci_cuda_frame_ctx *fctx, const uint8_t *source, int words)
{
    const zcs_status status = zci_cuda_check(fctx->cuda, fctx->device, upload(fctx, source, words),
                                             "copying a frame to the device");
    if (status == ZCS_OK)
        return ZCS_OK;
    await_end(fctx); /* it reads the source */
    if (!zci_cuda_frame_ctx_reported(fctx))
        write_order(fctx->persistent, 0, ZCK_COMMAND_STOP, fctx->persistent->frame);
    return status;
}

/* The order comes first: the kernel sees it, and loaders read, while the copies are being enqueued. */
zcs_status zci_cuda_persistent_submit(struct zci_cuda_frame_ctx *fctx, const struct zci_job *job,
                                      const struct zci_cuda_addresses *at)
{
    struct zci_cuda_persistent *r = fctx->persistent;
    const int staged = job->route == ZCS_ROUTE_STAGED;
    const int words = zci_cuda_begin_sentinel(fctx, at->source);
    const uint64_t source_flags =
        (words ? ZCK_COMMAND_SENTINEL : 0u) | (fctx->staging != r->place ? ZCK_COMMAND_OTHER : 0u);
    const uint64_t flags =
        (staged ? ZCK_COMMAND_HYBRID : 0u) | (at->in_host ? ZCK_COMMAND_TO_HOST : 0u);
    fctx->done = (struct zci_job_result){.route = job->route,
                                         .device_data = at->written,
                                         .cuda_stream = fctx->queue->stream,
                                         .cuda_event = fctx->queue->event,
                                         .cuda_device = (int)fctx->device};
    fctx->asked_ns = 0;
    fctx->watched = &r->completion->report;
    fctx->awaited = ++r->frame;
    fctx->at_work = r->queue->stream;
    r->launches = 0;
    fctx->sentinel_filled = fctx->other != NULL; /* when the frame is over */
    write_order(r, (uintptr_t)at->seen | source_flags, (uintptr_t)at->written | flags, r->frame);
    zcs_status status = staged ? upload_staged(fctx, at->source, words) : ZCS_OK;
    if (status == ZCS_OK && is_closed(r) && !zci_cuda_frame_ctx_reported(fctx))
        status = zci_cuda_persistent_launch(fctx, r->frame - 1);
    r->failed = status != ZCS_OK;
    return status;
}

zcs_status zci_cuda_persistent_settle(struct zci_cuda_frame_ctx *fctx)
{
    if (__atomic_load_n(&fctx->persistent->completion->late, __ATOMIC_RELAXED) != fctx->awaited)
        return ZCS_OK;
    return zci_cuda_ask(fctx->cuda, fctx->device, fctx->copies->stream,
                        "copying a frame to the device");
}

static void stop(struct zci_cuda_frame_ctx *fctx)
{
    struct zci_cuda_persistent *r = fctx->persistent;
    if (r->args.launch == 0)
        return;
    if (fctx->busy && zci_cuda_persistent_works(fctx))
        await_end(fctx);
    write_order(r, 0, ZCK_COMMAND_STOP, r->frame + 1);
    zci_cuda_classify(fctx->cuda, fctx->device, fctx->cuda->api->stream_wait(r->queue->stream));
}

void zci_cuda_persistent_finish(struct zci_cuda_frame_ctx *fctx, int usable)
{
    struct zci_cuda_persistent *r = fctx->persistent;
    if (r == NULL)
        return;
    if (usable)
        stop(fctx);
    if (usable && r->arena != NULL)
        zci_cuda_classify(fctx->cuda, fctx->device, fctx->cuda->api->device_free(r->arena));
    if (r->pinned.bytes > 0)
        zci_cuda_memory_free(&fctx->cuda->base, &r->pinned);
    zci_cuda_queue_give(fctx->cuda, fctx->device, r->queue);
    atomic_store(&fctx->cuda->devices[fctx->device].held, 0);
    free(r);
    fctx->persistent = NULL;
}
