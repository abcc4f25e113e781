/* SPDX-License-Identifier: MIT */
/* Cameras that give no good frame: what is tried and in which order, what is said, and that waiting
 * costs nothing. */
#include "unit/v4l2_setup.h"

#define MONO V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC
#define GOOD(number)                                                                               \
    {                                                                                              \
        .sequence = (number), .bytes_used = SCRIPT_FULL, .flags = MONO, .seconds = 1               \
    }
#define STALL_NS 30000000

static void play(const struct script_frame *frames, uint32_t count)
{
    s.frames = frames;
    s.frame_count = count;
    s.endless = 0;
}

static uint64_t next_number(void)
{
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_source_next(source, 2000000000, &frame), ZCS_OK);
    const uint64_t number = frame->sequence;
    zcs_frame_unref(&frame);
    return number;
}

/* The status that ends it. */
static zcs_status last_status(void)
{
    const struct zcs_frame *frame = NULL;
    return zcs_source_next(source, -1, &frame);
}

static int64_t cpu_ns(void)
{
    struct timespec now;
    CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A camera that stops sending: one restart, then an error; not earlier, and without a hang. */
static void stalled(void)
{
    static const struct script_frame one[] = {GOOD(0)};
    script_init(&s);
    play(one, 1);
    set_up(&(struct zcs_v4l2_params){.stall_ns = STALL_NS});
    CHECK_EQ(next_number(), 0);
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_source_next(source, 10000000, &frame), ZCS_AGAIN);
    CHECK_EQ(s.stream_on_count, 1);
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_ERR_IO);
    CHECK_EQ(s.stream_on_count, 2);
    CHECK(script_logged(&log_text, "no frame comes any more: streaming is restarted"));
    CHECK(script_logged(&log_text, "given up"));
    tear_down();

    script_init(&s); /* it sends frames again */
    play(one, 1);
    set_up(&(struct zcs_v4l2_params){.stall_ns = STALL_NS});
    CHECK_EQ(next_number(), 0);
    CHECK_EQ(zcs_source_next(source, 40000000, &frame), ZCS_AGAIN);
    CHECK_EQ(s.stream_on_count, 2);
    s.endless = 1;
    s.sequence = 0;
    CHECK_EQ(next_number(), 1);
    tear_down();
}

/* A stream that polls the camera's descriptor wakes up for the watchdog. */
static void stalled_stream(void)
{
    static const struct script_frame two[] = {GOOD(0), GOOD(1)};
    script_init(&s);
    play(two, 2);
    set_up(&(struct zcs_v4l2_params){.stall_ns = STALL_NS});
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_stream_create(ctx, source, NULL, &stream), ZCS_OK);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
        CHECK_EQ(frame->path, ZCS_PATH_USERPTR);
        CHECK_EQ(frame->cpu_bytes_copied, 0);
        zcs_frame_unref(&frame);
    }
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_ERR_IO);
    zcs_stream_destroy(&stream);
    tear_down();
}

/* Before the first frame the camera need not have failed: the message says what else it may be. */
static void none_yet(void)
{
    script_init(&s);
    s.endless = 0;
    set_up(&(struct zcs_v4l2_params){.stall_ns = STALL_NS});
    CHECK_EQ(last_status(), ZCS_ERR_IO);
    CHECK(script_logged(&log_text, "no frame came yet, for 0.0 s"));
    CHECK(script_logged(&log_text, "--stall 0 waits without limit"));
    CHECK(script_logged(&log_text, "--fps"));
    CHECK(strstr(log_text.text, "any more") == NULL);
    CHECK(strstr(log_text.text, "exposure_time") == NULL);
    tear_down();

    script_init(&s);
    s.endless = 0;
    s.exposure = 100000;
    set_up(&(struct zcs_v4l2_params){.stall_ns = STALL_NS});
    CHECK_EQ(last_status(), ZCS_ERR_IO);
    CHECK(script_logged(&log_text, "its control exposure_time_absolute is 100000"));
    tear_down();
}

static const struct script_frame bad_frames[] = {
    {.flags = V4L2_BUF_FLAG_ERROR | MONO, .bytes_used = SCRIPT_FULL},
    {.flags = MONO, .bytes_used = 6143},
    {.flags = MONO, .bytes_used = 0},
    {.flags = MONO, .bytes_used = SCRIPT_FULL, .unwritten = 1},
    {.flags = MONO, .bytes_used = 100000},
};
#define BAD_FRAMES (sizeof bad_frames / sizeof bad_frames[0])

/* Bad frames only, as fast as buffers are queued: a restart, each kind of memory, and the end. */
static void only_bad(const struct script_frame *bad)
{
    script_init(&s);
    s.udmabuf = 1;
    s.bad = bad;
    s.bad_memories = 7;
    set_up(&(struct zcs_v4l2_params){.stall_ns = STALL_NS});
    const int64_t before_ns = cpu_ns();
    CHECK_EQ(last_status(), ZCS_ERR_IO);
    CHECK(SANITIZED || cpu_ns() - before_ns < 60000000);
    CHECK_EQ(s.stream_on_count, 4);
    CHECK(script_logged(&log_text, "no good frame came for 0.0 s, and "));
    CHECK(script_logged(&log_text, "streaming is restarted"));
    CHECK(script_logged(&log_text, "path dmabuf is tried after userptr"));
    CHECK(script_logged(&log_text, "path registered is tried after dmabuf"));
    CHECK(script_logged(&log_text, "given up"));
    CHECK(s.calls_made < 5000);
    tear_down();
    CHECK_EQ(s.mapped, 0);
}

