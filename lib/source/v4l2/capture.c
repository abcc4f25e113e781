/* SPDX-License-Identifier: MIT */
/* The capture loop: what is retried, which frames are dropped and why, and when it rests. */
#include "source/v4l2/capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "os/clock.h"
#include "source/v4l2/memory_mode.h"
#include "source/v4l2/streaming.h"
#include "source/wait.h"

#define MAX_FAILED 10u /* DQBUF in a row with EIO, before streaming is restarted */
#define PAUSE_NS 10000000L
#define MAX_LOST 64u /* lost frames in a row, before the deadline is checked */
#define MAX_EMPTY 4u /* DQBUF in a row with EAGAIN, before poll is asked for an error */
#define BACKWARDS (UINT32_C(1) << 31)

/* The number of the frame that the driver numbers `raw`. *gap: frames lost before it that are not
 * accounted for. A number that does not grow counts as the next one. */
static uint64_t next_number(struct zci_v4l2_sequence *sequence, uint32_t raw, uint64_t *gap)
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
    *gap = lost > sequence->accounted ? lost - sequence->accounted : 0;
    sequence->accounted = 0;
    sequence->last = raw;
    sequence->started = 1;
    sequence->restarted = 0;
    return sequence->number;
}

/* `missed` frames had no number of the driver's. */
static void skip_numbers(struct zci_v4l2_sequence *sequence, uint64_t missed)
{
    if (sequence->started)
        sequence->number += missed;
}

/* For each frame that comes, good or not: how many were missed since capture was interrupted. */
static uint64_t missed_frames(struct zci_v4l2_source *source)
{
    struct zci_v4l2_reconnect *reconnect = &source->reconnect;
    const int64_t now_ns = zci_now_ns(), passed_ns = now_ns - reconnect->last_frame_ns;
    const uint32_t num = source->negotiated.fps_num, den = source->negotiated.fps_den;
    const int counts = reconnect->resumed && reconnect->last_frame_ns != 0 && num != 0 && den != 0;
    reconnect->resumed = 0;
    reconnect->last_frame_ns = now_ns;
    if (!counts)
        return 0;
    const double periods = (double)passed_ns / 1e9 * num / den;
    const uint64_t missed = periods > 1.5 ? (uint64_t)(periods - 0.5) : 0;
    zci_log(&source->head.log, ZCS_LOG_WARNING, "%s: %" PRIu64 " frames were missed meanwhile",
            source->dev.path, missed);
    return missed;
}

/* Counts a lost frame under its cause, and logs the first of each cause. */
static int lose(struct zci_v4l2_source *source, enum zcs_loss cause, uint64_t number,
                const char *what)
{
    if (!(source->logged >> cause & 1u))
        zci_log(&source->head.log, ZCS_LOG_WARNING,
                "%s: frame %" PRIu64 " is not delivered, nor are others like it: %s",
                source->dev.path, number, what);
    source->logged |= 1u << cause;
    source->head.lost[cause]++;
    zci_v4l2_watchdog_add_bad(&source->watchdog, cause);
    return 0;
}

/* The first plane with fewer bytes than the image needs; layout->planes where there is none. */
static uint32_t short_plane(const struct zci_v4l2_layout *layout,
                            const struct zci_v4l2_buffer *buffer)
{
    uint32_t p = 0;
    while (p < layout->planes && p < buffer->planes &&
           buffer->plane[p].bytes_used >= layout->min_bytes[p])
        p++;
    return p;
}

/* The first plane with more bytes than its buffer has; layout->planes where there is none. */
static uint32_t overfull_plane(const struct zci_v4l2_layout *layout,
                               const struct zci_v4l2_buffer *buffer)
{
    uint32_t p = 0;
    for (; p < layout->planes; p++) {
        const struct zci_v4l2_plane *plane = &buffer->plane[p];
        if (plane->bytes_used > (plane->length != 0 ? plane->length : layout->bytes[p]))
            break;
    }
    return p;
}

