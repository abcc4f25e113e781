/* SPDX-License-Identifier: MIT */
/* Waiting costs nothing: no stream spins while there is nothing to do, and none waits for ever on what only
 * the application can give back. */
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "push_setup.h"
#include "stream_setup.h"

#define WAIT_NS 300000000
#define MAX_CPU_NS 60000000

static int64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void waits_idly(zcs_stream *stream)
{
    const struct zcs_frame *frame = NULL;
    const int64_t before = cpu_ns();
    CHECK_EQ(zcs_stream_next(stream, WAIT_NS, &frame), ZCS_AGAIN);
    CHECK(cpu_ns() - before < MAX_CPU_NS);
}

/* The descriptor stays silent: at most a few reports in a while. */
static void silent(zcs_stream *stream)
{
    struct pollfd fd = {.fd = zcs_stream_fd(stream), .events = POLLIN};
    const struct zcs_frame *frame = NULL;
    int reports = 0;
    for (int i = 0; i < 30 && reports < 30; i++)
        if (poll(&fd, 1, 10) > 0) {
            reports++;
            CHECK_EQ(zcs_stream_next(stream, 0, &frame), ZCS_AGAIN);
        }
    CHECK(reports < 5);
}

static void empty_push(void)
{
    zcs_context *ctx = setup_context(1, NULL);
    zcs_source *source = push_open(ctx, 8);
    zcs_stream *stream = NULL;
    CHECK_EQ(zcs_stream_create(ctx, source, NULL, &stream), ZCS_OK);
    waits_idly(stream);
    silent(stream);
    setup_close(&stream, &source, &ctx);
}

/* Frames wait, but the one slot is held by the frame that the application holds, or by a pending one. */
static void starved(enum zcs_policy policy)
{
    zcs_context *ctx = setup_context(1, NULL);
    zcs_source *source = push_open(ctx, 8);
    zcs_stream *stream = NULL;
    const struct zcs_stream_params params = {
        .slots = 1, .results = 1, .in_flight = 1, .policy = policy};
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    const struct zcs_frame *held[2] = {NULL};
    for (int i = 0; i < 6; i++)
        push_frame(source, 0);
    CHECK_EQ(zcs_stream_next(stream, -1, &held[0]), ZCS_OK);
    CHECK_EQ(zcs_stream_next(stream, -1, &held[1]), ZCS_OK);
    waits_idly(stream);
    silent(stream);
    zcs_frame_unref(&held[0]);
    CHECK_EQ(zcs_stream_next(stream, -1, &held[0]), ZCS_OK);
    zcs_frame_unref(&held[0]);
    zcs_frame_unref(&held[1]);
    setup_close(&stream, &source, &ctx);
}

/* An endless wait of an application that holds all results ends, whatever frames come meanwhile. */
static void all_held(enum zcs_policy policy)
{
    zcs_context *ctx = setup_context(1, NULL);
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_GREY, 0, 50);
    zcs_stream *stream = NULL;
    const struct zcs_stream_params params = {.results = 1, .in_flight = 1, .policy = policy};
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    const struct zcs_frame *held[3] = {NULL};
    CHECK_EQ(zcs_stream_next(stream, -1, &held[0]), ZCS_OK);
    CHECK_EQ(zcs_stream_next(stream, -1, &held[1]), ZCS_OK);
    CHECK_EQ(zcs_stream_next(stream, -1, &held[2]), ZCS_AGAIN);
    zcs_frame_unref(&held[0]);
    zcs_frame_unref(&held[1]);
    setup_close(&stream, &source, &ctx);
}

/* A fifo that says nothing, then goes away while the only result is held. */
static void late_pipe(int pace)
{
    char folder[] = "/tmp/zcs-idle-XXXXXX", path[64];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/fifo", folder);
    CHECK_EQ(mkfifo(path, 0600), 0);
    const int writer = open(path, O_RDWR);
    CHECK(writer >= 0);
    zcs_context *ctx = setup_context(1, NULL);
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    const struct zcs_replay_params replay = {.path = path,
                                             .format = ZCS_PIXFMT_GREY,
                                             .width = 10,
                                             .height = 10,
                                             .fps_num = 30,
                                             .fps_den = 1,
                                             .pace = pace};
    const struct zcs_stream_params params = {.results = 1, .in_flight = 1};
    const uint8_t pixels[300] = {0};
    CHECK_EQ(zcs_source_open_replay(ctx, &replay, &source), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    waits_idly(stream);
    silent(stream);
    CHECK_EQ(write(writer, pixels, sizeof pixels), sizeof pixels);
    const struct zcs_frame *held[2] = {NULL};
    CHECK_EQ(zcs_stream_next(stream, -1, &held[0]), ZCS_OK);
    CHECK_EQ(zcs_stream_next(stream, -1, &held[1]), ZCS_OK);
    close(writer);
    waits_idly(stream);
    silent(stream);
    zcs_frame_unref(&held[0]);
    CHECK_EQ(zcs_stream_next(stream, -1, &held[0]), ZCS_OK);
    zcs_frame_unref(&held[0]);
    zcs_frame_unref(&held[1]);
    CHECK_EQ(zcs_stream_next(stream, -1, &held[0]), ZCS_EOF);
    setup_close(&stream, &source, &ctx);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    empty_push();
    starved(ZCS_POLICY_WAIT);
    starved(ZCS_POLICY_LATEST);
    all_held(ZCS_POLICY_WAIT);
    all_held(ZCS_POLICY_DROP_NEWEST);
    all_held(ZCS_POLICY_LATEST);
    late_pipe(0);
    late_pipe(1);
    return 0;
}
