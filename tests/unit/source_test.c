/* SPDX-License-Identifier: MIT */
/* What all sources share: timestamps and pace, the head, refused arguments, cameras that do not
 * exist. */
#include "source_setup.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "os/clock.h"
#include "source/pace.h"
#include "source/source.h"

#define MS INT64_C(1000000)

static struct setup_lines lines;

/* floor(n * 10^9 * den / num), computed with integers of any size. */
static void test_time(void)
{
    const struct {
        uint32_t num, den;
        uint64_t n;
        int64_t time_ns;
    } cases[] = {
        {30000, 1001, 1, 33366666},
        {30000, 1001, 2, 66733333},
        {30000, 1001, 3, 100100000},
        {30000, 1001, 1000000007, INT64_C(33366666900233333)},
        {30000, 1001, 100000000000, INT64_C(3336666666666666666)},
        {UINT32_MAX, 4294967291, 8589934597, INT64_C(8589934588999999993)},
        {1, UINT32_MAX, 2, INT64_C(8589934590000000000)},
        {UINT32_MAX, 1, UINT64_MAX, INT64_C(4294967297000000000)},
        {1, UINT32_MAX, 3, INT64_MAX},
        {120, 1, (UINT64_C(1) << 63) + 11, INT64_MAX},
        {25, 1, UINT64_C(1) << 60, INT64_MAX},
        {0, 0, 1000, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct zci_pace pace = {.fps_num = cases[i].num, .fps_den = cases[i].den};
        CHECK_EQ(zci_pace_time_ns(&pace, cases[i].n), cases[i].time_ns);
        const struct zci_pace late = {cases[i].num, cases[i].den, 1, 1, INT64_MAX / 2};
        CHECK(zci_pace_due_ns(&late, cases[i].time_ns) >= cases[i].time_ns);
    }
}

static zcs_source *open_pattern(zcs_context *ctx, uint32_t fps, int pace, uint64_t frames)
{
    const struct zcs_pattern_params params = {.width = 64,
                                              .height = 48,
                                              .fps_num = fps,
                                              .fps_den = fps != 0,
                                              .pace = pace,
                                              .frames = frames};
    zcs_source *source = NULL;
    CHECK_EQ(zcs_source_open_pattern(ctx, &params, &source), ZCS_OK);
    return source;
}

static uint64_t take(zcs_source *source, int64_t timeout_ns, zcs_status want)
{
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_source_next(source, timeout_ns, &frame), want);
    const uint64_t sequence = frame ? frame->sequence : UINT64_MAX;
    zcs_frame_unref(&frame);
    return sequence;
}

static void test_unpaced(zcs_context *ctx)
{
    zcs_source *source = open_pattern(ctx, 10, 0, 3);
    const struct zcs_frame *frame = NULL;
    struct zcs_source_info info;
    const int64_t start = zci_now_ns();
    for (int n = 0; n < 3; n++) {
        CHECK_EQ(zcs_source_next(source, 0, &frame), ZCS_OK);
        CHECK(frame->time_ns == n * 100 * MS && frame->clock == ZCS_CLOCK_MEDIA);
        CHECK(frame->path == ZCS_PATH_PATTERN && frame->captured_ns >= start);
        zcs_frame_unref(&frame);
    }
    take(source, -1, ZCS_EOF);
    zcs_source_info(source, &info);
    CHECK(info.frames == 3 && info.fps_num == 10 && info.fps_den == 1 && info.live == 0);
    CHECK(info.path == ZCS_PATH_PATTERN && strcmp(info.kind, "pattern") == 0);
    zcs_source_close(&source);
    source = open_pattern(ctx, 0, 0, 0);
    CHECK_EQ(zcs_source_next(source, 0, &frame), ZCS_OK);
    CHECK(frame->time_ns == 0 && frame->clock == ZCS_CLOCK_NONE);
    zcs_frame_unref(&frame);
    zcs_source_close(&source);
}

