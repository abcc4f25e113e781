/* SPDX-License-Identifier: MIT */
/* Functions that open or make something say in one line which argument is missing, or out of its range. */
#include "source_setup.h"

#include "zcstream/camera.h"
#include "zcstream/measure.h"
#include "zcstream/set.h"

static struct setup_lines lines;

/* The status is ZCS_ERR_ARG, and one line says what is missing. */
#define CHECK_NAMED(call, line)                                                                    \
    do {                                                                                           \
        setup_forget(&lines);                                                                      \
        CHECK_EQ(call, ZCS_ERR_ARG);                                                               \
        CHECK_LINE(&lines, line);                                                                  \
    } while (0)

static void named_sources(zcs_context *ctx)
{
    zcs_source *source = NULL;
    zcs_camera *camera = NULL;
    const struct zcs_replay_params no_path = {.path = NULL}, path = {.path = "x"};
    const struct zcs_v4l2_params no_device = {.device = NULL}, device = {.device = "x"};
    const struct zcs_pattern_params pattern = {.name = NULL};
    const struct zcs_push_params no_image = {.queue = 0};
    CHECK_NAMED(zcs_source_open_replay(ctx, NULL, &source), "a replay: params is NULL");
    CHECK_NAMED(zcs_source_open_replay(ctx, &no_path, &source), "a replay: params->path is NULL");
    CHECK_NAMED(zcs_source_open_replay(ctx, &path, NULL), "a replay: out is NULL");
    CHECK_NAMED(zcs_source_open_pattern(ctx, NULL, &source), "a pattern: params is NULL");
    CHECK_NAMED(zcs_source_open_pattern(ctx, &pattern, NULL), "a pattern: out is NULL");
    CHECK_NAMED(zcs_source_open_v4l2(ctx, NULL, &source), "a camera: params is NULL");
    CHECK_NAMED(zcs_source_open_v4l2(ctx, &no_device, &source), "a camera: params->device is NULL");
    CHECK_NAMED(zcs_source_open_v4l2(ctx, &device, NULL), "a camera: out is NULL");
    CHECK_NAMED(zcs_camera_open(ctx, NULL, &camera), "a camera: device is NULL");
    CHECK_NAMED(zcs_camera_open(ctx, "x", NULL), "a camera: out is NULL");
    CHECK_NAMED(zcs_source_open_push(ctx, NULL, &source), "push: params is NULL");
    CHECK_NAMED(zcs_source_open_push(ctx, &no_image, NULL), "push: out is NULL");
    CHECK_NAMED(zcs_source_open_push(ctx, &no_image, &source), "push: the image's layout");
    CHECK(source == NULL && camera == NULL);
}

static void named_streams(zcs_context *ctx)
{
    const struct zcs_pattern_params pattern = {.name = NULL};
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    zcs_set *set = NULL;
    uint32_t member;
    const struct zcs_stream_params far[] = {
        {.policy = (enum zcs_policy)9},        {.wait = (enum zcs_wait)8},
        {.route = (enum zcs_route)7},          {.dispatch = (enum zcs_dispatch)6},
        {.memory = (enum zcs_memory_policy)5}, {.custom_count = 3}};
    const char *const lines_of[] = {
        "policy 9: the greatest is 2", "wait 8: the greatest is 3",
        "route 7: the greatest is 3",  "dispatch 6: the greatest is 3",
        "memory 5: the greatest is 2", "custom_count is 3, but custom is NULL"};
    CHECK_EQ(zcs_source_open_pattern(ctx, &pattern, &source), ZCS_OK);
    for (size_t i = 0; i < sizeof far / sizeof *far; i++)
        CHECK_NAMED(zcs_stream_create(ctx, source, &far[i], &stream), lines_of[i]);
    CHECK_NAMED(zcs_stream_create(ctx, NULL, NULL, &stream), "a stream: source is NULL");
    CHECK_NAMED(zcs_stream_create(ctx, source, NULL, NULL), "a stream: out is NULL");
    CHECK_NAMED(zcs_set_create(ctx, NULL, NULL), "a set: out is NULL");
    CHECK_EQ(zcs_set_create(ctx, NULL, &set), ZCS_OK);
    CHECK_NAMED(zcs_set_add(set, NULL, &member), "a set's member: stream is NULL");
    CHECK_NAMED(zcs_set_replace(set, 0, NULL), "a set's member: stream is NULL");
    CHECK(stream == NULL);
    zcs_set_destroy(&set);
    zcs_source_close(&source);
}

static void named_others(zcs_context *ctx)
{
    const struct zcs_params params = {.log = setup_keep, .log_user = &lines};
    const struct zcs_recorder_params no_path = {.path = NULL}, path = {.path = "x"};
    zcs_recorder *recorder = NULL;
    zcs_measure *measure = NULL;
    CHECK_NAMED(zcs_open(&params, NULL), "a context: out is NULL");
    CHECK_NAMED(zcs_recorder_create(ctx, NULL, &recorder), "a recording: params is NULL");
    CHECK_NAMED(zcs_recorder_create(ctx, &no_path, &recorder), "a recording: params->path is NULL");
    CHECK_NAMED(zcs_recorder_create(ctx, &path, NULL), "a recording: out is NULL");
    CHECK_NAMED(zcs_memory_alloc(ctx, ZCS_ROLE_INGEST, 1, NULL), "memory: out is NULL");
    CHECK_NAMED(zcs_measure_open(ctx, 0, 4096, NULL), "measure: out is NULL");
    CHECK_NAMED(zcs_measure_open(ctx, 0, 0, &measure), "measure: 0 bytes");
    CHECK(recorder == NULL && measure == NULL);
}

int main(void)
{
    zcs_context *ctx = setup_context(&lines);
    named_sources(ctx);
    named_streams(ctx);
    named_others(ctx);
    zcs_close(&ctx);
    return 0;
}