/* 1: data does not start where it does in other frames. */
static int offset_differs(const struct zci_v4l2_layout *layout,
                          const struct zci_v4l2_buffer *buffer)
{
    for (uint32_t p = 0; p < layout->planes; p++)
        if (buffer->plane[p].data_offset != layout->data_offset[p])
            return 1;
    return 0;
}

/* 1: deliver the frame. 0: it is damaged, short or unwritten, and has been counted as lost. */
static int validate(struct zci_v4l2_source *source, const struct zci_v4l2_buffer *buffer,
                    uint64_t number)
{
    const struct zci_v4l2_layout *layout = &source->negotiated.layout;
    if (buffer->error)
        return lose(source, ZCS_LOSS_ERROR, number, "the driver reports it as damaged");
    const uint32_t plane = short_plane(layout, buffer);
    if (plane < layout->planes) {
        char what[96];
        const uint32_t got = plane < buffer->planes ? buffer->plane[plane].bytes_used : 0;
        snprintf(what, sizeof what, "%" PRIu32 " bytes, and the image needs %zu", got,
                 layout->min_bytes[plane]);
        return lose(source, ZCS_LOSS_SHORT, number, what);
    }
    const uint32_t overfull = overfull_plane(layout, buffer);
    if (overfull < layout->planes) {
        char what[96];
        snprintf(what, sizeof what, "%" PRIu32 " bytes in a buffer of %" PRIu32,
                 buffer->plane[overfull].bytes_used, buffer->plane[overfull].length);
        return lose(source, ZCS_LOSS_ERROR, number, what);
    }
    if (offset_differs(layout, buffer))
        return lose(source, ZCS_LOSS_ERROR, number,
                    "its data_offset differs from that of other frames");
    if (!zci_v4l2_buffers_written(&source->buffers, buffer->index))
        return lose(source, ZCS_LOSS_STALE, number,
                    "the driver reported it, but did not write its buffer");
    return 1;
}

/* Without a signal the driver delivers frames of its own choice, until the next event. */
static int has_signal(struct zci_v4l2_source *source)
{
    const int error = zci_v4l2_query_dv_timings(&source->dev.port);
    if (error == 0 || error == ENOTTY || error == ENODATA)
        return 1;
    zci_log(&source->head.log, ZCS_LOG_WARNING, "%s: the signal was lost: %s", source->dev.path,
            strerror(error));
    return 0;
}

/* As when the source was opened, but with the pixel format that was negotiated then. */
static zcs_status renegotiate(const struct zci_v4l2_source *source, struct zci_v4l2_negotiated *out)
{
    struct zcs_v4l2_params wanted = source->reconnect.params;
    wanted.format = source->negotiated.pixfmt;
    return zci_v4l2_negotiate(&source->dev, &wanted, &source->camera.settings, out);
}

/* DQBUF and poll are left alone for a while. A stream polls no descriptor then. */
static void rest(struct zci_v4l2_source *source)
{
    source->backoff_until_ns = zci_now_ns() + PAUSE_NS;
}

static int is_resting(const struct zci_v4l2_source *source)
{
    return source->backoff_until_ns != 0 && zci_now_ns() < source->backoff_until_ns;
}

/* Changes without a good frame in between do not put off the watchdog. */
static zcs_status resume(struct zci_v4l2_source *source)
{
    const struct zci_v4l2_watchdog before = source->watchdog;
    zcs_status status = zci_v4l2_memory_resume(source);
    if (status == ZCS_OK)
        status = zci_v4l2_streaming_start(source);
    if (!before.fed)
        source->watchdog = before;
    source->reconnect.resumed = 1;
    rest(source);
    return status;
}

/* After a source change event: negotiates with the new signal. ZCS_OK: frames are as before, or
 * there is no signal. ZCS_ERR_FORMAT: head.image is another one now, and streaming is off; a
 * further stream starts it. */