static void test_paced(zcs_context *ctx)
{
    zcs_source *source = open_pattern(ctx, 50, 1, 100);
    struct zcs_source_info info;
    zcs_source_info(source, &info);
    CHECK_EQ(info.live, 1);
    CHECK_EQ(source->ops->due_ns(source), 0);
    CHECK_EQ(source->ops->skip(source, 10), 10); /* skipped frames do not make the source late */
    const int64_t start = zci_now_ns();
    CHECK_EQ(take(source, 0, ZCS_OK), 10);
    CHECK(source->ops->due_ns(source) > start);
    take(source, 0, ZCS_AGAIN);
    take(source, 3 * MS, ZCS_AGAIN);
    CHECK_EQ(take(source, -1, ZCS_OK), 11);
    CHECK_EQ(take(source, -1, ZCS_OK), 12);
    CHECK(zci_now_ns() - start >= 40 * MS);
    /* A late reader gets the frames that were due at once and in order. */
    const struct timespec late = {.tv_nsec = 70 * MS};
    nanosleep(&late, NULL);
    for (uint64_t n = 13; n < 16; n++)
        CHECK_EQ(take(source, 0, ZCS_OK), n);
    CHECK_EQ(source->ops->skip(source, 1000), 100 - 16);
    take(source, 0, ZCS_EOF);
    CHECK_EQ(source->ops->due_ns(source), 0);
    zcs_source_close(&source);
}

static void on_alarm(int number)
{
    (void)number;
}

static void test_signal(zcs_context *ctx)
{
    const struct sigaction action = {.sa_handler = on_alarm};
    const struct itimerval timer = {.it_value = {.tv_usec = 10000}};
    zcs_source *source = open_pattern(ctx, 1, 1, 0);
    take(source, -1, ZCS_OK);
    CHECK(sigaction(SIGALRM, &action, NULL) == 0 && setitimer(ITIMER_REAL, &timer, NULL) == 0);
    const int64_t start = zci_now_ns();
    take(source, -1, ZCS_AGAIN); /* not after a second */
    CHECK(zci_now_ns() - start < 900 * MS);
    zcs_source_close(&source);
}

static void test_head(zcs_context *ctx)
{
    zcs_source *source = open_pattern(ctx, 0, 0, 0);
    const struct zcs_frame *frame = NULL;
    source->has_stream = 1;
    CHECK_EQ(zcs_source_next(source, 0, &frame), ZCS_ERR_ARG);
    CHECK_LINE(&lines, "a stream takes the frames of this pattern source");
    source->has_stream = 0;
    CHECK_EQ(zcs_source_next(NULL, 0, &frame), ZCS_ERR_ARG);
    CHECK_EQ(zcs_source_next(source, 0, NULL), ZCS_ERR_ARG);
    CHECK(source->pool == NULL);
    take(source, 0, ZCS_OK);
    CHECK_EQ(zci_pool_count(source->pool), 8);
    CHECK_EQ(zcs_source_push(source, &frame, &(struct zcs_push_meta){0}, NULL, NULL), ZCS_ERR_ARG);
    CHECK_LINE(&lines, "a pattern source takes no pushed frames");
    zcs_source_push_end(source);
    zcs_source_close(&source);
    CHECK(source == NULL);
    zcs_source_close(&source);
}

static void test_arguments(zcs_context *ctx)
{
    zcs_source *source = NULL;
    const struct zcs_replay_params replay = {.path = "/"};
    const struct zcs_replay_params no_path = {0};
    const struct zcs_v4l2_params camera = {.device = "/dev/video4711"};
    CHECK_EQ(zcs_source_open_replay(NULL, &replay, &source), ZCS_ERR_ARG);
    CHECK_EQ(zcs_source_open_replay(ctx, NULL, &source), ZCS_ERR_ARG);
    CHECK_EQ(zcs_source_open_replay(ctx, &no_path, &source), ZCS_ERR_ARG);
    CHECK_EQ(zcs_source_open_replay(ctx, &replay, NULL), ZCS_ERR_ARG);
    CHECK_EQ(zcs_source_open_pattern(ctx, NULL, &source), ZCS_ERR_ARG);
    CHECK_EQ(zcs_source_open_push(ctx, NULL, &source), ZCS_ERR_ARG);
    CHECK_EQ(zcs_source_open_v4l2(ctx, NULL, &source), ZCS_ERR_ARG);
    CHECK_EQ(lines.count, 6); /* the first has no context to log to */
    setup_forget(&lines);
    /* With and without V4L2 in the build, there is no such camera. */
    CHECK(zcs_source_open_v4l2(ctx, &camera, &source) < 0);
    CHECK_LINE(&lines, "/dev/video4711: ");
    CHECK(source == NULL);
}

int main(void)
{
    zcs_context *ctx = setup_context(&lines);
    test_time();
    test_unpaced(ctx);
    test_paced(ctx);
    test_signal(ctx);
    test_head(ctx);
    test_arguments(ctx);
    zcs_close(&ctx);
    return 0;
}
