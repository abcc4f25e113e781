/* SPDX-License-Identifier: MIT */
/* Capture */
#include "source/v4l2/capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "os/clock.h"
#include "source/v4l2/memory_mode.h"

#define BACKWARDS (UINT32_C(1) << 31)

static uint64_t sequence_next(struct zci_v4l2_sequence *sequence, uint32_t raw, uint64_t *gap)
{
    uint32_t step = raw - sequence->last;
    if (sequence->restarted || step == 0 || step >= BACKWARDS)
        step = 1;
    uint64_t lost = 0;
    if (sequence->started) {
        sequence->number += step;
        lost = step - 1;
    } else {
        sequence->number = raw;
    }
    *gap = lost > sequence->counted ? lost - sequence->counted : 0;
    sequence->counted = 0;
    sequence->last = raw;
    sequence->started = 1;
    sequence->restarted = 0;
    return sequence->number;
}

static void sequence_pass(struct zci_v4l2_sequence *sequence, uint64_t missed)
{
    if (sequence->started)
        sequence->number += missed;
}

/* The first of a kind is told, all are counted. */
static int lose(struct zci_v4l2_source *source, enum zcs_loss cause, uint64_t number,
                const char *what)
{
    if (!(source->told >> cause & 1u))
        zci_log(&source->head.log, ZCS_LOG_WARNING,
                "%s: frame %" PRIu64 " is not delivered, nor are others like it: %s",
                source->dev.path, number, what);
    source->told |= 1u << cause;
    source->head.lost[cause]++;
    return 0;
}

/* The plane with fewer bytes than its part of the picture needs; `planes` where there is none. */
static uint32_t short_plane(const struct zci_v4l2_layout *layout,
                            const struct zci_v4l2_buffer *buffer)
{
    uint32_t p = 0;
    while (p < layout->planes && p < buffer->planes &&
           buffer->plane[p].bytes_used >= layout->needed[p])
        p++;
    return p;
}

static int is_moved(const struct zci_v4l2_layout *layout, const struct zci_v4l2_buffer *buffer)
{
    for (uint32_t p = 0; p < layout->planes; p++)
        if (buffer->plane[p].data_offset != layout->data_offset[p])
            return 1;
    return 0;
}

static int validate(struct zci_v4l2_source *source, const struct zci_v4l2_buffer *buffer,
                    uint64_t number)
{
    const struct zci_v4l2_layout *layout = &source->agreed.layout;
    if (buffer->error)
        return lose(source, ZCS_LOSS_ERROR, number, "the driver says that it is damaged");
    const uint32_t plane = short_plane(layout, buffer);
    if (plane < layout->planes) {
        char what[96];
        const uint32_t got = plane < buffer->planes ? buffer->plane[plane].bytes_used : 0;
        snprintf(what, sizeof what, "%" PRIu32 " bytes, and the picture needs %zu", got,
                 layout->needed[plane]);
        return lose(source, ZCS_LOSS_SHORT, number, what);
    }
    if (is_moved(layout, buffer))
        return lose(source, ZCS_LOSS_ERROR, number, "its data begins elsewhere than in others");
    if (!zci_v4l2_buffers_written(&source->buffers, buffer->index))
        return lose(source, ZCS_LOSS_STALE, number,
                    "the driver announced it, but its buffer was not written");
    return 1;
}

/* Without a signal the driver shows what it likes, until the next event. */
static int has_signal(struct zci_v4l2_source *source)
{
    const int error = zci_v4l2_detect_timings(&source->dev.port);
    if (error == 0 || error == ENOTTY || error == ENODATA)
        return 1;
    zci_log(&source->head.log, ZCS_LOG_WARNING, "%s: the signal is gone: %s", source->dev.path,
            strerror(error));
    return 0;
}

/* As at the start, but for the format, which stays; a size that was asked for is still asked for. */
static zcs_status agree(const struct zci_v4l2_source *source, struct zci_v4l2_agreed *out)
{
    struct zcs_v4l2_params wanted = source->reconnect.wanted;
    wanted.format = source->agreed.pixfmt;
    return zci_v4l2_negotiate(&source->dev, &wanted, &source->camera.settings, out);
}

