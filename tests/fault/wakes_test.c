/* SPDX-License-Identifier: MIT */
/* What waking up costs a stream in system calls: nothing where nobody sleeps, on all threads together; no more than a
 * sleep's own where somebody does; and for the outside nothing until it asks for the descriptor, then what changes.
 * Whoever asks late misses nothing. */
#define _GNU_SOURCE /* ppoll */
#include <poll.h>
#include <stdatomic.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "fault/wrap.h"
#include "backend/backend.h"
#include "context/context.h"
#include "os/fork_guard.h"
#include "push_setup.h"
#include "stream_setup.h"

enum { WARM = 20, FRAMES = 500, LOOKS = 50 };

/* Of all threads since reset(); reads and epoll_ctl are among wrap.h's system calls. */
static struct {
    atomic_uint writes, sleeps, timers, pids;
} calls;

ssize_t __real_write(int fd, const void *data, size_t bytes);
ssize_t __wrap_write(int fd, const void *data, size_t bytes);
int __real_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                 const sigset_t *mask);
int __wrap_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                 const sigset_t *mask);
int __real_timerfd_settime(int fd, int flags, const struct itimerspec *when,
                           struct itimerspec *before);
int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *when,
                           struct itimerspec *before);
pid_t __real_getpid(void);
pid_t __wrap_getpid(void);

ssize_t __wrap_write(int fd, const void *data, size_t bytes)
{
    calls.writes++;
    return __real_write(fd, data, bytes);
}

int __wrap_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                 const sigset_t *mask)
{
    calls.sleeps++;
    return __real_ppoll(fds, count, timeout, mask);
}

int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *when,
                           struct itimerspec *before)
{
    calls.timers++;
    return __real_timerfd_settime(fd, flags, when, before);
}

pid_t __wrap_getpid(void)
{
    calls.pids++;
    return __real_getpid();
}

static void reset(void)
{
    wrap_reset();
    calls.writes = calls.sleeps = calls.timers = calls.pids = 0;
}

static void print(const char *what, unsigned frames)
{
    printf("%s: %u frames: %u writes, %u reads and epoll_ctls, %u ppolls, %u timers, %u getpids\n",
           what, frames, calls.writes, (unsigned)wrap_calls(WRAP_SYSTEM), calls.sleeps,
           calls.timers, calls.pids);
}

static int has_origin_page(void)
{
    struct zci_fork_guard fork_guard;
    zci_fork_guard_init(&fork_guard);
    const int has = fork_guard.page != NULL;
    zci_fork_guard_finish(&fork_guard);
    return has;
}

static void take(zcs_stream *stream, uint64_t sequence)
{
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
    CHECK_EQ(frame->sequence, sequence);
    zcs_frame_unref(&frame);
}

/* Frame contexts of the host's that announce nothing, as a GPU's. */
static struct {
    struct zci_backend_ops ops;
    const struct zci_backend_ops *real;
} front;

static zcs_status quiet_create(struct zci_backend *backend, const struct zci_group *group,
                               struct zci_notifier *notifier, int *failed_device,
                               struct zci_frame_ctx **out)
{
    (void)notifier;
    return front.real->frame_ctx_create(backend, group, NULL, failed_device, out);
}

static zcs_context *open_quiet(void)
{
    zcs_context *ctx = setup_context(1, NULL);
    front.real = ctx->backend->ops;
    front.ops = *front.real;
    front.ops.polled = 1;
    front.ops.frame_ctx_create = quiet_create;
    ctx->backend->ops = &front.ops;
    return ctx;
}

/* A frame in flight alone, pushed and taken on one thread, which spins: no system call at all for waking. */
static void alone(enum zcs_wait wait)
{
    zcs_context *ctx = open_quiet();
    zcs_source *source = push_open(ctx, 4);
    zcs_stream *stream = NULL;
    const struct zcs_stream_params params = {.in_flight = 1, .wait = wait};
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    for (uint64_t i = 0; i < WARM + FRAMES; i++) {
        if (i == WARM)
            reset();
        push_frame(source, i);
        take(stream, i);
    }
    print(wait == ZCS_WAIT_SPIN ? "alone, spins" : "alone, yields", FRAMES);
    CHECK(calls.writes == 0 && wrap_calls(WRAP_SYSTEM) == 0 && calls.sleeps == 0);
    CHECK_EQ(calls.timers, 0);
    CHECK(calls.pids == 0 || !has_origin_page());
    setup_close(&stream, &source, &ctx);
}

