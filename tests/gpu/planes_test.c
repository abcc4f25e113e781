/* SPDX-License-Identifier: MIT */
/* Copies of staged frames over a stand-in for CUDA: all bytes that the share's kernels read
 * come, and where words show that they are there, none comes in parts. */
#include "check.h"

#include "backend/cuda/cuda.h"
#include "backend/cuda/frame_ctx.h"
#include "backend/cuda/persistent.h"
#include "backend/cuda/submit.h"
#include "gpu/fake_api.h"
#include "plan_make.h"

enum { MAX = 64, ROOM = 1 << 20 };

static struct {
    const uint8_t *from;
    size_t bytes;
} copies[MAX];
static uint32_t copy_count;
static const uint8_t *source_begin, *source_end;

static int copy(void *to, const void *from, size_t bytes, enum zci_cuda_copy_kind kind,
                void *stream)
{
    const uint8_t *at = from;
    if (at >= source_begin && at < source_end) {
        CHECK(copy_count < MAX && bytes <= (size_t)(source_end - at));
        copies[copy_count].from = at;
        copies[copy_count++].bytes = bytes;
    }
    return fake_cuda.copy(to, from, bytes, kind, stream);
}

static void check_apart(void)
{
    for (uint32_t i = 0; i < copy_count; i++)
        for (uint32_t k = 0; k < i; k++) {
            const size_t a = (size_t)(copies[i].from - source_begin);
            const size_t b = (size_t)(copies[k].from - source_begin);
            CHECK((a + copies[i].bytes + 3) / 4 <= b / 4 || (b + copies[k].bytes + 3) / 4 <= a / 4);
        }
}

/* Of each plane, the rows that belong to rows [first, last) of pixels. */
static void check_brought(const struct zci_plan *plan, const struct zci_cuda_frame_ctx *fctx,
                          uint32_t first, uint32_t last)
{
    const uint8_t *image = fctx->steps[0].pass.in;
    for (uint32_t p = 0; p < plan->source.planes; p++) {
        const uint32_t vsub = p > 0 ? plan->load.vsub : 1;
        const size_t bytes = zcs_image_min_stride(plan->source.format, plan->source.width, p);
        for (uint32_t y = first / vsub; y < (last + vsub - 1) / vsub; y++) {
            const size_t at = plan->load.offset_bytes[p] + y * plan->load.stride_bytes[p];
            CHECK(memcmp(image + at, source_begin + at, bytes) == 0);
        }
    }
}

/* A persistent kernel's loaders count from the first row that anything needs. */
static void hold(const struct zci_plan *plan, struct zci_frame_ctx *base)
{
    struct zci_cuda_frame_ctx *fctx = (struct zci_cuda_frame_ctx *)base;
    struct zci_reservation held;
    CHECK_EQ(zci_cuda_frame_ctx_reserve(base, &held), ZCS_OK);
    CHECK(held.units > 0);
    const struct zck_cuda_transfer *transfer = &fctx->persistent->args.passes[0].transfer;
    for (uint32_t p = 0; p < transfer->plane_count; p++)
        CHECK_EQ(transfer->planes[p].begin_bytes,
                 plan->load.offset_bytes[p] + transfer->first_row / (p > 0 ? plan->load.vsub : 1) *
                                                  plan->load.stride_bytes[p]);
}

static int in_words(const struct zci_cuda_frame_ctx *fctx)
{
    if (fctx->persistent != NULL)
        return (fctx->persistent->mailbox->command.source & ZCK_COMMAND_SENTINEL) != 0;
    return fctx->steps[0].pass.transfer.wait == ZCK_CUDA_WAIT_SENTINEL;
}

/* The number of copies of the latest of three frames; 0: it came in chunks. */
static uint32_t run_frames(const struct zci_plan *plan, struct zci_frame_ctx *base,
                           struct zci_memory *source, struct zci_memory *result, uint32_t first,
                           uint32_t last)
{
    const struct zci_cuda_frame_ctx *fctx = (const struct zci_cuda_frame_ctx *)base;
    const struct zci_job job = {.source = source->host,
                                .source_memory = source,
                                .result = result->host,
                                .result_memory = result,
                                .route = ZCS_ROUTE_STAGED};
    struct zci_job_result done;
    uint64_t seed = 1;
    source_begin = source->host;
    source_end = source_begin + plan->source.size_bytes;
    for (uint32_t frame = 0; frame < 3; frame++) {
        for (size_t i = 0; i < plan->source.size_bytes; i++)
            ((uint8_t *)source->host)[i] = (uint8_t)test_random(&seed);
        copy_count = 0;
        CHECK_EQ(zci_cuda_frame_ctx_submit(base, &job), ZCS_OK);
        if (fctx->persistent == NULL || in_words(fctx))
            check_brought(plan, fctx, first, last);
        if (in_words(fctx))
            check_apart();
        CHECK_EQ(zci_cuda_frame_ctx_wait(base, 1000000000), ZCS_OK);
        CHECK_EQ(zci_cuda_frame_ctx_poll(base, &done), ZCS_OK);
    }
    return in_words(fctx) ? copy_count : 0;
}

