/* SPDX-License-Identifier: MIT */
/* No wake-up is lost between the threads around a stream: one pushes, one takes, one gives results back after the
 * application held them all; the taker sleeps in each of the ways, in the library or on the stream's descriptor. */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "push_setup.h"
#include "stream_setup.h"

#include "os/clock.h"
#include "backend/backend.h"
#include "context/context.h"

enum { FRAMES = SANITIZED ? 100 : 400, LONG_MS = 10000, RESULTS = 1, MAX_FRAME_CTXS = 4 };
#define SECOND_NS INT64_C(1000000000)

/* From nothing to some hundred microseconds, which is about what a frame takes. */
static void pause_a_little(uint64_t *seed)
{
    const uint64_t random = test_random(seed);
    const struct timespec pause = {.tv_nsec = (long)(random >> 8) % 200000};
    if (random % 3 == 0)
        nanosleep(&pause, NULL);
    else if (random % 3 == 1)
        sched_yield();
}

static void *push_all(void *argument)
{
    zcs_source *source = argument;
    uint64_t seed = 5;
    for (uint64_t i = 0; i < FRAMES; i++) {
        zcs_status status;
        pause_a_little(&seed);
        while ((status = push_try(source, i)) == ZCS_AGAIN)
            sched_yield();
        CHECK_EQ(status, ZCS_OK);
    }
    zcs_source_push_end(source);
    return NULL;
}

/* Results on their way back. */
static struct {
    pthread_mutex_t lock;
    const struct zcs_frame *frames[RESULTS + MAX_FRAME_CTXS];
    int count, over;
    sem_t handed;
    atomic_int held;      /* handed over and not given back yet */
    atomic_llong last_ns; /* when the last one was given back */
} back;

static const struct zcs_frame *next_back(void)
{
    const struct zcs_frame *frame = NULL;
    while (sem_wait(&back.handed) != 0)
        continue;
    pthread_mutex_lock(&back.lock);
    if (back.count > 0)
        frame = back.frames[--back.count];
    pthread_mutex_unlock(&back.lock);
    return frame;
}

static void *give_back(void *argument)
{
    const struct zcs_frame *frame;
    uint64_t seed = 6;
    (void)argument;
    while ((frame = next_back()) != NULL) {
        pause_a_little(&seed);
        zcs_frame_unref(&frame);
        atomic_store(&back.last_ns, zci_now_ns());
        atomic_fetch_sub(&back.held, 1);
    }
    return NULL;
}

static void hand_back(const struct zcs_frame *frame)
{
    atomic_fetch_add(&back.held, 1);
    pthread_mutex_lock(&back.lock);
    CHECK(back.count < RESULTS + MAX_FRAME_CTXS);
    back.frames[back.count++] = frame;
    pthread_mutex_unlock(&back.lock);
    CHECK_EQ(sem_post(&back.handed), 0);
}

/* A wait without end is over after a second where the application holds all results: that must not be the reason
 * long after they were given back. */
static void check_again(zcs_status status)
{
    if (status == ZCS_AGAIN && atomic_load(&back.held) == 0)
        CHECK(zci_now_ns() - atomic_load(&back.last_ns) < SECOND_NS / 2);
}

static zcs_status take(zcs_stream *stream, int outside, const struct zcs_frame **out)
{
    if (!outside)
        return zcs_stream_next(stream, -1, out);
    const zcs_status status = zcs_stream_next(stream, 0, out);
    struct pollfd fd = {.fd = zcs_stream_fd(stream), .events = POLLIN};
    if (status == ZCS_AGAIN)
        CHECK_EQ(poll(&fd, 1, LONG_MS), 1);
    return status;
}

/* The outside asks for the descriptor after the first `late` frames. */
static void run(zcs_context *ctx, enum zcs_wait wait, uint32_t in_flight, uint64_t late)
{
    const struct zcs_stream_params params = {
        .in_flight = in_flight, .wait = wait, .results = RESULTS};
    zcs_source *source = push_open(ctx, 2);
    zcs_stream *stream = NULL;
    pthread_t pusher, returner;
    zcs_status status;
    uint64_t taken = 0;
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    CHECK_EQ(pthread_create(&pusher, NULL, push_all, source), 0);
    CHECK_EQ(pthread_create(&returner, NULL, give_back, NULL), 0);
    do {
        const struct zcs_frame *frame = NULL;
        status = take(stream, taken >= late, &frame);
        if (taken < late)
            check_again(status);
        if (status == ZCS_OK) {
            CHECK_EQ(frame->sequence, taken++);
            hand_back(frame);
        }
    } while (status >= 0 && status != ZCS_EOF);
    CHECK(status == ZCS_EOF && taken == FRAMES);
    CHECK_EQ(pthread_join(pusher, NULL), 0);
    CHECK_EQ(sem_post(&back.handed), 0); /* nothing is behind it: over */
    CHECK_EQ(pthread_join(returner, NULL), 0);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
}

