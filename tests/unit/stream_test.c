/* SPDX-License-Identifier: MIT */
/* The stream: order, skip and every, back-pressure, policies, its descriptor, failures. */
#include <poll.h>
#include <time.h>

#include "stream_setup.h"

static void sleep_ms(long ms)
{
    const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

static uint64_t expect_frame(zcs_stream *stream)
{
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
    CHECK(frame->host != NULL && frame->result_ns >= frame->captured_ns);
    const uint64_t sequence = frame->sequence;
    zcs_frame_unref(&frame);
    CHECK(frame == NULL);
    return sequence;
}

static void order_and_end(uint32_t threads, uint32_t in_flight)
{
    zcs_context *ctx = setup_context(threads, NULL);
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_SRGGB10P, 50, 0);
    zcs_stream *stream = NULL;
    const struct zcs_stream_params params = {.in_flight = in_flight};
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    for (uint64_t i = 0; i < 50; i++)
        CHECK_EQ(expect_frame(stream), i);
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_EOF);
    CHECK_EQ(zcs_stream_next(stream, 0, &frame), ZCS_EOF);
    struct zcs_stream_stats stats;
    zcs_stream_stats(stream, &stats);
    CHECK_EQ(stats.captured, 50);
    CHECK_EQ(stats.processed, 50);
    CHECK_EQ(stats.path, ZCS_PATH_PATTERN);
    CHECK_EQ(stats.route, ZCS_ROUTE_MAPPED);
    CHECK_EQ(stats.in_flight, in_flight ? in_flight : 2);
    setup_close(&stream, &source, &ctx);
}

/* Where no device holds a kernel, low latency costs no frame in flight. */
static void low_latency_without_gpu(uint32_t in_flight)
{
    zcs_context *ctx = setup_context(2, NULL);
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_GREY, 100, 0);
    zcs_stream *stream = NULL;
    const struct zcs_stream_params params = {.low_latency = 1, .in_flight = in_flight};
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    struct zcs_stream_stats stats;
    zcs_stream_stats(stream, &stats);
    CHECK_EQ(stats.reserved_sms, 0);
    CHECK(stats.low_latency_reason != NULL);
    CHECK_EQ(stats.in_flight, in_flight ? in_flight : 2);
    CHECK_EQ(expect_frame(stream), 0);
    setup_close(&stream, &source, &ctx);
}

static void skip_every_limit(void)
{
    zcs_context *ctx = setup_context(2, NULL);
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_GREY, 100, 0);
    zcs_stream *stream = NULL;
    const struct zcs_stream_params params = {.skip = 2, .every = 3, .frames = 4};
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    for (uint64_t i = 0; i < 4; i++)
        CHECK_EQ(expect_frame(stream), 2 + 3 * i);
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_EOF);
    struct zcs_stream_stats stats;
    zcs_stream_stats(stream, &stats);
    CHECK_EQ(stats.captured, 12);
    CHECK_EQ(stats.skipped, 8);
    CHECK_EQ(stats.processed, 4);
    setup_close(&stream, &source, &ctx);
}

/* All results held: AGAIN, nothing is lost, and it goes on when one is given back. */
static void held_results(void)
{
    zcs_context *ctx = setup_context(1, NULL);
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_YUYV, 20, 0);
    zcs_stream *stream = NULL;
    const struct zcs_stream_params params = {.in_flight = 1, .results = 2};
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    const struct zcs_frame *held[3] = {NULL};
    for (int i = 0; i < 3; i++)
        CHECK_EQ(zcs_stream_next(stream, -1, &held[i]), ZCS_OK);
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_stream_next(stream, 20000000, &frame), ZCS_AGAIN);
    CHECK_EQ(zcs_stream_next(stream, 0, &frame), ZCS_AGAIN);
    CHECK_EQ(held[0]->sequence, 0);
    zcs_frame_unref(&held[1]);
    CHECK_EQ(expect_frame(stream), 3);
    for (uint64_t i = 4; i < 20; i++)
        CHECK_EQ(expect_frame(stream), i);
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_EOF);
    setup_close(&stream, &source, &ctx);
    CHECK_EQ(held[2]->sequence, 2);
    zcs_frame_unref(&held[0]);
    zcs_frame_unref(&held[2]);
}