static uint32_t stage(struct zci_backend *cuda, const struct zci_plan *plan, uint32_t bands,
                      uint32_t first, uint32_t last)
{
    struct zci_memory source, result;
    struct zci_group group;
    struct zci_frame_ctx *base = NULL;
    const uint32_t devices[2] = {0, 1};
    CHECK_EQ(cuda->ops->memory_alloc(cuda, ZCS_ROLE_INGEST_CACHED, ROOM, &source), ZCS_OK);
    CHECK_EQ(cuda->ops->memory_alloc(cuda, ZCS_ROLE_READBACK, ROOM, &result), ZCS_OK);
    zci_group_split_rows(plan, devices, bands, &group);
    CHECK_EQ(zci_cuda_frame_ctx_create(cuda, &group, bands - 1, &base), ZCS_OK);
    const uint32_t words = run_frames(plan, base, &source, &result, first, last);
    if (bands == 1 && plan->source.planes > 1) {
        hold(plan, base);
        CHECK_EQ(run_frames(plan, base, &source, &result, first, last), words);
    }
    zci_cuda_frame_ctx_destroy(&base);
    cuda->ops->memory_free(cuda, &source);
    cuda->ops->memory_free(cuda, &result);
    return words;
}

static uint32_t stage_of(struct zci_backend *cuda, enum zcs_pixfmt format, uint32_t width,
                         uint32_t height, const char *stages, uint32_t bands, uint32_t first,
                         uint32_t last)
{
    struct zci_plan plan;
    plan_make(&plan, format, width, height, &(struct zci_plan_params){.stages = stages});
    const uint32_t words = stage(cuda, &plan, bands, first, last);
    zci_plan_finish(&plan);
    return words;
}

int main(void)
{
    const struct zci_log quiet = {.fn = NULL};
    struct zci_cuda_api api = fake_cuda;
    struct zci_backend *cuda = NULL;
    api.copy = copy;
    fake_state.devices = 2;
    CHECK_EQ(zci_cuda_open(&api, &quiet, &cuda), ZCS_OK);
    /* All of a source is one copy, also where planes begin within a word. */
    CHECK_EQ(stage_of(cuda, ZCS_PIXFMT_NV12, 640, 480, "none", 1, 0, 480), 1);
    CHECK_EQ(stage_of(cuda, ZCS_PIXFMT_NV12, 333, 101, "none", 1, 0, 101), 1);
    CHECK_EQ(stage_of(cuda, ZCS_PIXFMT_YUV420, 333, 101, "none", 1, 0, 101), 1);
    CHECK_EQ(stage_of(cuda, ZCS_PIXFMT_YUV422P10, 333, 101, "none", 1, 0, 101), 1);
    CHECK_EQ(stage_of(cuda, ZCS_PIXFMT_YUYV, 333, 101, "none", 1, 0, 101), 1);
    /* Of a share or the rows of a crop, one for each plane ... */
    CHECK_EQ(stage_of(cuda, ZCS_PIXFMT_NV12, 640, 480, "none", 2, 240, 480), 2);
    CHECK_EQ(stage_of(cuda, ZCS_PIXFMT_YUV420, 640, 480, "none", 2, 240, 480), 3);
    CHECK_EQ(stage_of(cuda, ZCS_PIXFMT_NV12, 640, 480, "crop=640x300+0+100", 1, 100, 400), 2);
    CHECK_EQ(stage_of(cuda, ZCS_PIXFMT_SRGGB8, 640, 480, "none", 2, 240, 480), 1);
    /* ... also where the frame context adds them up, and has none of the result ... */
    CHECK_EQ(
        stage_of(cuda, ZCS_PIXFMT_SRGGB8, 640, 480, "demosaic,digest,crop=640x32", 2, 238, 480), 1);
    /* ... unless two would bring parts of one word. */
    CHECK_EQ(stage_of(cuda, ZCS_PIXFMT_NV12, 1, 35, "crop=1x33+0+0", 1, 0, 33), 0);
    /* RGB is not looked at. */
    CHECK_EQ(stage_of(cuda, ZCS_PIXFMT_RGB24, 640, 480, "none", 1, 0, 480), 0);
    zci_backend_unref(&cuda);
    CHECK_EQ(fake_state.alive, 0);
    return 0;
}
