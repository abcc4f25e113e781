/* SPDX-License-Identifier: MIT */
/* Devices that fail while routes are tried, or are to be tried once more: who is taken out, and
 * what the application is told. CUDA is a stand-in whose kernels do not report, and which tells
 * of an error when it is asked. */
#include "check.h"

#include "gpu/fake_api.h"
#include "gpu/open_over.h"
#include "stream/stream.h"

enum { DEVICES = 2, FRAMES = 6, MAX_LINES = 12, STICKY = 700, OTHER = 1 };

static struct {
    int armed;
    int error[DEVICES]; /* of frames from now on; 0: none */
    uint32_t lines;
} scene;

static int launch(const void *kernel, uint32_t blocks, uint32_t threads, void **arguments,
                  void *stream)
{
    if (scene.armed && scene.error[fake_state.device] != 0)
        return 0;
    return fake_cuda.launch(kernel, blocks, threads, arguments, stream);
}

static int stream_query(void *stream)
{
    (void)stream;
    return scene.armed ? scene.error[fake_state.device] : 0;
}

static void count_lines(void *user, enum zcs_log_level level, const char *line)
{
    (void)user;
    scene.lines += level <= ZCS_LOG_WARNING;
    printf("  %s\n", line);
}

static struct zci_cuda_api table;

static zcs_context *open_scene(int first, int second)
{
    zcs_context *ctx = NULL;
    scene.armed = 0;
    scene.error[0] = first;
    scene.error[1] = second;
    table = fake_cuda;
    table.launch = launch;
    table.stream_query = stream_query;
    fake_state = (struct fake_state){.devices = DEVICES};
    CHECK_EQ(open_over(fake_around(&table), count_lines, &ctx), ZCS_OK);
    scene.lines = 0;
    return ctx;
}

/* Nothing is left of it, whatever failed. */
static void close_scene(zcs_stream **stream, zcs_source **source, zcs_context **ctx)
{
    zcs_stream_destroy(stream);
    zcs_source_close(source);
    scene.armed = 0;
    zcs_close(ctx);
    CHECK_EQ(fake_state.alive, 0);
}

static zcs_source *open_pattern(zcs_context *ctx, uint64_t frames)
{
    const struct zcs_pattern_params pattern = {
        .format = ZCS_PIXFMT_SRGGB10P, .width = 326, .height = 243, .frames = frames};
    zcs_source *source = NULL;
    CHECK_EQ(zcs_source_open_pattern(ctx, &pattern, &source), ZCS_OK);
    return source;
}

/* What a stream on the first `count` devices does whose frames fail from its beginning: with
 * devices left, all of its frames on these; else it is not made, for a reason. */
static void at_start(const char *what, enum zcs_dispatch dispatch, uint32_t count,
                     uint32_t in_flight, int first, int second)
{
    zcs_context *ctx = open_scene(first, second);
    const struct zcs_stream_params params = {.stages = "none",
                                             .dispatch = dispatch,
                                             .device_count = count,
                                             .devices = {0, 1},
                                             .in_flight = in_flight};
    const int left = first == 0 || (count > 1 && second == 0);
    const struct zcs_frame *frame = NULL;
    struct zcs_stream_stats stats;
    zcs_source *source = open_pattern(ctx, FRAMES);
    zcs_stream *stream = NULL;
    scene.armed = 1;
    printf("%s\n", what);
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), left ? ZCS_OK : ZCS_ERR_DEVICE);
    CHECK_EQ(stream != NULL, left);
    CHECK(scene.lines > 0 && scene.lines <= MAX_LINES);
    for (uint32_t i = 0; i < FRAMES && left; i++) {
        CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
        CHECK_EQ(frame->device, first != 0);
        zcs_frame_unref(&frame);
    }
    if (left) {
        zcs_stream_stats(stream, &stats);
        CHECK_EQ(stats.devices_lost, 1);
        CHECK_EQ(stats.devices[0].lost, first != 0);
    }
    close_scene(&stream, &source, &ctx);
}

/* A stream that is over tries no routes, though its frames had become slow. */
static void when_broken(void)
{
    zcs_context *ctx = open_scene(STICKY, 0);
    const struct zcs_stream_params params = {
        .stages = "none", .device_count = 1, .wait = ZCS_WAIT_SPIN};
    const struct zcs_frame *frame = NULL;
    zcs_source *source = open_pattern(ctx, 0);
    zcs_stream *stream = NULL;
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    scene.armed = 1;
    zcs_status status = ZCS_OK;
    while (status == ZCS_OK || status == ZCS_AGAIN) {
        /* As a slow frame's time would have it, while others are in flight. */
        stream->branches[0].drifted |= stream->branches[0].inflight.busy > 0;
        status = zcs_stream_next(stream, stream->branches[0].drifted ? 100000 : 0, &frame);
        if (status == ZCS_OK)
            zcs_frame_unref(&frame);
    }
    CHECK_EQ(status, ZCS_ERR_DEVICE);
    CHECK(scene.lines <= MAX_LINES);
    close_scene(&stream, &source, &ctx);
}

/* Pushed frames have no memory of the library's: the one to try routes with is there from the
 * beginning. */
static void without_memory(void)
{
    enum { WIDTH = 640, HEIGHT = 480, SLOW = 20 };
    static uint8_t memory[WIDTH * HEIGHT];
    zcs_context *ctx = open_scene(0, 0);
    struct zcs_push_params push = {.queue = 4};
    const struct zcs_stream_params params = {.stages = "none", .device_count = 1};
    const struct zcs_frame *frame = NULL;
    struct zcs_stream_stats stats;
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    CHECK_EQ(zcs_image_init(&push.image, ZCS_PIXFMT_GREY, WIDTH, HEIGHT, 0), ZCS_OK);
    CHECK_EQ(zcs_source_open_push(ctx, &push, &source), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    fake_state.host_limit = fake_state.host_bytes + 4096;
    for (uint64_t i = 0; i < SLOW; i++) {
        const struct zcs_push_meta meta = {.sequence = i};
        stream->branches[0].drifted = i == SLOW / 2;
        CHECK_EQ(zcs_source_push(source, memory, &meta, NULL, NULL), ZCS_OK);
        CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
        zcs_frame_unref(&frame);
    }
    zcs_stream_stats(stream, &stats);
    printf("%s\n", stats.route_reason);
    CHECK(strstr(stats.route_reason, "anew") != NULL);
    close_scene(&stream, &source, &ctx);
}

int main(void)
{
    at_start("one device", ZCS_DISPATCH_FRAMES, 1, 2, STICKY, 0);
    at_start("frames, the second fails", ZCS_DISPATCH_FRAMES, 2, 2, 0, STICKY);
    at_start("bands, the second fails", ZCS_DISPATCH_BANDS, 2, 2, 0, STICKY);
    at_start("bands, the first fails", ZCS_DISPATCH_BANDS, 2, 2, STICKY, 0);
    at_start("relay, the second fails", ZCS_DISPATCH_RELAY, 2, 2, 0, STICKY);
    at_start("frames, both fail, one for a frame only", ZCS_DISPATCH_FRAMES, 2, 1, STICKY, OTHER);
    when_broken();
    without_memory();
    return 0;
}