/* Driven from outside by its descriptor alone, without ever waiting inside. */
static void descriptor(uint32_t fps)
{
    zcs_context *ctx = setup_context(2, NULL);
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_YUYV, 12, fps);
    zcs_stream *stream = NULL;
    CHECK_EQ(zcs_stream_create(ctx, source, NULL, &stream), ZCS_OK);
    struct pollfd fd = {.fd = zcs_stream_fd(stream), .events = POLLIN};
    zcs_status status = ZCS_AGAIN;
    int wakes = 0;
    for (uint64_t next = 0; status != ZCS_EOF; wakes++) {
        CHECK_EQ(poll(&fd, 1, 5000), 1);
        const struct zcs_frame *frame = NULL;
        status = zcs_stream_next(stream, 0, &frame);
        CHECK(status >= 0);
        if (status == ZCS_OK)
            CHECK_EQ(frame->sequence, next++);
        CHECK(status != ZCS_EOF || next == 12);
        zcs_frame_unref(&frame);
    }
    CHECK(wakes < 12 * 8);
    setup_close(&stream, &source, &ctx);
}

static zcs_status slow(void *user, const struct zcs_view *in, const struct zcs_view *out,
                       uint32_t first, uint32_t last)
{
    (void)user;
    for (uint32_t y = first; y < last; y++)
        memcpy((char *)out->data + y * out->stride_bytes,
               (const char *)in->data + y * in->stride_bytes, in->width);
    if (first == 0)
        sleep_ms(20);
    return ZCS_OK;
}

/* A paced source at 500 frames/s before a stage that takes 20 ms. */
static void policy(enum zcs_policy which)
{
    zcs_context *ctx = setup_context(1, NULL);
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_GREY, 100, 500);
    zcs_stream *stream = NULL;
    const struct zcs_custom_stage stage = {.name = "slow", .host_fn = slow};
    const struct zcs_stream_params params = {
        .stages = "slow", .custom = &stage, .custom_count = 1, .in_flight = 1, .policy = which};
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    uint64_t count = 0, last = 0;
    const struct zcs_frame *frame = NULL;
    while (zcs_stream_next(stream, -1, &frame) == ZCS_OK) {
        CHECK(count++ == 0 || frame->sequence > last);
        last = frame->sequence;
        zcs_frame_unref(&frame);
    }
    struct zcs_stream_stats stats;
    zcs_stream_stats(stream, &stats);
    CHECK_EQ(stats.processed, count);
    CHECK_EQ(stats.captured, 100);
    CHECK_EQ(stats.captured, stats.processed + stats.lost[ZCS_LOSS_POLICY]);
    if (which == ZCS_POLICY_WAIT)
        CHECK_EQ(count, 100);
    else
        CHECK(count < 60);
    if (which == ZCS_POLICY_LATEST)
        CHECK_EQ(last, 99);
    setup_close(&stream, &source, &ctx);
}

/* The last frame that was asked for is there: what the source says behind it does not matter, seen or not. */
static void limit_before_failure(void)
{
    const struct zcs_pattern_params pattern = {.format = ZCS_PIXFMT_GREY,
                                               .width = 32,
                                               .height = 16,
                                               .fps_num = 500,
                                               .fps_den = 1,
                                               .pace = 1,
                                               .inject = "gone=1"};
    const struct zcs_stream_params params = {.policy = ZCS_POLICY_LATEST, .frames = 1};
    zcs_context *ctx = setup_context(1, NULL);
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_source_open_pattern(ctx, &pattern, &source), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    sleep_ms(20);
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
    zcs_frame_unref(&frame);
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_EOF);
    setup_close(&stream, &source, &ctx);
}