static zcs_status follow_signal(struct zci_v4l2_source *source)
{
    struct zci_v4l2_negotiated negotiated;
    struct zcs_image *image = &source->head.image;
    source->camera.events.source_change = ZCI_V4L2_SOURCE_CHANGE_NONE;
    source->frames_after_change = 0;
    if (!has_signal(source))
        return ZCS_OK;
    zci_v4l2_streaming_pause(source);
    const zcs_status status = renegotiate(source, &negotiated);
    if (status != ZCS_OK)
        return status == ZCS_ERR_FORMAT ? ZCS_ERR_UNSUPPORTED : status;
    const int same = zci_v4l2_layout_same(&negotiated.layout, &source->negotiated.layout);
    if (same)
        zci_log(&source->head.log, ZCS_LOG_WARNING,
                "%s: the signal changed; its frames are as before", source->dev.path);
    else
        zci_log(&source->head.log, ZCS_LOG_WARNING,
                "%s: the signal changed: %" PRIu32 "x%" PRIu32 " instead of %" PRIu32 "x%" PRIu32,
                source->dev.path, negotiated.layout.image.width, negotiated.layout.image.height,
                image->width, image->height);
    source->negotiated = negotiated;
    *image = negotiated.layout.image;
    source->head.fps_num = negotiated.fps_num;
    source->head.fps_den = negotiated.fps_den;
    return same ? resume(source) : ZCS_ERR_FORMAT;
}

/* After DQBUF failed. ZCS_AGAIN: it may be tried again after a rest. */
static zcs_status handle_dequeue_error(struct zci_v4l2_source *source, int error)
{
    if (error != EIO)
        return zci_v4l2_fail(&source->dev, "VIDIOC_DQBUF", error);
    if (source->failed_dequeues++ == 0)
        zci_log(&source->head.log, ZCS_LOG_WARNING, "%s: VIDIOC_DQBUF: %s", source->dev.path,
                strerror(error));
    source->head.lost[ZCS_LOSS_ERROR]++;
    source->sequence.accounted++;
    zci_v4l2_watchdog_add_bad(&source->watchdog, ZCS_LOSS_ERROR);
    if (source->failed_dequeues >= MAX_FAILED)
        return zci_v4l2_streaming_recover(source,
                                          "VIDIOC_DQBUF fails repeatedly with an I/O error");
    rest(source);
    return ZCS_AGAIN;
}

/* Copies what the image needs into the slot; returns the number of bytes. */
static uint64_t copy(const struct zci_v4l2_source *source, uint32_t index, struct zci_slot *slot)
{
    const struct zci_v4l2_layout *layout = &source->negotiated.layout;
    const uint8_t *from = source->buffers.mapping->base[index];
    uint64_t copied = 0;
    for (uint32_t p = 0; p < layout->planes; p++) {
        memcpy((uint8_t *)slot->memory.host + layout->offset[p], from + layout->offset[p],
               layout->min_bytes[p]);
        copied += layout->min_bytes[p];
    }
    return copied;
}

static zcs_status requeue(struct zci_v4l2_source *source, uint32_t index)
{
    const int error = zci_v4l2_buffers_queue(&source->buffers, index);
    return error == 0 ? ZCS_OK : zci_v4l2_fail(&source->dev, "VIDIOC_QBUF", error);
}

/* Readers hold all other frames: this one is dropped, so that the driver has a buffer to fill. */
static zcs_status drop_frame(struct zci_v4l2_source *source, uint32_t index)
{
    const uint32_t bit = 1u << ZCS_LOSS_POLICY;
    if (!(source->logged & bit))
        zci_log(&source->head.log, ZCS_LOG_WARNING,
                "%s: all frames but the driver's last are held; new ones are dropped until one is "
                "released",
                source->dev.path);
    source->logged |= bit;
    source->head.lost[ZCS_LOSS_POLICY]++;
    const zcs_status status = requeue(source, index);
    return status == ZCS_OK ? ZCS_AGAIN : status;
}

