/* SPDX-License-Identifier: MIT */
/* The resident kernel's life: launched, told of frames, launched anew, stopped. */
#include "backend/cuda/resident.h"

#include <stdlib.h>

#include "backend/cuda/hold.h"
#include "backend/cuda/memory.h"
#include "core/clock.h"

#define ADDRESS_LIMIT ((uintptr_t)1 << 48)
#define SOURCE_ALIGNMENT 16u /* that bulk copies want */
#define LAUNCHES_A_FRAME 3u
#define END_NS 2000000000 /* a frame that the kernel has begun is over long before */

static int is_closed(const struct zci_cuda_resident *r)
{
    /* Reports before it are seen then. */
    return __atomic_load_n(&r->answer->closed, __ATOMIC_ACQUIRE) == r->args.launch;
}

int zci_cuda_resident_works(const struct zci_cuda_lane *lane)
{
    return lane->resident != NULL && lane->at_work == lane->resident->queue->stream;
}

/* Everything that was written before, write-combined memory too, is there when the kernel sees the order. */
static void write_order(struct zci_cuda_resident *r, uint64_t source, uint64_t result,
                        uint32_t frame)
{
    struct zck_cuda_order *order = &r->desk->order;
    atomic_thread_fence(memory_order_seq_cst);
    __atomic_store_n(&order->source, zck_order_word(source, frame), __ATOMIC_RELAXED);
    __atomic_store_n(&order->result, zck_order_word(result, frame), __ATOMIC_RELEASE);
    atomic_thread_fence(memory_order_seq_cst);
}

zcs_status zci_cuda_resident_launch(struct zci_cuda_lane *lane, uint32_t served)
{
    struct zci_cuda_resident *r = lane->resident;
    void *arguments[] = {&r->args};
    r->args.served = served;
    r->args.launch++;
    const int error = lane->cuda->api->launch(
        r->kernel, r->blocks, ZCK_CUDA_TEAMS * ZCK_CUDA_THREADS, arguments, r->queue->stream);
    if (error != ZCI_CUDA_SUCCESS)
        r->args.launch--;
    return zci_cuda_check(lane->cuda, lane->device, error, "launching the resident kernel");
}

zcs_status zci_cuda_resident_tend(struct zci_cuda_lane *lane)
{
    struct zci_cuda_resident *r = lane->resident;
    int previous;
    if (!is_closed(r) || zci_cuda_lane_reported(lane))
        return ZCS_AGAIN;
    if (r->launches++ >= LAUNCHES_A_FRAME)
        return zci_fail(&lane->cuda->base.log, ZCS_ERR_DEVICE,
                        "cuda device %u: the resident kernel ended %u times before frame %u",
                        lane->device, LAUNCHES_A_FRAME, r->frame);
    zcs_status status = zci_cuda_enter(lane->cuda, lane->device, &previous);
    if (status != ZCS_OK)
        return status;
    status = zci_cuda_resident_launch(lane, r->frame - 1);
    zci_cuda_leave(lane->cuda, previous);
    r->failed |= status != ZCS_OK;
    return status == ZCS_OK ? ZCS_AGAIN : status;
}

int zci_cuda_resident_takes(const struct zci_cuda_lane *lane, const struct zci_job *job,
                            const struct zci_cuda_places *at)
{
    const uintptr_t seen = (uintptr_t)at->seen, written = (uintptr_t)at->written;
    const int reached = job->result_memory->host == NULL || at->in_host;
    return lane->resident != NULL && !lane->resident->failed && job->route != ZCS_ROUTE_WHOLE &&
           at->pinned && reached && seen != 0 && seen < ADDRESS_LIMIT &&
           seen % SOURCE_ALIGNMENT == 0 && written < ADDRESS_LIMIT && written % ZCK_CUDA_LINE == 0;
}

/* Until the frame is over or cannot be. A kernel that is still at it then takes no order to stop before. */
static void await_end(const struct zci_cuda_lane *lane)
{
    const int64_t deadline_ns = zci_deadline_ns(END_NS);
    while (!zci_cuda_lane_reported(lane) && !is_closed(lane->resident) &&
           !atomic_load(&lane->cuda->devices[lane->device].lost) && zci_now_ns() < deadline_ns)
        continue;
}

