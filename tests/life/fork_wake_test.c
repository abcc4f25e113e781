/* SPDX-License-Identifier: MIT */
/* A forked child shares the descriptors that its parent sleeps on. Whatever it does with what it inherited, the parent
 * sleeps when there is nothing to do and wakes up when there is: in zcs_stream_next, and on the stream's descriptor. */
#include "push_setup.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "os/clock.h"
#include "zcstream/set.h"
#include "zcstream/zcstream.h"

enum { PUSHES = 4, FORKS = 200 };
#define MS INT64_C(1000000)
#define MAX_WAKES 20 /* of a poll where little happens */
#define QUIET_MS 40
#define LONG_MS 5000

static zcs_context *ctx;
static zcs_source *source;
static zcs_stream *stream;
static const struct zcs_frame *held;
static uint64_t pushed;

static void nap(int64_t ms)
{
    const struct timespec time = {.tv_nsec = (long)(ms * MS)};
    nanosleep(&time, NULL);
}

static void push(void)
{
    push_frame(source, pushed++);
}

static void take(void)
{
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_stream_next(stream, LONG_MS * MS, &frame), ZCS_OK);
    zcs_frame_unref(&frame);
}

static void open_stream(const struct zcs_stream_params *params)
{
    const struct zcs_params open = {.backend = ZCS_BACKEND_HOST, .host_threads = 1};
    pushed = 0;
    CHECK_EQ(zcs_open(&open, &ctx), ZCS_OK);
    source = push_open(ctx, 8);
    CHECK_EQ(zcs_stream_create(ctx, source, params, &stream), ZCS_OK);
}

static void close_stream(void)
{
    zcs_frame_unref(&held);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    zcs_close(&ctx);
}

/* Lets go of the frame, asks for another one (`asks`), and takes all down. */
static void fork_child(int asks)
{
    int status = 0;
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        const struct zcs_frame *frame = NULL;
        alarm(10);
        zcs_frame_unref(&held);
        while (asks && zcs_stream_next(stream, 100 * MS, &frame) == ZCS_OK)
            zcs_frame_unref(&frame);
        zcs_stream_destroy(&stream);
        zcs_source_close(&source);
        zcs_close(&ctx);
        _exit(0);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Polls the stream's descriptor: so many frames come, and then nothing for a while. */
static void watch(int wanted)
{
    struct pollfd fd = {.fd = zcs_stream_fd(stream), .events = POLLIN};
    int64_t end_ns = zci_now_ns() + (wanted > 0 ? LONG_MS : QUIET_MS) * MS;
    const struct zcs_frame *frame = NULL;
    int wakes = 0, frames = 0;
    while (zci_left_ns(end_ns) > 0) {
        if (poll(&fd, 1, (int)(zci_left_ns(end_ns) / MS) + 1) != 1)
            continue;
        wakes++;
        CHECK(wakes <= MAX_WAKES);
        if (zcs_stream_next(stream, 0, &frame) != ZCS_OK)
            continue;
        zcs_frame_unref(&frame);
        if (++frames == wanted)
            end_ns = zci_now_ns() + QUIET_MS * MS;
    }
    CHECK_EQ(frames, wanted);
}

static void watched(int asks)
{
    const struct zcs_stream_params params = {.results = 3};
    open_stream(&params);
    push();
    CHECK_EQ(zcs_stream_next(stream, -1, &held), ZCS_OK);
    watch(0);
    if (asks)
        push();
    fork_child(asks);
    watch(asks);
    for (int i = 0; i < PUSHES; i++) {
        push();
        watch(1);
    }
    close_stream();
}

/* What the parent was told, and has not heard yet, the child leaves for it. */
static void told(void)
{
    const struct zcs_stream_params params = {.results = 3};
    open_stream(&params);
    push();
    CHECK_EQ(zcs_stream_next(stream, -1, &held), ZCS_OK);
    struct pollfd fd = {.fd = zcs_stream_fd(stream), .events = POLLIN};
    watch(0);
    CHECK_EQ(poll(&fd, 1, 0), 0);
    zcs_frame_unref(&held);
    CHECK_EQ(poll(&fd, 1, 0), 1);
    fork_child(1);
    CHECK_EQ(poll(&fd, 1, 0), 1);
    close_stream();
}

static void *fork_later(void *user)
{
    nap(30);
    fork_child(0);
    nap(100);
    push();
    return user;
}

static int64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000 * MS + now.tv_nsec;
}