/* The driver cannot write into memory of ours, and does not know. */
static void other_memory_helps(void)
{
    for (int streamed = 0; streamed < 2; streamed++) {
        const struct zcs_stream_params params = {.stages = "none"};
        const struct zcs_frame *frame = NULL;
        zcs_stream *stream = NULL;
        script_init(&s);
        s.udmabuf = 1;
        s.bad = &bad_frames[3];
        s.bad_memories = 2 | 4;
        set_up(&(struct zcs_v4l2_params){.stall_ns = STALL_NS});
        if (streamed)
            CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
        for (int i = 0; i < 20; i++) {
            CHECK_EQ(streamed ? zcs_stream_next(stream, -1, &frame)
                              : zcs_source_next(source, -1, &frame),
                     ZCS_OK);
            CHECK_EQ(frame->path, ZCS_PATH_REGISTERED);
            zcs_frame_unref(&frame);
        }
        CHECK_EQ(s.stream_on_count, 4);
        struct zcs_source_info info;
        zcs_source_info(source, &info);
        CHECK(strstr(info.path_reason, "userptr: streaming: no good frame came") != NULL);
        CHECK(info.lost[ZCS_LOSS_STALE] > 0);
        zcs_stream_destroy(&stream);
        tear_down();
        CHECK_EQ(s.mapped, 0);
    }
}

/* Only one path is allowed, or memory that has worked: no other is tried. */
static void no_other_memory(void)
{
    static const struct script_frame one[] = {GOOD(0)};
    for (int worked = 0; worked < 2; worked++) {
        script_init(&s);
        s.bad = &bad_frames[0];
        s.bad_memories = 7;
        if (worked)
            play(one, 1);
        s.endless = 1;
        set_up(&(struct zcs_v4l2_params){.stall_ns = STALL_NS,
                                         .path = worked ? ZCS_PATH_NONE : ZCS_PATH_USERPTR});
        if (worked)
            CHECK_EQ(next_number(), 0);
        CHECK_EQ(last_status(), ZCS_ERR_IO);
        CHECK_EQ(s.stream_on_count, 2);
        CHECK(script_logged(&log_text, "(the last: error), even after streaming was restarted"));
        CHECK(strstr(log_text.text, "is tried after") == NULL);
        tear_down();
    }
}

/* Good frames among bad ones feed the watchdog. */
static void some_good(void)
{
    static struct script_frame frames[400];
    for (uint32_t i = 0; i < 400; i++) {
        frames[i] = (struct script_frame)GOOD(i);
        frames[i].bytes_used = i % 100 == 99 ? SCRIPT_FULL : 17;
    }
    script_init(&s);
    play(frames, 400);
    set_up(&(struct zcs_v4l2_params){.stall_ns = 1000000000});
    for (uint64_t i = 0; i < 4; i++)
        CHECK_EQ(next_number(), 100 * i + 99);
    CHECK_EQ(s.stream_on_count, 1);
    tear_down();
}

/* With a wish to reconnect, a camera without good frames is waited for, and then given up. */
static void given_up_after_waiting(void)
{
    script_init(&s);
    s.bad = &bad_frames[1];
    s.bad_memories = 7;
    set_up(&(struct zcs_v4l2_params){.stall_ns = 10000000, .reconnect_ns = 300000000});
    CHECK_EQ(last_status(), ZCS_ERR_GONE);
    CHECK(script_logged(&log_text, "given up"));
    CHECK(script_logged(&log_text, "waiting for this camera to come back"));
    CHECK(script_logged(&log_text, "did not come back within 0.3 s"));
    tear_down();
}

/* poll and epoll report a frame, and DQBUF has none: a spurious wake-up, or another reader. */
static void spurious(int streamed)
{
    const struct zcs_stream_params params = {.stages = "none"};
    const struct zcs_frame *frame = NULL;
    zcs_stream *stream = NULL;
    script_init(&s);
    set_up(NULL);
    if (streamed)
        CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    else
        CHECK_EQ(next_number(), 0);
    s.faults[0] = (struct script_fault){VIDIOC_DQBUF, EAGAIN, -1};
    s.calls_made = 0;
    const int64_t before_ns = cpu_ns();
    for (int i = 0; i < 3; i++)
        CHECK_EQ(streamed ? zcs_stream_next(stream, 100000000, &frame)
                          : zcs_source_next(source, 100000000, &frame),
                 ZCS_AGAIN);
    CHECK(SANITIZED || cpu_ns() - before_ns < 30000000);
    CHECK(s.calls_made <= 150); /* two or three each 10 ms */
    s.faults[0].error = 0;
    CHECK_EQ(streamed ? zcs_stream_next(stream, 100000000, &frame)
                      : zcs_source_next(source, 100000000, &frame),
             ZCS_OK);
    zcs_frame_unref(&frame);
    zcs_stream_destroy(&stream);
    tear_down();
}

int main(void)
{
    stalled();
    stalled_stream();
    none_yet();
    for (size_t i = 0; i < BAD_FRAMES; i++)
        only_bad(&bad_frames[i]);
    other_memory_helps();
    no_other_memory();
    some_good();
    given_up_after_waiting();
    spurious(0);
    spurious(1);
    return 0;
}