static int bring(struct zci_cuda_lane *lane, const uint8_t *source, int words)
{
    const struct zci_cuda_resident *r = lane->resident;
    const struct zck_cuda_flow *flow = &r->args.passes[0].flow;
    return zci_cuda_copy_chunks(lane, source, ZCK_CUDA_LINE,
                                words ? &r->words_end : flow->chunk_end,
                                words ? 1 : flow->chunk_count, flow->chunk_count, r->frame);
}

/* The order is given: a kernel that has seen it does without what is not copied. One that comes later does not
 * see it any more. */
static zcs_status bring_staged(struct zci_cuda_lane *lane, const uint8_t *source, int words)
{
    const zcs_status status = zci_cuda_check(lane->cuda, lane->device, bring(lane, source, words),
                                             "copying a frame to the device");
    if (status == ZCS_OK)
        return ZCS_OK;
    await_end(lane); /* it reads the source */
    if (!zci_cuda_lane_reported(lane))
        write_order(lane->resident, 0, ZCK_ORDER_STOP, lane->resident->frame);
    return status;
}

/* The order comes first: the kernel sees it, and loaders read, while the copies are being enqueued. */
zcs_status zci_cuda_resident_submit(struct zci_cuda_lane *lane, const struct zci_job *job,
                                    const struct zci_cuda_places *at)
{
    struct zci_cuda_resident *r = lane->resident;
    const int staged = job->route == ZCS_ROUTE_STAGED;
    const int words = zci_cuda_begin_words(lane, at->source);
    const uint64_t source_flags =
        (words ? ZCK_ORDER_WORDS : 0u) | (lane->staging != r->place ? ZCK_ORDER_OTHER : 0u);
    const uint64_t flags =
        (staged ? ZCK_ORDER_HYBRID : 0u) | (at->in_host ? ZCK_ORDER_TO_HOST : 0u);
    lane->done = (struct zci_job_result){.route = job->route,
                                         .device_data = at->written,
                                         .cuda_stream = lane->queue->stream,
                                         .cuda_event = lane->queue->event,
                                         .cuda_device = (int)lane->device};
    lane->asked_ns = 0;
    lane->watched = &r->answer->report;
    lane->awaited = ++r->frame;
    lane->at_work = r->queue->stream;
    r->launches = 0;
    lane->blanked = lane->other != NULL; /* when the frame is over */
    write_order(r, (uintptr_t)at->seen | source_flags, (uintptr_t)at->written | flags, r->frame);
    zcs_status status = staged ? bring_staged(lane, at->source, words) : ZCS_OK;
    if (status == ZCS_OK && is_closed(r) && !zci_cuda_lane_reported(lane))
        status = zci_cuda_resident_launch(lane, r->frame - 1);
    r->failed = status != ZCS_OK;
    return status;
}

zcs_status zci_cuda_resident_settle(struct zci_cuda_lane *lane)
{
    if (__atomic_load_n(&lane->resident->answer->late, __ATOMIC_RELAXED) != lane->awaited)
        return ZCS_OK;
    return zci_cuda_ask(lane->cuda, lane->device, lane->copies->stream,
                        "copying a frame to the device");
}

static void stop(struct zci_cuda_lane *lane)
{
    struct zci_cuda_resident *r = lane->resident;
    if (r->args.launch == 0)
        return;
    if (lane->busy && zci_cuda_resident_works(lane))
        await_end(lane);
    write_order(r, 0, ZCK_ORDER_STOP, r->frame + 1);
    zci_cuda_judge(lane->cuda, lane->device, lane->cuda->api->stream_wait(r->queue->stream));
}

void zci_cuda_resident_finish(struct zci_cuda_lane *lane, int usable)
{
    struct zci_cuda_resident *r = lane->resident;
    if (r == NULL)
        return;
    if (usable)
        stop(lane);
    if (usable && r->arena != NULL)
        zci_cuda_judge(lane->cuda, lane->device, lane->cuda->api->device_free(r->arena));
    if (r->pinned.bytes > 0)
        zci_cuda_memory_free(&lane->cuda->base, &r->pinned);
    zci_cuda_queue_give(lane->cuda, lane->device, r->queue);
    atomic_store(&lane->cuda->devices[lane->device].held, 0);
    free(r);
    lane->resident = NULL;
}
