/* SPDX-License-Identifier: MIT */
/* The push source: frames that another thread of the caller pushes, delivered without a copy. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "os/clock.h"
#include "core/color.h"
#include "os/fork_guard.h"
#include "context/context.h"
#include "source/source.h"
#include "source/wait.h"

#define QUEUE_DEFAULT 4

struct pushed {
    void *memory;
    struct zcs_push_meta meta;
    zcs_release_fn release;
    void *user;
    int64_t captured_ns;
    void *use; /* the backend's handle; NULL: none */
};

/* event_fd is readable when `next` has something to do: a frame waits, or the source has ended.
 * This is kept up to date only while somebody polls event_fd, because most callers never do. */
struct push {
    struct zcs_source head;
    pthread_mutex_t mutex; /* guards what follows */
    int has_mutex;
    int event_fd;
    int watched;  /* somebody polls event_fd */
    int readable; /* event_fd is */
    struct pushed *ring;
    size_t capacity, first, count;
    uint64_t short_frames;
    int ended;
    struct zci_fork_guard fork_guard; /* forked children share event_fd and must not use it */
};

static void unuse(struct push *push, const struct pushed *frame)
{
    zci_frame_memory_unuse(push->head.backend, frame->use);
}

static void release_pushed(const struct pushed *frame)
{
    if (frame->release != NULL)
        frame->release(frame->user, frame->memory);
}

/* Called under the mutex after each change of `count` and `ended`. It does not block. */
static void update_event(struct push *push)
{
    uint64_t one = 1;
    const int ready = push->count > 0 || push->ended;
    if (!push->watched || push->readable == ready ||
        !zci_fork_guard_same_process(&push->fork_guard))
        return;
    const ssize_t moved =
        ready ? write(push->event_fd, &one, sizeof one) : read(push->event_fd, &one, sizeof one);
    push->readable = ready && moved > 0;
}

static void push_watch_fd(zcs_source *source, int watched)
{
    struct push *push = (struct push *)source;
    if (!zci_fork_guard_same_process(&push->fork_guard))
        return; /* the thread that held the mutex at the fork does not exist here */
    pthread_mutex_lock(&push->mutex);
    push->watched = watched;
    update_event(push);
    pthread_mutex_unlock(&push->mutex);
}

static void fill(struct push *push, const struct pushed *pushed, struct zci_slot *slot)
{
    struct zcs_frame *frame = &slot->frame;
    frame->image = push->head.image;
    frame->host = pushed->memory;
    frame->device_data = pushed->memory;
    frame->sequence = pushed->meta.sequence;
    frame->time_ns = pushed->meta.time_ns;
    frame->clock = pushed->meta.clock;
    frame->captured_ns = pushed->captured_ns;
    frame->path = ZCS_PATH_PUSH;
    frame->memory = ZCS_MEMORY_USER;
    slot->use = pushed->use;
    slot->release = pushed->release;
    slot->release_user = pushed->user;
    slot->release_memory = pushed->memory;
    push->head.path = ZCS_PATH_PUSH;
    push->head.path_reason = "the caller's memory is the slot";
}

/* Takes the first waiting frame. ZCS_AGAIN: none waits. */
static zcs_status pop(struct push *push, struct pushed *out)
{
    zcs_status status = ZCS_AGAIN;
    pthread_mutex_lock(&push->mutex);
    push->head.lost[ZCS_LOSS_SHORT] = push->short_frames;
    if (push->count > 0) {
        *out = push->ring[push->first];
        push->first = (push->first + 1) % push->capacity;
        push->count--;
        update_event(push);
        status = ZCS_OK;
    } else if (push->ended) {
        status = ZCS_EOF;
    }
    pthread_mutex_unlock(&push->mutex);
    return status;
}

static int is_over(struct push *push)
{
    pthread_mutex_lock(&push->mutex);
    const int over = push->ended && push->count == 0;
    pthread_mutex_unlock(&push->mutex);
    return over;
}

static int push_starved(const zcs_source *source)
{
    return zci_pool_home_count(source->pool) == 0;
}

static zcs_status push_next(zcs_source *source, int64_t timeout_ns, struct zci_slot **out)
{
    struct push *push = (struct push *)source;
    if (push_starved(source))
        return is_over(push) ? ZCS_EOF : ZCS_AGAIN;
    const int64_t deadline_ns = zci_deadline_ns(timeout_ns);
    struct pushed pushed;
    zcs_status status = pop(push, &pushed);
    if (status == ZCS_AGAIN && timeout_ns != 0) {
        push_watch_fd(source, 1);
        status = zci_wait_readable(push->event_fd, deadline_ns);
        if (status == ZCS_OK)
            status = pop(push, &pushed);
        else if (status < 0)
            zci_fail(&source->log, status, "waiting for pushed frames: %s", strerror(errno));
        push_watch_fd(source, 0);
    }
    if (status == ZCS_OK) {
        *out = zci_pool_take(source->pool); /* cannot fail: only this thread takes from it */
        fill(push, &pushed, *out);
    }
    return status;
}

static int push_fd(const zcs_source *source)
{
    return ((const struct push *)source)->event_fd;
}

static void push_close(zcs_source *source)
{
    struct push *push = (struct push *)source;
    for (size_t i = 0; i < push->count; i++) {
        const struct pushed *frame = &push->ring[(push->first + i) % push->capacity];
        unuse(push, frame);
        release_pushed(frame);
    }
    zci_fork_guard_finish(&push->fork_guard);
    free(push->ring);
    if (push->event_fd >= 0)
        close(push->event_fd);
    if (push->has_mutex)
        pthread_mutex_destroy(&push->mutex);
    free(push);
}

