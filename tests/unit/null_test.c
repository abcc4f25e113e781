/* SPDX-License-Identifier: MIT */
/* Functions that tell a status refuse missing arguments with ZCS_ERR_ARG, and write nothing. */
#include "stream_setup.h"

#include "zcstream/camera.h"
#include "zcstream/cuda.h"
#include "zcstream/dlpack.h"
#include "zcstream/latency.h"
#include "zcstream/measure.h"
#include "zcstream/set.h"

static void contexts_and_memory(zcs_context *ctx)
{
    struct zcs_device_info device;
    void *memory = NULL;
    zcs_measure *measure = NULL;
    int64_t ns;
    CHECK_EQ(zcs_open(NULL, NULL), ZCS_ERR_ARG);
    CHECK_EQ(zcs_device_info(NULL, 0, &device), ZCS_ERR_ARG);
    CHECK_EQ(zcs_device_info(ctx, 0, NULL), ZCS_ERR_ARG);
    CHECK_EQ(zcs_memory_alloc(NULL, ZCS_ROLE_INGEST, 1, &memory), ZCS_ERR_ARG);
    CHECK_EQ(zcs_memory_alloc(ctx, ZCS_ROLE_INGEST, 1, NULL), ZCS_ERR_ARG);
    CHECK_EQ(zcs_memory_register(NULL, &ns, sizeof ns), ZCS_ERR_ARG);
    CHECK_EQ(zcs_memory_register(ctx, NULL, sizeof ns), ZCS_ERR_ARG);
    CHECK_EQ(zcs_memory_release(NULL, &ns), ZCS_ERR_ARG);
    CHECK_EQ(zcs_memory_release(ctx, NULL), ZCS_ERR_ARG);
    CHECK_EQ(zcs_measure_open(NULL, 0, 4096, &measure), ZCS_ERR_ARG);
    CHECK_EQ(zcs_measure_open(ctx, 0, 4096, NULL), ZCS_ERR_ARG);
    CHECK_EQ(zcs_measure_run(NULL, ZCS_BENCHMARK_SLOT, 4096, &ns), ZCS_ERR_ARG);
    CHECK(memory == NULL && measure == NULL);
}

static void sources(zcs_context *ctx)
{
    zcs_source *source = NULL;
    const struct zcs_frame *frame = NULL;
    const struct zcs_replay_params no_path = {.path = NULL};
    const struct zcs_v4l2_params no_device = {.device = NULL};
    const struct zcs_push_params no_image = {.queue = 0};
    CHECK_EQ(zcs_source_open_replay(ctx, NULL, &source), ZCS_ERR_ARG);
    CHECK_EQ(zcs_source_open_replay(ctx, &no_path, &source), ZCS_ERR_ARG);
    CHECK_EQ(zcs_source_open_pattern(ctx, NULL, &source), ZCS_ERR_ARG);
    CHECK_EQ(zcs_source_open_pattern(NULL, NULL, &source), ZCS_ERR_ARG);
    CHECK_EQ(zcs_source_open_v4l2(ctx, &no_device, &source), ZCS_ERR_ARG);
    CHECK_EQ(zcs_source_open_push(ctx, &no_image, &source), ZCS_ERR_ARG);
    CHECK_EQ(zcs_source_next(NULL, 0, &frame), ZCS_ERR_ARG);
    CHECK_EQ(zcs_source_push(NULL, &source, NULL, NULL, NULL), ZCS_ERR_ARG);
    CHECK(source == NULL && frame == NULL);
    zcs_source_push_end(NULL);
}

static void streams(zcs_context *ctx)
{
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_YUYV, 2, 0);
    zcs_stream *stream = NULL;
    zcs_set *set = NULL;
    struct zcs_set_event event;
    struct zcs_image image;
    uint32_t member;
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_stream_create(NULL, source, NULL, &stream), ZCS_ERR_ARG);
    CHECK_EQ(zcs_stream_create(ctx, NULL, NULL, &stream), ZCS_ERR_ARG);
    CHECK_EQ(zcs_stream_create(ctx, source, NULL, NULL), ZCS_ERR_ARG);
    CHECK_EQ(zcs_stream_next(NULL, 0, &frame), ZCS_ERR_ARG);
    CHECK_EQ(zcs_stream_image(NULL, 0, &image), ZCS_ERR_ARG);
    CHECK_EQ(zcs_set_create(NULL, NULL, &set), ZCS_ERR_ARG);
    CHECK_EQ(zcs_set_add(NULL, NULL, &member), ZCS_ERR_ARG);
    CHECK_EQ(zcs_set_next(NULL, 0, &event), ZCS_ERR_ARG);
    CHECK_EQ(zcs_set_match(NULL, 0, &frame), ZCS_ERR_ARG);
    CHECK(stream == NULL && set == NULL && frame == NULL);
    zcs_source_close(&source);
}

static void frames(zcs_context *ctx)
{
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_GREY, 1, 0);
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    struct DLManagedTensor *tensor = NULL;
    struct zcs_cuda_frame cuda;
    struct zcs_latency latency = {.count = 7};
    CHECK_EQ(zcs_stream_create(ctx, source, NULL, &stream), ZCS_OK);
    CHECK_EQ(zcs_stream_next(stream, -1, NULL), ZCS_ERR_ARG);
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
    CHECK_EQ(zcs_frame_dlpack(NULL, 0, 0, &tensor), ZCS_ERR_ARG);
    CHECK_EQ(zcs_frame_dlpack(frame, 0, 0, NULL), ZCS_ERR_ARG);
    CHECK_EQ(zcs_frame_cuda(NULL, &cuda), ZCS_ERR_ARG);
    CHECK_EQ(zcs_frame_cuda(frame, NULL), ZCS_ERR_ARG);
    zcs_stream_latency(stream, ZCS_LATENCY_LEGS, &latency);
    CHECK_EQ(latency.count, 0);
    CHECK(tensor == NULL);
    zcs_frame_unref(&frame);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
}

/* What zcs_source_camera gives where there is none. */
static void no_camera(zcs_context *ctx)
{
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_GREY, 1, 0);
    zcs_camera *camera = zcs_source_camera(source);
    struct zcs_camera_format format;
    struct zcs_camera_size size;
    struct zcs_camera_rate rate;
    struct zcs_control control = {.id = 1};
    struct zcs_control_item item;
    struct zcs_control_change change;
    char text[16];
    CHECK(camera == NULL);
    CHECK(zcs_camera_format(camera, 0, &format) != ZCS_OK);
    CHECK(zcs_camera_size(camera, 0, 0, &size) != ZCS_OK);
    CHECK(zcs_camera_rate(camera, 0, 0, 0, 0, &rate) != ZCS_OK);
    CHECK(zcs_control_next(camera, 0, &control) != ZCS_OK);
    CHECK(zcs_control_find(camera, "gain", &control) != ZCS_OK);
    CHECK(zcs_control_item(camera, &control, 0, &item) != ZCS_OK);
    CHECK(zcs_control_get(camera, &control, text, sizeof text) != ZCS_OK);
    CHECK(zcs_control_set(camera, "gain=1", NULL, 0) != ZCS_OK);
    CHECK(zcs_control_change(camera, 1, &change) != ZCS_OK);
    CHECK_EQ(zcs_camera_would_give(camera, 0, 1, 1), 0);
    zcs_source_close(&source);
}

int main(void)
{
    zcs_context *ctx = setup_context(1, NULL);
    contexts_and_memory(ctx);
    sources(ctx);
    streams(ctx);
    frames(ctx);
    no_camera(ctx);
    zcs_close(&ctx);
    return 0;
}