/* Several in flight, with workers that ring: no more than each sleep's own. */
static void asleep(void)
{
    zcs_context *ctx = setup_context(2, NULL);
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_YUYV, FRAMES, 0);
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_stream_create(ctx, source, NULL, &stream), ZCS_OK);
    reset();
    for (uint64_t i = 0; i < FRAMES; i++)
        take(stream, i);
    print("asleep", FRAMES);
    CHECK(calls.writes <= FRAMES); /* of completions alone, and of those while it sleeps */
    CHECK(wrap_calls(WRAP_SYSTEM) <= calls.sleeps + 1u);
    CHECK(calls.sleeps <= 2 * FRAMES);
    CHECK_EQ(calls.timers, 0);
    CHECK(calls.pids == 0 || !has_origin_page());
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_EOF);
    setup_close(&stream, &source, &ctx);
}

/* Nothing is due, so that no timer is ever set. */
static void without_timer(void)
{
    zcs_context *ctx = setup_context(1, NULL);
    zcs_source *source = push_open(ctx, 4);
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_stream_create(ctx, source, NULL, &stream), ZCS_OK);
    struct pollfd fd = {.fd = zcs_stream_fd(stream), .events = POLLIN};
    CHECK_EQ(poll(&fd, 1, 5000), 1);
    CHECK_EQ(zcs_stream_next(stream, 0, &frame), ZCS_AGAIN);
    reset();
    for (int i = 0; i < LOOKS; i++)
        CHECK_EQ(zcs_stream_next(stream, 0, &frame), ZCS_AGAIN);
    CHECK(calls.timers == 0 && calls.writes == 0 && wrap_calls(WRAP_SYSTEM) == 0);
    CHECK_EQ(poll(&fd, 1, 0), 0);
    CHECK_EQ(zcs_stream_fd(stream), fd.fd); /* asked again, it stays silent */
    CHECK_EQ(poll(&fd, 1, 0), 0);
    push_frame(source, 0);
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
    CHECK_EQ(calls.timers, 0);
    struct pollfd fd = {.fd = zcs_stream_fd(stream), .events = POLLIN};
    CHECK_EQ(poll(&fd, 1, 5000), 1);
    for (int i = 0; i < LOOKS; i++) {
        const zcs_status status = zcs_stream_next(stream, 0, &frame);
        CHECK(status >= 0);
        if (status == ZCS_OK)
            zcs_frame_unref(&frame);
    }
    print("paced", LOOKS);
    CHECK(calls.timers > 0 && calls.timers < LOOKS / 2);
    nanosleep(&while_due, NULL);
    CHECK_EQ(poll(&fd, 1, 0), 1);
    CHECK_EQ(poll(&fd, 1, 0), 1);
    setup_close(&stream, &source, &ctx);
}

/* A result is complete behind the one that was taken, and its ring was heard. */
static void late(void)
{
    zcs_context *ctx = setup_context(1, NULL);
    zcs_source *source = push_open(ctx, 4);
    zcs_stream *stream = NULL;
    const struct zcs_stream_params params = {.in_flight = 2};
    for (int i = 0; i < 100; i++) {
        const struct zcs_frame *frame = NULL;
        CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
        push_frame(source, 0);
        push_frame(source, 1);
        take(stream, 0);
        struct pollfd fd = {.fd = zcs_stream_fd(stream), .events = POLLIN};
        do
            CHECK_EQ(poll(&fd, 1, 5000), 1);
        while (zcs_stream_next(stream, 0, &frame) != ZCS_OK);
        CHECK_EQ(frame->sequence, 1);
        zcs_frame_unref(&frame);
        push_frame(source, 2); /* before anybody asks again */
        do
            CHECK_EQ(poll(&fd, 1, 5000), 1);
        while (zcs_stream_next(stream, 0, &frame) != ZCS_OK);
        zcs_frame_unref(&frame);
        zcs_stream_stop(stream);
        CHECK_EQ(poll(&fd, 1, 5000), 1);
        CHECK_EQ(zcs_stream_next(stream, 0, &frame), ZCS_EOF);
        CHECK_EQ(poll(&fd, 1, 5000), 1);
        zcs_stream_destroy(&stream);
    }
    setup_close(&stream, &source, &ctx);
}

int main(void)
{
    alarm(60);
    alone(ZCS_WAIT_SPIN);
    alone(ZCS_WAIT_YIELD);
    asleep();
    without_timer();
    paced();
    late();
    return 0;
}