static zcs_status go_on(struct zci_v4l2_source *source)
{
    zcs_status status = zci_v4l2_memory_resume(source);
    if (status == ZCS_OK)
        status = zci_v4l2_capture_start(source);
    source->reconnect.back = 1;
    return status;
}

static zcs_status signal_follow(struct zci_v4l2_source *source)
{
    struct zci_v4l2_agreed agreed;
    struct zcs_image *image = &source->head.image;
    source->camera.changes.signal = 1;
    source->after_signal = 0;
    if (!has_signal(source))
        return ZCS_OK;
    zci_v4l2_capture_pause(source);
    const zcs_status status = agree(source, &agreed);
    if (status != ZCS_OK)
        return status == ZCS_ERR_FORMAT ? ZCS_ERR_UNSUPPORTED : status;
    const int same = zci_v4l2_layout_same(&agreed.layout, &source->agreed.layout);
    if (same)
        zci_log(&source->head.log, ZCS_LOG_WARNING,
                "%s: the signal changed; its frames are as before", source->dev.path);
    else
        zci_log(&source->head.log, ZCS_LOG_WARNING,
                "%s: the signal changed: %" PRIu32 "x%" PRIu32 " instead of %" PRIu32 "x%" PRIu32,
                source->dev.path, agreed.layout.image.width, agreed.layout.image.height,
                image->width, image->height);
    source->agreed = agreed;
    *image = agreed.layout.image;
    source->head.fps_num = agreed.fps_num;
    source->head.fps_den = agreed.fps_den;
    return same ? go_on(source) : ZCS_ERR_FORMAT;
}

#define FAILED_MAX 10u /* DQBUF in a row with EIO, before streaming is begun anew */
#define PAUSE_NS 10000000L
#define LOST_MAX 64u /* frames in a row, before time is looked at: bad ones may come without end */
#define EMPTY_MAX                                                                                  \
    4u /* looks in vain before poll is asked whether the descriptor tells of an error */

static zcs_status stream_on(struct zci_v4l2_source *source)
{
    unsigned tries = 0;
    int error, again = 1;
    do {
        error = zci_v4l2_stream(&source->dev.port, 1);
    } while ((error == EINVAL && again-- > 0) || zci_v4l2_again(error, &tries));
    if (error != 0)
        return zci_v4l2_trouble(&source->dev, "VIDIOC_STREAMON", error);
    source->streaming = 1;
    source->failed_in_row = 0;
    zci_v4l2_watchdog_start(&source->watchdog);
    return ZCS_OK;
}

zcs_status zci_v4l2_capture_start(struct zci_v4l2_source *source)
{
    source->sequence.restarted = source->sequence.started; /* numbers go on in further slots */
    zci_v4l2_watchdog_init(&source->watchdog, source->stall_ns, source->agreed.fps_num,
                           source->agreed.fps_den);
    return stream_on(source);
}

void zci_v4l2_capture_stop(struct zci_v4l2_source *source)
{
    if (source->streaming)
        (void)zci_v4l2_stream(&source->dev.port, 0);
    source->streaming = 0;
    if (source->buffers.count > 0)
        zci_v4l2_buffers_finish(&source->buffers);
}

void zci_v4l2_capture_pause(struct zci_v4l2_source *source)
{
    if (source->streaming)
        (void)zci_v4l2_stream(&source->dev.port, 0);
    source->streaming = 0;
    source->empty_looks = 0;
    source->rest_until_ns = 0;
    if (source->buffers.count > 0)
        zci_v4l2_buffers_leave(&source->buffers);
}

void zci_v4l2_capture_leave(struct zci_v4l2_source *source)
{
    zci_v4l2_capture_pause(source);
    zci_v4l2_device_leave(&source->dev);
    source->head.fd_epoch++;
}

