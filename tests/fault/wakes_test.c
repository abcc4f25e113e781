/* SPDX-License-Identifier: MIT */
/* What a stream costs the application's thread in wake-ups: nothing for the outside until that has asked for the
 * descriptor, then no more than changes. Whoever asks late misses nothing. */
#include <poll.h>
#include <pthread.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "stream_setup.h"

enum { FRAMES = 300, LOOKS = 50 };

static pthread_t own; /* whose calls count */
static uint64_t writes, timers;

ssize_t __real_write(int fd, const void *data, size_t bytes);
ssize_t __wrap_write(int fd, const void *data, size_t bytes);
int __real_timerfd_settime(int fd, int flags, const struct itimerspec *when,
                           struct itimerspec *before);
int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *when,
                           struct itimerspec *before);

ssize_t __wrap_write(int fd, const void *data, size_t bytes)
{
    if (pthread_equal(pthread_self(), own) && bytes == sizeof(uint64_t))
        writes++;
    return __real_write(fd, data, bytes);
}

int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *when,
                           struct itimerspec *before)
{
    if (pthread_equal(pthread_self(), own))
        timers++;
    return __real_timerfd_settime(fd, flags, when, before);
}

static void reset(void)
{
    writes = timers = 0;
}

static void take(zcs_stream *stream, uint64_t sequence)
{
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
    CHECK_EQ(frame->sequence, sequence);
    zcs_frame_unref(&frame);
}

/* A slot and a result come home from each frame; nothing else is announced. */
static void unwatched(void)
{
    zcs_context *ctx = setup_context(2, NULL);
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_YUYV, FRAMES, 0);
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    reset();
    CHECK_EQ(zcs_stream_create(ctx, source, NULL, &stream), ZCS_OK);
    for (uint64_t i = 0; i < FRAMES; i++)
        take(stream, i);
    printf("not watched: %d frames, %d writes, %d timers\n", FRAMES, (int)writes, (int)timers);
    CHECK_EQ(writes, 2 * FRAMES);
    CHECK_EQ(timers, 0);
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_EOF);
    setup_close(&stream, &source, &ctx);
}

static zcs_source *open_push(zcs_context *ctx)
{
    zcs_source *source = NULL;
    struct zcs_push_params params = {.queue = 4};
    CHECK_EQ(zcs_image_init(&params.image, ZCS_PIXFMT_GREY, 32, 16, 0), ZCS_OK);
    CHECK_EQ(zcs_source_open_push(ctx, &params, &source), ZCS_OK);
    return source;
}

/* Nothing is due, so that no timer is ever set. */
static void without_timer(void)
{
    static uint8_t memory[32 * 16];
    const struct zcs_push_meta meta = {0};
    zcs_context *ctx = setup_context(1, NULL);
    zcs_source *source = open_push(ctx);
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_stream_create(ctx, source, NULL, &stream), ZCS_OK);
    struct pollfd fd = {.fd = zcs_stream_fd(stream), .events = POLLIN};
    CHECK_EQ(poll(&fd, 1, 5000), 1);
    reset();
    for (int i = 0; i < LOOKS; i++)
        CHECK_EQ(zcs_stream_next(stream, 0, &frame), ZCS_AGAIN);
    CHECK(timers == 0 && writes == 0);
    CHECK_EQ(poll(&fd, 1, 0), 0);
    CHECK_EQ(zcs_stream_fd(stream), fd.fd); /* asked again, it stays silent */
    CHECK_EQ(poll(&fd, 1, 0), 0);
    CHECK_EQ(zcs_source_push(source, memory, &meta, NULL, NULL), ZCS_OK);
    CHECK_EQ(poll(&fd, 1, 5000), 1);
    take(stream, 0);
    setup_close(&stream, &source, &ctx);
}

/* The timer is set where the due time is another, and stays over until then. */
static void paced(void)
{
    const struct timespec while_due = {.tv_nsec = 300000000};
    zcs_context *ctx = setup_context(1, NULL);
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_GREY, 0, 4);
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_stream_create(ctx, source, NULL, &stream), ZCS_OK);
    reset();
    take(stream, 0);
    CHECK_EQ(timers, 0);
    struct pollfd fd = {.fd = zcs_stream_fd(stream), .events = POLLIN};
    CHECK_EQ(poll(&fd, 1, 5000), 1);
    for (int i = 0; i < LOOKS; i++) {
        const zcs_status status = zcs_stream_next(stream, 0, &frame);
        CHECK(status >= 0);
        if (status == ZCS_OK)
            zcs_frame_unref(&frame);
    }
    printf("paced: %d looks, %d timers\n", LOOKS, (int)timers);
    CHECK(timers > 0 && timers < LOOKS / 2);
    nanosleep(&while_due, NULL);
    CHECK_EQ(poll(&fd, 1, 0), 1);
    CHECK_EQ(poll(&fd, 1, 0), 1);
    setup_close(&stream, &source, &ctx);
}

/* A result is complete behind the one that was taken, and all its announcements were heard. */
static void late(void)
{
    static uint8_t memory[2][32 * 16];
    zcs_context *ctx = setup_context(1, NULL);
    zcs_source *source = open_push(ctx);
    zcs_stream *stream = NULL;
    const struct zcs_stream_params params = {.in_flight = 2};
    for (int i = 0; i < 200; i++) {
        const struct zcs_push_meta first = {.sequence = 0}, second = {.sequence = 1};
        CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
        CHECK_EQ(zcs_source_push(source, memory[0], &first, NULL, NULL), ZCS_OK);
        CHECK_EQ(zcs_source_push(source, memory[1], &second, NULL, NULL), ZCS_OK);
        take(stream, 0);
        struct pollfd fd = {.fd = zcs_stream_fd(stream), .events = POLLIN};
        const struct zcs_frame *frame = NULL;
        while (zcs_stream_next(stream, 0, &frame) != ZCS_OK)
            CHECK_EQ(poll(&fd, 1, 5000), 1);
        CHECK_EQ(frame->sequence, 1);
        zcs_frame_unref(&frame);
        zcs_stream_stop(stream);
        CHECK_EQ(poll(&fd, 1, 5000), 1);
        CHECK_EQ(zcs_stream_next(stream, 0, &frame), ZCS_EOF);
        zcs_stream_destroy(&stream);
    }
    setup_close(&stream, &source, &ctx);
}

int main(void)
{
    own = pthread_self();
    alarm(60);
    unwatched();
    without_timer();
    paced();
    late();
    return 0;
}