/* One thread polls the descriptor, another stops the stream; both keep to one at a time. */
static struct {
    pthread_mutex_t lock;
    zcs_stream *stream;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *stop_soon(void *argument)
{
    uint64_t seed = (uint64_t)(uintptr_t)argument + 11;
    for (int i = 0; i < 3; i++)
        pause_a_little(&seed);
    pthread_mutex_lock(&shared.lock);
    zcs_stream_stop(shared.stream);
    pthread_mutex_unlock(&shared.lock);
    return NULL;
}

static void stopped(zcs_context *ctx)
{
    for (uintptr_t round = 0; round < FRAMES / 4; round++) {
        zcs_source *source = push_open(ctx, 2);
        zcs_status status;
        pthread_t stopper;
        CHECK_EQ(zcs_stream_create(ctx, source, NULL, &shared.stream), ZCS_OK);
        struct pollfd fd = {.fd = zcs_stream_fd(shared.stream), .events = POLLIN};
        CHECK_EQ(pthread_create(&stopper, NULL, stop_soon, (void *)round), 0);
        do {
            const struct zcs_frame *frame = NULL;
            CHECK_EQ(poll(&fd, 1, LONG_MS), 1);
            pthread_mutex_lock(&shared.lock);
            status = zcs_stream_next(shared.stream, 0, &frame);
            pthread_mutex_unlock(&shared.lock);
        } while (status == ZCS_AGAIN);
        CHECK_EQ(status, ZCS_EOF);
        CHECK_EQ(pthread_join(stopper, NULL), 0);
        zcs_stream_destroy(&shared.stream);
        zcs_source_close(&source);
    }
}

/* While the taker sleeps: the header asks for one thread at a time, but those who do it all the same are not let
 * hang. */
static void *stop_sleeper(void *argument)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    nanosleep(&pause, NULL);
    zcs_stream_stop(argument);
    return NULL;
}

static void stopped_asleep(zcs_context *ctx)
{
    zcs_source *source = push_open(ctx, 2);
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    pthread_t stopper;
    CHECK_EQ(zcs_stream_create(ctx, source, NULL, &stream), ZCS_OK);
    CHECK_EQ(pthread_create(&stopper, NULL, stop_sleeper, stream), 0);
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_EOF);
    CHECK_EQ(pthread_join(stopper, NULL), 0);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
}

/* Without a stream. */
static void from_the_source(zcs_context *ctx)
{
    zcs_source *source = push_open(ctx, 2);
    const struct zcs_frame *frame = NULL;
    pthread_t pusher;
    CHECK_EQ(pthread_create(&pusher, NULL, push_all, source), 0);
    for (uint64_t i = 0; i < FRAMES; i++) {
        CHECK_EQ(zcs_source_next(source, 10 * SECOND_NS, &frame), ZCS_OK);
        CHECK_EQ(frame->sequence, i);
        zcs_frame_unref(&frame);
    }
    CHECK_EQ(zcs_source_next(source, 10 * SECOND_NS, &frame), ZCS_EOF);
    CHECK_EQ(pthread_join(pusher, NULL), 0);
    zcs_source_close(&source);
}

static void run_all(zcs_context *ctx)
{
    for (uint32_t in_flight = 1; in_flight <= MAX_FRAME_CTXS; in_flight++) {
        for (int wait = ZCS_WAIT_AUTO; wait <= ZCS_WAIT_BLOCK; wait++)
            run(ctx, (enum zcs_wait)wait, in_flight, UINT64_MAX);
        run(ctx, ZCS_WAIT_AUTO, in_flight, 0);
        run(ctx, ZCS_WAIT_AUTO, in_flight, FRAMES / 2);
    }
}

int main(void)
{
    alarm(120);
    CHECK_EQ(pthread_mutex_init(&back.lock, NULL), 0);
    CHECK_EQ(sem_init(&back.handed, 0, 0), 0);
    zcs_context *ctx = setup_context(2, NULL);
    run_all(ctx);
    stopped(ctx);
    if (!SANITIZED)
        stopped_asleep(ctx);
    from_the_source(ctx);
    struct zci_backend_ops polled =
        *ctx->backend->ops; /* as a GPU's: nobody is sure to wake the taker */
    const struct zci_backend_ops *real = ctx->backend->ops;
    polled.polled = 1;
    ctx->backend->ops = &polled;
    run_all(ctx);
    ctx->backend->ops = real;
    zcs_close(&ctx);
    return 0;
}