/* Streaming off and on again: once, before the camera is given up. */
static zcs_status restart(struct zci_v4l2_source *source, const char *why)
{
    if (source->watchdog.restarted)
        return zci_fail(source->dev.log, ZCS_ERR_IO,
                        "%s: %s, also after a restart of streaming: given up", source->dev.path,
                        why);
    zci_log(&source->head.log, ZCS_LOG_WARNING, "%s: %s: streaming is restarted", source->dev.path,
            why);
    int error = zci_v4l2_stream(&source->dev.port, 0);
    if (error != 0)
        return zci_v4l2_trouble(&source->dev, "VIDIOC_STREAMOFF", error);
    source->streaming = 0;
    error = zci_v4l2_buffers_requeue(&source->buffers);
    if (error != 0)
        return zci_v4l2_trouble(&source->dev, "VIDIOC_QBUF", error);
    source->sequence.restarted = 1;
    source->watchdog.restarted = 1;
    return stream_on(source);
}

/* At most PAUSE_NS; left_ns < 0: no end is near. */
static void rest(int64_t left_ns)
{
    const struct timespec pause = {.tv_nsec = left_ns >= 0 && left_ns < PAUSE_NS ? (long)left_ns
                                                                                 : PAUSE_NS};
    nanosleep(&pause, NULL);
}

/* A failed DQBUF. ZCS_OK: it may pass. */
static zcs_status failed_dequeue(struct zci_v4l2_source *source, int error)
{
    if (error == EPIPE)
        return ZCS_EOF;
    if (error != EIO)
        return zci_v4l2_trouble(&source->dev, "VIDIOC_DQBUF", error);
    if (source->failed_in_row++ == 0)
        zci_log(&source->head.log, ZCS_LOG_WARNING, "%s: VIDIOC_DQBUF: %s", source->dev.path,
                strerror(error));
    source->head.lost[ZCS_LOSS_ERROR]++;
    source->sequence.counted++;
    if (source->failed_in_row >= FAILED_MAX)
        return restart(source, "VIDIOC_DQBUF fails again and again with an I/O error");
    rest(PAUSE_NS);
    return ZCS_OK;
}

/* One streaming copy of what the picture needs. */
static uint64_t copy(const struct zci_v4l2_source *source, uint32_t index, struct zci_slot *slot)
{
    const struct zci_v4l2_layout *layout = &source->agreed.layout;
    const uint8_t *from = source->buffers.map->base[index];
    uint64_t copied = 0;
    for (uint32_t p = 0; p < layout->planes; p++) {
        memcpy((uint8_t *)slot->memory.host + layout->at[p], from + layout->at[p],
               layout->needed[p]);
        copied += layout->needed[p];
    }
    return copied;
}

static zcs_status give_back(struct zci_v4l2_source *source, uint32_t index)
{
    const int error = zci_v4l2_buffers_queue(&source->buffers, index);
    return error == 0 ? ZCS_OK : zci_v4l2_trouble(&source->dev, "VIDIOC_QBUF", error);
}

/* Everything else is held by readers: the frame is let go, so that the driver has a buffer to fill. */
static zcs_status starved(struct zci_v4l2_source *source, uint32_t index)
{
    const uint32_t bit = 1u << ZCS_LOSS_POLICY;
    if (!(source->told & bit))
        zci_log(&source->head.log, ZCS_LOG_WARNING,
                "%s: all frames but the driver's last are held; new ones are dropped meanwhile",
                source->dev.path);
    source->told |= bit;
    source->head.lost[ZCS_LOSS_POLICY]++;
    const zcs_status status = give_back(source, index);
    return status == ZCS_OK ? ZCS_AGAIN : status;
}

static void fill(struct zci_v4l2_source *source, const struct zci_v4l2_buffer *buffer,
                 uint64_t number, uint64_t copied, struct zci_slot *slot)
{
    struct zcs_frame *frame = &slot->frame;
    frame->image = source->head.image;
    frame->sequence = number;
    frame->time_ns = buffer->time_ns;
    frame->clock = buffer->clock;
    frame->flags = buffer->exposure_start ? ZCS_FRAME_EXPOSURE_START : 0;
    frame->controls =
        zci_v4l2_changes_at(&source->camera.changes,
                            buffer->clock == ZCS_CLOCK_MONOTONIC ? buffer->time_ns : INT64_MAX);
    frame->path = source->buffers.path;
    frame->cpu_bytes_copied = copied;
    frame->captured_ns = zci_now_ns();
    source->head.path = source->buffers.path;
}