static const struct zci_source_ops push_ops = {
    .kind = "push",
    .slots_without_memory = 1,
    .next = push_next,
    .fd = push_fd,
    .watch_fd = push_watch_fd,
    .starved = push_starved,
    .close = push_close,
};

static zcs_status set_up(struct push *push, const struct zcs_push_params *params)
{
    const struct zci_log *log = &push->head.log;
    const zcs_status status = zcs_image_check(&params->image);
    if (status != ZCS_OK)
        return zci_fail(log, status, "push: the image's layout: %s", zcs_strerror(status));
    if ((params->fps_num == 0) != (params->fps_den == 0))
        return zci_fail(log, ZCS_ERR_ARG,
                        "push: %" PRIu32 "/%" PRIu32 " frames a second is no rate", params->fps_num,
                        params->fps_den);
    push->head.image = params->image;
    push->head.image.color = zci_color_resolve(params->image.format, params->image.color);
    push->head.fps_num = params->fps_num;
    push->head.fps_den = params->fps_den;
    push->head.live = 1;
    push->capacity = params->queue ? params->queue : QUEUE_DEFAULT;
    push->ring = calloc(push->capacity, sizeof *push->ring);
    if (push->ring == NULL)
        return zci_fail(log, ZCS_ERR_NOMEM, "push: no memory for a queue of %zu frames",
                        push->capacity);
    push->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (push->event_fd < 0)
        return zci_fail(log, ZCS_ERR_IO, "push: eventfd: %s", strerror(errno));
    if (pthread_mutex_init(&push->mutex, NULL) != 0)
        return zci_fail(log, ZCS_ERR_NOMEM, "push: no memory for a mutex");
    push->has_mutex = 1;
    return ZCS_OK;
}

zcs_status zcs_source_open_push(zcs_context *ctx, const struct zcs_push_params *params,
                                zcs_source **out)
{
    if (ctx == NULL)
        return ZCS_ERR_ARG;
    if (params == NULL || out == NULL)
        return zci_fail(&ctx->log, ZCS_ERR_ARG, "push: %s is NULL",
                        params == NULL ? "params" : "out");
    struct push *push = calloc(1, sizeof *push);
    if (push == NULL)
        return zci_fail(&ctx->log, ZCS_ERR_NOMEM, "push: no memory for a source");
    push->event_fd = -1;
    zci_fork_guard_init(&push->fork_guard);
    zci_source_init(&push->head, &push_ops, ctx);
    zcs_source *source = &push->head;
    const zcs_status status = set_up(push, params);
    if (status != ZCS_OK) {
        zcs_source_close(&source);
        return status;
    }
    *out = source;
    return ZCS_OK;
}

/* Called under the mutex. */
static zcs_status enqueue(struct push *push, const struct pushed *pushed)
{
    if (push->ended)
        return ZCS_ERR_ARG;
    if (pushed->meta.bytes_used != 0 && pushed->meta.bytes_used < push->head.image.size_bytes) {
        push->short_frames++;
        return ZCS_OK;
    }
    if (push->count == push->capacity)
        return ZCS_AGAIN;
    push->ring[(push->first + push->count) % push->capacity] = *pushed;
    push->count++;
    update_event(push);
    return ZCS_OK;
}

/* A push tests for a full queue first, and again in enqueue, as the mutex is released between. */
static int is_full(struct push *push)
{
    pthread_mutex_lock(&push->mutex);
    const int full = push->count == push->capacity && !push->ended;
    pthread_mutex_unlock(&push->mutex);
    return full;
}

static zcs_status use(struct push *push, struct pushed *frame)
{
    return zci_frame_memory_use(push->head.backend, frame->memory, push->head.image.size_bytes,
                                &frame->use);
}

zcs_status zcs_source_push(zcs_source *source, void *memory, const struct zcs_push_meta *meta,
                           zcs_release_fn release, void *user)
{
    if (source == NULL || memory == NULL || meta == NULL)
        return ZCS_ERR_ARG;
    if (source->ops != &push_ops)
        return zci_fail(&source->log, ZCS_ERR_ARG, "a %s source takes no pushed frames",
                        source->ops->kind);
    if ((unsigned)meta->clock > ZCS_CLOCK_UNKNOWN)
        return zci_fail(&source->log, ZCS_ERR_ARG, "push: clock %d does not exist",
                        (int)meta->clock);
    struct push *push = (struct push *)source;
    const int is_short = meta->bytes_used != 0 && meta->bytes_used < source->image.size_bytes;
    struct pushed pushed = {memory, *meta, release, user, zci_now_ns(), NULL};
    if (is_full(push) && !is_short)
        return ZCS_AGAIN;
    zcs_status status = is_short ? ZCS_OK : use(push, &pushed);
    if (status != ZCS_OK)
        return status;
    pthread_mutex_lock(&push->mutex);
    status = enqueue(push, &pushed);
    pthread_mutex_unlock(&push->mutex);
    if (status != ZCS_OK)
        unuse(push, &pushed);
    if (status < 0)
        return zci_fail(&source->log, status, "push: a frame after the end of the source");
    if (status == ZCS_OK && is_short)
        release_pushed(&pushed);
    return status;
}

void zcs_source_push_end(zcs_source *source)
{
    if (source == NULL || source->ops != &push_ops)
        return;
    struct push *push = (struct push *)source;
    pthread_mutex_lock(&push->mutex);
    push->ended = 1;
    update_event(push);
    pthread_mutex_unlock(&push->mutex);
}