/* Asleep while another thread forks. */
static void asleep(void)
{
    const struct zcs_stream_params params = {.results = 3};
    const struct zcs_frame *frame = NULL;
    pthread_t other;
    open_stream(&params);
    push();
    CHECK_EQ(zcs_stream_next(stream, -1, &held), ZCS_OK);
    CHECK_EQ(pthread_create(&other, NULL, fork_later, NULL), 0);
    const int64_t begin_ns = cpu_ns();
    take();
    for (int i = 0; i < PUSHES; i++)
        CHECK_EQ(zcs_stream_next(stream, 20 * MS, &frame), ZCS_AGAIN);
    CHECK(cpu_ns() - begin_ns < 60 * MS); /* of 200 and more that it slept */
    CHECK_EQ(pthread_join(other, NULL), 0);
    close_stream();
}

static void *push_later(void *user)
{
    nap(30);
    push();
    return user;
}

/* The child asks for a frame after a sleep of the parent's. */
static void asked(void)
{
    const struct zcs_stream_params params = {.in_flight = 1};
    pthread_t other;
    open_stream(&params);
    for (int i = 0; i < PUSHES; i++) {
        CHECK_EQ(pthread_create(&other, NULL, push_later, NULL), 0);
        take();
        CHECK_EQ(pthread_join(other, NULL), 0);
        if (i == 0)
            fork_child(1);
    }
    close_stream();
}

static atomic_int stop;

static void *push_always(void *user)
{
    while (!atomic_load(&stop)) {
        const zcs_status status = push_try(source, 0);
        CHECK(status == ZCS_OK || status == ZCS_AGAIN);
    }
    return user;
}

/* Who pushed when the child was forked never ends that in it. */
static void forked_while_pushing(void)
{
    pthread_t other;
    open_stream(NULL);
    atomic_store(&stop, 0);
    CHECK_EQ(pthread_create(&other, NULL, push_always, NULL), 0);
    for (int i = 0; i < FORKS; i++) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0) {
            alarm(5);
            zcs_stream_destroy(&stream);
            _exit(0);
        }
        CHECK_EQ(waitpid(child, &status, 0), child);
        CHECK(WIFEXITED(status));
    }
    atomic_store(&stop, 1);
    CHECK_EQ(pthread_join(other, NULL), 0);
    close_stream();
}

/* The last frame waits for a result that the application holds: nothing to do, for the descriptor and for a set. */
static void all_held(void)
{
    const struct zcs_stream_params params = {
        .results = 1, .in_flight = 1, .policy = ZCS_POLICY_LATEST};
    const struct zcs_frame *frames[PUSHES];
    struct zcs_set_event event;
    zcs_set *set = NULL;
    uint32_t member, count = 0;
    open_stream(&params);
    for (int i = 0; i < PUSHES; i++) {
        push();
        count += zcs_stream_next(stream, 200 * MS, &frames[count]) == ZCS_OK;
    }
    CHECK(count > 0 && count < PUSHES);
    zcs_source_push_end(source);
    watch(0);
    CHECK_EQ(zcs_set_create(ctx, NULL, &set), ZCS_OK);
    CHECK_EQ(zcs_set_add(set, stream, &member), ZCS_OK);
    const int64_t begin_ns = zci_now_ns();
    CHECK_EQ(zcs_set_next(set, 50 * MS, &event), ZCS_AGAIN);
    CHECK(zci_now_ns() - begin_ns < 2000 * MS);
    for (uint32_t i = 0; i < count; i++)
        zcs_frame_unref(&frames[i]);
    CHECK_EQ(zcs_set_next(set, 1000 * MS, &event), ZCS_OK);
    zcs_frame_unref(&event.frame);
    zcs_set_destroy(&set);
    close_stream();
}

int main(void)
{
    alarm(60);
    watched(0);
    watched(1);
    told();
    asleep();
    asked();
    forked_while_pushing();
    all_held();
    return 0;
}