static void refusals(void)
{
    int lines = 0;
    zcs_context *ctx = setup_context(1, &lines);
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_YUYV, 3, 0);
    zcs_stream *stream = NULL, *second = NULL;
    struct zcs_stream_params params = {.dispatch = (enum zcs_dispatch)4};
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_ERR_ARG);
    params = (struct zcs_stream_params){.devices = {1}, .device_count = 1};
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_ERR_UNSUPPORTED);
    params = (struct zcs_stream_params){.memory = ZCS_MEMORY_POLICY_WC};
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_ERR_UNSUPPORTED);
    params = (struct zcs_stream_params){.stages = "demosaic"};
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_ERR_FORMAT);
    params = (struct zcs_stream_params){.slots = 100000};
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_ERR_ARG);
    CHECK_EQ(zcs_stream_create(ctx, NULL, NULL, &stream), ZCS_ERR_ARG);
    CHECK_EQ(lines, 6);
    CHECK(stream == NULL);
    CHECK_EQ(zcs_stream_create(ctx, source, NULL, &stream), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, NULL, &second), ZCS_ERR_ARG);
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_source_next(source, 0, &frame), ZCS_ERR_ARG);
    zcs_stream_destroy(&stream);
    CHECK_EQ(zcs_stream_create(ctx, source, NULL, &stream), ZCS_OK);
    CHECK_EQ(expect_frame(stream), 0);
    zcs_stream_stop(stream);
    while (zcs_stream_next(stream, -1, &frame) == ZCS_OK)
        zcs_frame_unref(&frame);
    setup_close(&stream, &source, &ctx);
}

static zcs_status fails_third(void *user, const struct zcs_view *in, const struct zcs_view *out,
                              uint32_t first, uint32_t last)
{
    (void)in, (void)out, (void)last;
    return first == 0 && ++*(int *)user == 3 ? ZCS_ERR_ARG : ZCS_OK;
}

/* Two results come, then the failure, and it stays. */
static void failing_stage(void)
{
    int calls = 0, lines = 0;
    zcs_context *ctx = setup_context(1, &lines);
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_GREY, 9, 0);
    zcs_stream *stream = NULL;
    const struct zcs_custom_stage stage = {.name = "third", .host_fn = fails_third, .user = &calls};
    const struct zcs_stream_params params = {
        .stages = "third", .custom = &stage, .custom_count = 1, .in_flight = 1};
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    CHECK_EQ(expect_frame(stream), 0);
    CHECK_EQ(expect_frame(stream), 1);
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_ERR_DEVICE);
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_ERR_DEVICE);
    CHECK_EQ(lines, 1);
    struct zcs_stream_stats stats;
    zcs_stream_stats(stream, &stats);
    CHECK_EQ(stats.lost[ZCS_LOSS_ERROR], 1);
    CHECK_EQ(stats.captured, stats.processed + 1);
    setup_close(&stream, &source, &ctx);
}

struct tapped {
    const struct zcs_frame *kept[4];
    uint64_t count;
};

static void keep(void *user, const struct zcs_frame *captured)
{
    struct tapped *tapped = user;
    CHECK(captured->host != NULL && captured->route == ZCS_ROUTE_AUTO);
    CHECK_EQ(captured->image.format, ZCS_PIXFMT_SRGGB10P);
    CHECK_EQ(captured->sequence, 1 + 2 * tapped->count);
    if (tapped->count < 4)
        tapped->kept[tapped->count] = zcs_frame_ref(captured);
    tapped->count++;
}

/* Every frame that skip, every and frames let through, as captured; those kept do not stop the others. */
static void tap(void)
{
    struct tapped tapped = {.count = 0};
    zcs_context *ctx = setup_context(2, NULL);
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_SRGGB10P, 100, 0);
    zcs_stream *stream = NULL;
    const struct zcs_stream_params params = {.skip = 1,
                                             .every = 2,
                                             .frames = 20,
                                             .slots = 1,
                                             .tap = keep,
                                             .tap_user = &tapped,
                                             .tap_frames = 4};
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    for (uint64_t i = 0; i < 20; i++)
        CHECK_EQ(expect_frame(stream), 1 + 2 * i);
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_EOF);
    CHECK_EQ(tapped.count, 20);
    struct zcs_stream_stats stats;
    zcs_stream_stats(stream, &stats);
    CHECK_EQ(stats.slots, 5);
    setup_close(&stream, &source, &ctx);
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(tapped.kept[i]->sequence, 1 + 2 * i);
        zcs_frame_unref(&tapped.kept[i]);
    }
}

int main(void)
{
    tap();
    order_and_end(1, 1);
    order_and_end(4, 0);
    order_and_end(3, 7);
    low_latency_without_gpu(0);
    low_latency_without_gpu(1);
    low_latency_without_gpu(3);
    skip_every_limit();
    held_results();
    descriptor(0);
    descriptor(200);
    policy(ZCS_POLICY_WAIT);
    policy(ZCS_POLICY_DROP_NEWEST);
    policy(ZCS_POLICY_LATEST);
    limit_before_failure();
    refusals();
    failing_stage();
    return 0;
}