/* Hands on a good frame. */
static zcs_status deliver(struct zci_v4l2_source *source, const struct zci_v4l2_buffer *buffer,
                          uint64_t number, struct zci_slot **out)
{
    struct zci_v4l2_buffers *buffers = &source->buffers;
    const uint32_t index = buffer->index;
    zcs_status status = ZCS_OK;
    struct zci_slot *slot = NULL;
    uint64_t copied = 0;
    if (buffers->path == ZCS_PATH_COPIED) {
        slot = zci_pool_take(source->head.pool);
        if (slot == NULL)
            return starved(source, index);
        copied = copy(source, index, slot);
        status = give_back(source, index);
    } else {
        if (buffers->queued == 0)
            return starved(source, index);
        slot = buffers->slots[index];
        buffers->slots[index] = NULL;
    }
    fill(source, buffer, number, copied, slot);
    if (status == ZCS_OK)
        *out = slot;
    else
        zci_slot_unref(slot);
    return status;
}

/* What nothing reads any more goes back to the driver. EIO shows again at DQBUF. */
static zcs_status give_back_all(struct zci_v4l2_source *source)
{
    const int error = zci_v4l2_buffers_queue_all(&source->buffers, source->head.pool);
    if (error == 0 || error == EIO)
        return ZCS_OK;
    return zci_v4l2_trouble(&source->dev, "VIDIOC_QBUF", error);
}

/* A frame came, good or not: how many were missed before it. */
static uint64_t missed_frames(struct zci_v4l2_source *source)
{
    struct zci_v4l2_reconnect *reconnect = &source->reconnect;
    const int64_t now_ns = zci_now_ns(), passed_ns = now_ns - reconnect->frame_ns;
    const uint32_t num = source->agreed.fps_num, den = source->agreed.fps_den;
    const int counts = reconnect->back && reconnect->frame_ns != 0 && num != 0 && den != 0;
    reconnect->back = 0;
    reconnect->frame_ns = now_ns;
    if (!counts)
        return 0;
    const double periods = (double)passed_ns / 1e9 * num / den;
    const uint64_t missed = periods > 1.5 ? (uint64_t)(periods - 0.5) : 0;
    zci_log(&source->head.log, ZCS_LOG_WARNING, "%s: %" PRIu64 " frames were missed meanwhile",
            source->dev.path, missed);
    return missed;
}

/* One filled buffer. ZCS_OK with *out NULL: something was lost, look again. */
static zcs_status take(struct zci_v4l2_source *source, struct zci_slot **out)
{
    const zcs_status given = give_back_all(source);
    if (given != ZCS_OK)
        return given;
    struct zci_v4l2_buffer buffer;
    const int error = zci_v4l2_buffers_dequeue(&source->buffers, &buffer);
    if (error == EAGAIN)
        return ZCS_AGAIN;
    if (error != 0)
        return failed_dequeue(source, error);
    uint64_t gap = 0;
    const uint64_t missed = missed_frames(source);
    sequence_pass(&source->sequence, missed);
    source->head.lost[ZCS_LOSS_AWAY] += missed;
    source->empty_looks = 0;
    const uint64_t number = sequence_next(&source->sequence, buffer.sequence, &gap);
    source->head.lost[ZCS_LOSS_DRIVER_GAP] += gap;
    source->failed_in_row = 0;
    zci_v4l2_watchdog_feed(&source->watchdog);
    zci_v4l2_changes_read(&source->camera.changes, &source->dev.port);
    source->after_signal += source->camera.changes.signal == 2;
    if (!validate(source, &buffer, number))
        return give_back(source, buffer.index);
    source->watchdog.restarted = 0;
    return deliver(source, &buffer, number, out);
}

/* A descriptor that tells of an error, while DQBUF knows of none, would be looked at without end: it is let be
 * for a while. One that hung up is the camera's end. */