static void fill_frame(struct zci_v4l2_source *source, const struct zci_v4l2_buffer *buffer,
                       uint64_t number, uint64_t copied, struct zci_slot *slot)
{
    struct zcs_frame *frame = &slot->frame;
    frame->image = source->head.image;
    frame->sequence = number;
    frame->time_ns = buffer->time_ns;
    frame->clock = buffer->clock;
    frame->flags = buffer->exposure_start ? ZCS_FRAME_EXPOSURE_START : 0;
    frame->controls = zci_v4l2_events_number_at(
        &source->camera.events, buffer->clock == ZCS_CLOCK_MONOTONIC ? buffer->time_ns : INT64_MAX);
    frame->path = source->buffers.path;
    frame->cpu_bytes_copied = copied;
    frame->captured_ns = zci_now_ns();
    source->head.path = source->buffers.path;
}

/* Delivers a good frame. */
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
            return drop_frame(source, index);
        copied = copy(source, index, slot);
        status = requeue(source, index);
    } else {
        if (buffers->queued == 0)
            return drop_frame(source, index);
        slot = buffers->slots[index];
        buffers->slots[index] = NULL;
    }
    fill_frame(source, buffer, number, copied, slot);
    if (status == ZCS_OK)
        *out = slot;
    else
        zci_slot_unref(slot);
    return status;
}

/* Queues the slots that nobody reads any more. EIO is no end: DQBUF reports it again, or the
 * watchdog expires. But the slot that is free again wakes a stream, so there is a rest. */
static zcs_status requeue_all(struct zci_v4l2_source *source)
{
    const int error = zci_v4l2_buffers_queue_all(&source->buffers, source->head.pool);
    if (error == EIO)
        rest(source);
    if (error == 0 || error == EIO)
        return ZCS_OK;
    return zci_v4l2_fail(&source->dev, "VIDIOC_QBUF", error);
}

/* Dequeues one buffer. ZCS_OK with *out NULL: a frame was lost, try again. */
static zcs_status take(struct zci_v4l2_source *source, struct zci_slot **out)
{
    const zcs_status queued = requeue_all(source);
    if (queued != ZCS_OK)
        return queued;
    struct zci_v4l2_buffer buffer;
    const int error = zci_v4l2_buffers_dequeue(&source->buffers, &buffer);
    if (error == EAGAIN)
        return ZCS_AGAIN;
    if (error != 0)
        return handle_dequeue_error(source, error);
    uint64_t gap = 0;
    const uint64_t missed = missed_frames(source);
    skip_numbers(&source->sequence, missed);
    source->head.lost[ZCS_LOSS_AWAY] += missed;
    source->empty_dequeues = 0;
    source->backoff_until_ns = 0;
    const uint64_t number = next_number(&source->sequence, buffer.sequence, &gap);
    source->head.lost[ZCS_LOSS_DRIVER_GAP] += gap;
    source->failed_dequeues = 0;
    zci_v4l2_events_read(&source->camera.events, &source->dev.port);
    source->frames_after_change +=
        source->camera.events.source_change == ZCI_V4L2_SOURCE_CHANGE_PENDING;
    if (!validate(source, &buffer, number))
        return requeue(source, buffer.index);
    zci_v4l2_watchdog_feed(&source->watchdog);
    source->mode_proven = 1;
    return deliver(source, &buffer, number, out);
}

/* What poll reports where a frame or an event can be taken. */
static short ready_events(const struct zci_v4l2_source *source)
{
    return source->head.fd_urgent ? POLLIN | POLLPRI : POLLIN;
}

/* DQBUF gave nothing. poll may report an error that DQBUF does not, or a frame that is not there;
 * asking such a descriptor again and again would never block, so it rests. A hang-up means that the
 * camera is gone. */
static zcs_status check_descriptor(struct zci_v4l2_source *source)
{
    const struct zci_v4l2_port *port = &source->dev.port;
    struct pollfd fd = {.fd = port->fd, .events = ready_events(source)};
    if (is_resting(source))
        return ZCS_OK;
    source->backoff_until_ns = 0;
    if (++source->empty_dequeues <= MAX_EMPTY)
        return ZCS_OK;
    const int ready = port->calls->poll(port->calls->user, &fd, 0);
    if (ready > 0 && fd.revents & POLLHUP)
        return zci_v4l2_fail(&source->dev, "poll", ENODEV);
    if (ready == 0)
        source->empty_dequeues = 0;
    else if (ready < 0 || !(fd.revents & fd.events) || source->empty_dequeues > MAX_EMPTY + 1)
        rest(source); /* a frame may have come since DQBUF, but not twice */
    return ZCS_OK;
}

