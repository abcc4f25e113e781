/* SPDX-License-Identifier: MIT */
/* Which frame contexts put their copies on the same CUDA stream: those of one plan on one
 * device, a persistent one's alone on its own. CUDA is a stand-in that notes which streams are
 * used. */
#include "check.h"

#include "backend/cuda/persistent.h"
#include "backend/cuda/submit.h"
#include "backend/cuda/frame_ctx.h"
#include "core/partition.h"
#include "gpu/fake_api.h"
#include "plan_make.h"

enum { WIDTH = 640, HEIGHT = 480, MAX = 16 };

/* Streams that copies went to, and that were waited for, since it was cleared. */
static struct {
    void *copies[MAX], *waits[MAX];
    uint32_t copy_count, wait_count;
} seen;

static int copy(void *to, const void *from, size_t bytes, enum zci_cuda_copy_kind kind,
                void *stream)
{
    if (kind == ZCI_CUDA_TO_DEVICE && seen.copy_count < MAX)
        seen.copies[seen.copy_count++] = stream;
    return fake_cuda.copy(to, from, bytes, kind, stream);
}

static int stream_wait(void *stream)
{
    if (seen.wait_count < MAX)
        seen.waits[seen.wait_count++] = stream;
    return fake_cuda.stream_wait(stream);
}

static int was_awaited(const void *stream)
{
    for (uint32_t i = 0; i < seen.wait_count; i++)
        if (seen.waits[i] == stream)
            return 1;
    return 0;
}

static struct zci_plan plan_of(const char *stages)
{
    struct zci_plan plan;
    plan_make(&plan, ZCS_PIXFMT_GREY, WIDTH, HEIGHT, &(struct zci_plan_params){.stages = stages});
    return plan;
}

static struct zci_cuda_frame_ctx *make(struct zci_backend *cuda, const struct zci_plan *plan,
                                       uint32_t device)
{
    struct zci_group group;
    struct zci_frame_ctx *fctx = NULL;
    zci_group_one(plan, device, &group);
    CHECK_EQ(zci_cuda_frame_ctx_create(cuda, &group, 0, &fctx), ZCS_OK);
    return (struct zci_cuda_frame_ctx *)fctx;
}

/* Which waits for what the frame context may have enqueued. */
static void destroy(struct zci_cuda_frame_ctx *fctx)
{
    struct zci_frame_ctx *base = &fctx->base;
    void *const kernels = fctx->kernel_stream->handle, *const copies = fctx->copy_stream->handle;
    seen.wait_count = 0;
    zci_cuda_frame_ctx_destroy(&base);
    CHECK(was_awaited(kernels) && was_awaited(copies));
}

/* A frame's copies go to `stream`, and nowhere else. */
static void stage(struct zci_cuda_frame_ctx *fctx, const void *stream)
{
    struct zci_backend *cuda = fctx->base.backend;
    struct zci_memory source, result;
    struct zci_job_result done;
    CHECK_EQ(cuda->ops->memory_alloc(cuda, ZCS_ROLE_INGEST, WIDTH * HEIGHT, &source), ZCS_OK);
    CHECK_EQ(cuda->ops->memory_alloc(cuda, ZCS_ROLE_READBACK, WIDTH * HEIGHT, &result), ZCS_OK);
    const struct zci_job job = {.source = source.host,
                                .source_memory = &source,
                                .result = result.host,
                                .result_memory = &result,
                                .route = ZCS_ROUTE_STAGED};
    seen.copy_count = 0;
    CHECK_EQ(zci_cuda_frame_ctx_submit(&fctx->base, &job), ZCS_OK);
    CHECK(seen.copy_count > 0);
    for (uint32_t i = 0; i < seen.copy_count; i++)
        CHECK(seen.copies[i] == stream);
    CHECK_EQ(zci_cuda_frame_ctx_wait(&fctx->base, -1), ZCS_OK);
    CHECK_EQ(zci_cuda_frame_ctx_poll(&fctx->base, &done), ZCS_OK);
    cuda->ops->memory_free(cuda, &source);
    cuda->ops->memory_free(cuda, &result);
}

static void hold(struct zci_cuda_frame_ctx *fctx)
{
    struct zci_reservation held;
    CHECK_EQ(zci_cuda_frame_ctx_reserve(&fctx->base, &held), ZCS_OK);
    CHECK(held.units > 0);
}

int main(void)
{
    const struct zci_log quiet = {.fn = NULL};
    struct zci_backend *cuda = NULL;
    struct zci_plan one = plan_of("none"), two = plan_of("digest");
    struct zci_cuda_api table = fake_cuda;
    table.copy = copy;
    table.stream_wait = stream_wait;
    fake_state.devices = 2;
    CHECK_EQ(zci_cuda_open(fake_around(&table), &quiet, &cuda), ZCS_OK);
    struct zci_cuda_frame_ctx *first = make(cuda, &one, 0), *second = make(cuda, &one, 0),
                              *other = make(cuda, &two, 0), *there = make(cuda, &one, 1);
    void *const shared = first->copy_stream->handle, *const others = other->copy_stream->handle;
    CHECK(second->copy_stream->handle == shared);
    CHECK(others != shared);
    CHECK(there->copy_stream->handle != shared && there->copy_stream->handle != others);
    CHECK(first->kernel_stream->handle != second->kernel_stream->handle);
    CHECK_EQ(first->copy_stream->users, 2);
    stage(first, shared);
    stage(second, shared);

    hold(first);
    CHECK_EQ(second->copy_stream->users, 1);
    void *const own = first->copy_stream->handle;
    CHECK(own != shared && own != others);
    CHECK(second->copy_stream->handle == shared);
    CHECK(first->persistent->kernel_stream->handle != own);
    stage(second, shared);

    /* What nobody uses goes to whoever comes; what one frame context still uses does not. */
    destroy(first);
    struct zci_cuda_frame_ctx *third = make(cuda, &one, 0);
    CHECK(third->copy_stream->handle == shared);
    destroy(second);
    struct zci_cuda_frame_ctx *fourth = make(cuda, &two, 0);
    CHECK(fourth->copy_stream->handle == others);
    destroy(third);
    struct zci_plan three = plan_of("none");
    struct zci_cuda_frame_ctx *fifth = make(cuda, &three, 0), *sixth = make(cuda, &one, 0);
    CHECK(fifth->copy_stream->handle != sixth->copy_stream->handle);
    CHECK(fifth->copy_stream->handle == shared || fifth->copy_stream->handle == own);
    CHECK(sixth->copy_stream->handle == shared || sixth->copy_stream->handle == own);

    destroy(other), destroy(there), destroy(fourth), destroy(fifth), destroy(sixth);
    zci_plan_finish(&one), zci_plan_finish(&two), zci_plan_finish(&three);
    zci_backend_unref(&cuda);
    CHECK_EQ(fake_state.alive, 0);
    return 0;
}