static zcs_status check_descriptor(struct zci_v4l2_source *source)
{
    const struct zci_v4l2_port *port = &source->dev.port;
    struct pollfd fd = {.fd = port->fd, .events = POLLIN};
    source->rest_until_ns = 0;
    if (++source->empty_looks <= EMPTY_MAX || port->calls->poll(port->calls->user, &fd, 0) <= 0)
        return ZCS_OK;
    if (fd.revents & POLLHUP)
        return zci_v4l2_trouble(&source->dev, "poll", ENODEV);
    if (fd.revents & (POLLERR | POLLNVAL) && !(fd.revents & POLLIN))
        source->rest_until_ns = zci_now_ns() + PAUSE_NS;
    return ZCS_OK;
}

/* Drivers often stop when the signal changes: the event comes without a frame then. */
static zcs_status check_signal(struct zci_v4l2_source *source)
{
    struct zci_v4l2_changes *changes = &source->camera.changes;
    if (changes->signal != 0)
        zci_v4l2_changes_read(changes, &source->dev.port);
    return changes->signal == 2 ? signal_follow(source) : ZCS_OK;
}

/* Other drivers never stop, and who is slower than they finds a frame at each look: what was filled before the
 * change is a frame a buffer at most. */
static int signal_is_due(const struct zci_v4l2_source *source)
{
    return source->camera.changes.signal == 2 && source->after_signal >= source->buffers.count;
}

static zcs_status check_watchdog(struct zci_v4l2_source *source)
{
    const int64_t due_ns = zci_v4l2_watchdog_due_ns(&source->watchdog);
    if (due_ns == INT64_MAX || zci_now_ns() < due_ns)
        return ZCS_OK;
    return restart(source, "no frame comes any more");
}

/* ZCS_OK: look again. ZCS_AGAIN: the deadline passed, or a signal came. */
static zcs_status await_frame(struct zci_v4l2_source *source, int64_t deadline_ns)
{
    const int64_t due_ns = zci_v4l2_watchdog_due_ns(&source->watchdog);
    const int64_t left_ns = zci_left_ns(due_ns < deadline_ns ? due_ns : deadline_ns);
    const int64_t left_ms = left_ns < 0 ? -1 : (left_ns + 999999) / 1000000;
    const struct zci_v4l2_port *port = &source->dev.port;
    const short events = source->head.fd_urgent ? POLLIN | POLLPRI : POLLIN;
    struct pollfd fd = {.fd = port->fd, .events = events};
    const int ready =
        port->calls->poll(port->calls->user, &fd, left_ms < INT32_MAX ? (int)left_ms : INT32_MAX);
    if (ready < 0 && errno != EINTR)
        return zci_v4l2_trouble(&source->dev, "poll", errno);
    /* An error without a frame: poll says it again at once, and DQBUF may know of none. */
    if (ready > 0 && !(fd.revents & events))
        rest(left_ns);
    if (ready > 0 || (ready == 0 && due_ns < deadline_ns))
        return ZCS_OK;
    return ZCS_AGAIN;
}

zcs_status zci_v4l2_capture_next(struct zci_v4l2_source *source, int64_t timeout_ns,
                                 struct zci_slot **out)
{
    const int64_t deadline_ns = zci_deadline_ns(timeout_ns);
    const zcs_status given = give_back_all(source);
    if (given != ZCS_OK)
        return given;
    /* Who has time waits first: a driver that is asked too early costs a system call a frame. */
    zcs_status waited = timeout_ns != 0 ? await_frame(source, deadline_ns) : ZCS_OK;
    uint32_t lost = 0;
    while (waited >= 0) {
        struct zci_slot *slot = NULL;
        zcs_status status = signal_is_due(source) ? signal_follow(source) : take(source, &slot);
        if (slot != NULL) {
            *out = slot;
            return ZCS_OK;
        }
        if (status == ZCS_OK && ++lost < LOST_MAX)
            continue;
        lost = 0;
        if (status == ZCS_OK)
            status = ZCS_AGAIN;
        if (status == ZCS_AGAIN)
            status = check_signal(source);
        if (status == ZCS_OK)
            status = check_descriptor(source);
        if (status == ZCS_OK)
            status = check_watchdog(source);
        if (status != ZCS_OK)
            return status;
        if (waited != ZCS_OK || zci_left_ns(deadline_ns) == 0)
            return ZCS_AGAIN;
        waited = await_frame(source, deadline_ns);
    }
    return waited;
}