/* Many drivers stop when the signal changes, so the event may come without a frame. */
static zcs_status check_signal(struct zci_v4l2_source *source)
{
    struct zci_v4l2_events *events = &source->camera.events;
    if (events->source_change != ZCI_V4L2_SOURCE_CHANGE_UNREPORTED)
        zci_v4l2_events_read(events, &source->dev.port);
    return events->source_change == ZCI_V4L2_SOURCE_CHANGE_PENDING ? follow_signal(source) : ZCS_OK;
}

/* Other drivers do not stop, and then a slow reader never finds the queue empty. At most one frame
 * per buffer was filled before the change, so the change is handled after that many frames. */
static int signal_is_due(const struct zci_v4l2_source *source)
{
    return source->camera.events.source_change == ZCI_V4L2_SOURCE_CHANGE_PENDING &&
           source->frames_after_change >= source->buffers.count;
}

/* ZCS_OK: try DQBUF. ZCS_AGAIN: the deadline passed, or a signal interrupted the wait. */
static zcs_status await_frame(struct zci_v4l2_source *source, int64_t deadline_ns)
{
    const int64_t due_ns = zci_v4l2_watchdog_due_ns(&source->watchdog);
    if (is_resting(source))
        return zci_wait_until(source->backoff_until_ns, deadline_ns);
    const int64_t left_ns = zci_left_ns(due_ns < deadline_ns ? due_ns : deadline_ns);
    const int64_t left_ms = left_ns < 0 ? -1 : (left_ns + 999999) / 1000000;
    const struct zci_v4l2_port *port = &source->dev.port;
    struct pollfd fd = {.fd = port->fd, .events = ready_events(source)};
    const int ready =
        port->calls->poll(port->calls->user, &fd, left_ms < INT32_MAX ? (int)left_ms : INT32_MAX);
    if (ready < 0 && errno != EINTR)
        return zci_v4l2_fail(&source->dev, "poll", errno);
    if (ready > 0 && !(fd.revents & fd.events))
        source->empty_dequeues = MAX_EMPTY; /* an error: if DQBUF has none, ask poll at once */
    if (ready > 0 || (ready == 0 && due_ns < deadline_ns))
        return ZCS_OK;
    return ZCS_AGAIN;
}

zcs_status zci_v4l2_capture_next(struct zci_v4l2_source *source, int64_t timeout_ns,
                                 struct zci_slot **out)
{
    const int64_t deadline_ns = zci_deadline_ns(timeout_ns);
    if (timeout_ns == 0 && is_resting(source))
        return ZCS_AGAIN;
    const zcs_status queued = requeue_all(source);
    if (queued != ZCS_OK)
        return queued;
    /* With a timeout, wait first: a DQBUF that comes too early costs a system call per frame. */
    zcs_status waited = timeout_ns != 0 ? await_frame(source, deadline_ns) : ZCS_OK;
    uint32_t lost = 0;
    while (waited >= 0) {
        struct zci_slot *slot = NULL;
        zcs_status status = signal_is_due(source) ? follow_signal(source) : take(source, &slot);
        if (slot != NULL) {
            *out = slot;
            return ZCS_OK;
        }
        if (status == ZCS_OK && ++lost < MAX_LOST)
            continue;
        lost = 0;
        if (status == ZCS_OK)
            rest(source); /* the driver gives bad frames as fast as it gets buffers */
        if (status >= 0)
            status = check_signal(source);
        if (status == ZCS_OK)
            status = check_descriptor(source);
        if (status == ZCS_OK)
            status = zci_v4l2_streaming_check(source);
        if (status != ZCS_OK)
            return status;
        if (waited != ZCS_OK || zci_left_ns(deadline_ns) == 0)
            return ZCS_AGAIN;
        waited = await_frame(source, deadline_ns);
    }
    return waited;
}
