/* SPDX-License-Identifier: MIT */
/* A source whose descriptor becomes another file while a stream sleeps on it, or between two sleeps: under another
 * number, the old one going to somebody else, or under the same one. The new one wakes the stream, the old one nobody. */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "os/clock.h"
#include "stream/stream.h"
#include "stream_setup.h"

#define LONG_NS INT64_C(5000000000)
#define LONG_MS 5000

enum move {
    STAY,
    ELSEWHERE,         /* the old number is another file's now, which says nothing */
    REPLACE,           /* the new file has the old number */
    REPLACE_KEEP_OPEN, /* the same, and something else keeps the old file open, as mapped buffers do */
};

struct moving {
    zcs_source head;
    int fd;
    int left;        /* the old number, or another one of the old file; -1: none */
    atomic_int move; /* what the next look does first */
    atomic_int moved;
    uint64_t sequence;
};

static int open_silent(void)
{
    const int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    CHECK(fd >= 0);
    return fd;
}

static void make_readable(int fd)
{
    const uint64_t one = 1;
    CHECK_EQ(write(fd, &one, sizeof one), (ssize_t)sizeof one);
}

static void put_at(int number)
{
    const int fd = open_silent();
    CHECK_EQ(dup2(fd, number), number);
    close(fd);
}

static void move(struct moving *moving, enum move how)
{
    const int old = moving->fd;
    if (how == ELSEWHERE)
        moving->fd = open_silent();
    if (how == REPLACE_KEEP_OPEN)
        CHECK((moving->left = dup(old)) >= 0);
    put_at(old);
    if (how == ELSEWHERE)
        moving->left = old;
    moving->head.fd_epoch++;
    atomic_store(&moving->moved, 1);
}

static zcs_status moving_next(zcs_source *source, int64_t timeout_ns, struct zci_slot **out)
{
    struct moving *moving = (struct moving *)source;
    uint64_t count = 0;
    (void)timeout_ns;
    const int says = read(moving->fd, &count, sizeof count) == (ssize_t)sizeof count;
    const enum move how = (enum move)atomic_exchange(&moving->move, STAY);
    if (how != STAY)
        move(moving, how);
    struct zci_slot *slot = how == STAY && says ? zci_pool_take(source->pool) : NULL;
    if (slot == NULL)
        return ZCS_AGAIN;
    slot->frame.image = source->image;
    slot->frame.sequence = moving->sequence++;
    slot->frame.captured_ns = zci_now_ns();
    *out = slot;
    return ZCS_OK;
}

static int moving_fd(const zcs_source *source)
{
    return ((const struct moving *)source)->fd;
}

static void moving_close(zcs_source *source)
{
    const struct moving *moving = (const struct moving *)source;
    close(moving->fd);
    if (moving->left >= 0)
        close(moving->left);
    free(source);
}

static struct moving *open_moving(zcs_context *ctx)
{
    static const struct zci_source_ops ops = {
        .kind = "moving", .next = moving_next, .fd = moving_fd, .close = moving_close};
    struct moving *moving = calloc(1, sizeof *moving);
    CHECK(moving != NULL);
    zci_source_init(&moving->head, &ops, ctx);
    CHECK_EQ(zcs_image_init(&moving->head.image, ZCS_PIXFMT_GREY, 32, 16, 0), ZCS_OK);
    moving->fd = open_silent();
    moving->left = -1;
    return moving;
}

struct bed {
    zcs_context *ctx;
    struct moving *moving;
    zcs_stream *stream;
    enum move while_asleep;
};

static void begin(struct bed *bed, enum move while_asleep)
{
    *bed = (struct bed){.ctx = setup_context(1, NULL), .while_asleep = while_asleep};
    bed->moving = open_moving(bed->ctx);
    CHECK_EQ(zcs_stream_create(bed->ctx, &bed->moving->head, NULL, &bed->stream), ZCS_OK);
}

static void end(struct bed *bed)
{
    zcs_source *source = &bed->moving->head;
    setup_close(&bed->stream, &source, &bed->ctx);
}

/* The next look at the source finds another descriptor instead of a frame. */
static void ask_to_move(struct moving *moving, enum move how)
{
    atomic_store(&moving->move, how);
    make_readable(moving->fd);
}

static void await_sleep(const zcs_stream *stream)
{
    while (atomic_load(&stream->waiter.notifier.waiters) == 0)
        sched_yield();
}

static void *wake(void *argument)
{
    const struct bed *bed = argument;
    await_sleep(bed->stream);
    if (bed->while_asleep != STAY) {
        ask_to_move(bed->moving, bed->while_asleep);
        while (!atomic_load(&bed->moving->moved))
            sched_yield();
        await_sleep(bed->stream);
    }
    make_readable(bed->moving->fd);
    return NULL;
}

static void sleep_in_library(struct bed *bed)
{
    const struct zcs_frame *frame = NULL;
    pthread_t thread;
    const int64_t began_ns = zci_now_ns();
    CHECK_EQ(pthread_create(&thread, NULL, wake, bed), 0);
    CHECK_EQ(zcs_stream_next(bed->stream, LONG_NS, &frame), ZCS_OK);
    CHECK(zci_now_ns() - began_ns < LONG_NS); /* else it is the last look that found it */
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK(atomic_load(&bed->moving->moved));
    zcs_frame_unref(&frame);
}

static void in_one_sleep(enum move how)
{
    struct bed bed;
    begin(&bed, how);
    sleep_in_library(&bed);
    end(&bed);
}

static void between_sleeps(enum move how)
{
    struct bed bed;
    const struct zcs_frame *none = NULL;
    begin(&bed, STAY);
    CHECK_EQ(zcs_stream_next(bed.stream, 1000000, &none), ZCS_AGAIN);
    ask_to_move(bed.moving, how);
    CHECK_EQ(zcs_stream_next(bed.stream, 0, &none), ZCS_AGAIN);
    sleep_in_library(&bed);
    end(&bed);
}

static int readable(const zcs_stream *stream, int ms)
{
    struct pollfd fd = {.fd = zcs_stream_fd(stream), .events = POLLIN};
    return poll(&fd, 1, ms);
}

static void outside(enum move how)
{
    struct bed bed;
    const struct zcs_frame *frame = NULL;
    zcs_status status;
    begin(&bed, STAY);
    CHECK_EQ(readable(bed.stream, 0), 1); /* the first time in any case */
    CHECK_EQ(zcs_stream_next(bed.stream, 0, &frame), ZCS_AGAIN);
    CHECK_EQ(readable(bed.stream, 0), 0);
    ask_to_move(bed.moving, how);
    CHECK_EQ(readable(bed.stream, 0), 1);
    CHECK_EQ(zcs_stream_next(bed.stream, 0, &frame), ZCS_AGAIN);
    CHECK(atomic_load(&bed.moving->moved));
    if (bed.moving->left >= 0)
        make_readable(bed.moving->left);
    CHECK_EQ(readable(bed.stream, 0), 0);
    make_readable(bed.moving->fd);
    CHECK_EQ(readable(bed.stream, 0), 1);
    while ((status = zcs_stream_next(bed.stream, 0, &frame)) == ZCS_AGAIN)
        CHECK_EQ(readable(bed.stream, LONG_MS), 1);
    CHECK_EQ(status, ZCS_OK);
    zcs_frame_unref(&frame);
    end(&bed);
}

int main(void)
{
    alarm(60);
    for (int how = ELSEWHERE; how <= REPLACE_KEEP_OPEN; how++) {
        in_one_sleep((enum move)how);
        between_sleeps((enum move)how);
        outside((enum move)how);
    }
    return 0;
}
