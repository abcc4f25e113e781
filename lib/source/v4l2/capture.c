/* SPDX-License-Identifier: MIT */
/* The capture loop's manners: what is retried, what is dropped and why, when the camera is given up. */
#include "source/v4l2/capture.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "os/clock.h"
#include "source/v4l2/validate.h"
#include "source/v4l2/signal.h"

#define FAILED_MAX 10u /* DQBUF in a row with EIO, before streaming is begun anew */
#define PAUSE_NS 10000000L
#define LOST_MAX 64u /* frames in a row, before time is looked at: bad ones may come without end */
#define EMPTY_MAX                                                                                  \
    4u /* looks in vain before poll is asked whether the descriptor tells of an error */

static zcs_status stream_on(struct zci_v4l2_camera *camera)
{
    unsigned tries = 0;
    int error, again = 1;
    do {
        error = zci_v4l2_stream(&camera->dev.port, 1);
    } while ((error == EINVAL && again-- > 0) || zci_v4l2_again(error, &tries));
    if (error != 0)
        return zci_v4l2_trouble(&camera->dev, "VIDIOC_STREAMON", error);
    camera->streaming = 1;
    camera->failed_in_row = 0;
    zci_v4l2_watchdog_start(&camera->watchdog);
    return ZCS_OK;
}

zcs_status zci_v4l2_capture_start(struct zci_v4l2_camera *camera)
{
    camera->sequence.restarted = camera->sequence.started; /* numbers go on in further slots */
    zci_v4l2_watchdog_init(&camera->watchdog, camera->stall_ns, camera->agreed.fps_num,
                           camera->agreed.fps_den);
    return stream_on(camera);
}

void zci_v4l2_capture_stop(struct zci_v4l2_camera *camera)
{
    if (camera->streaming)
        (void)zci_v4l2_stream(&camera->dev.port, 0);
    camera->streaming = 0;
    if (camera->buffers.count > 0)
        zci_v4l2_buffers_finish(&camera->buffers);
}

void zci_v4l2_capture_pause(struct zci_v4l2_camera *camera)
{
    if (camera->streaming)
        (void)zci_v4l2_stream(&camera->dev.port, 0);
    camera->streaming = 0;
    camera->empty_looks = 0;
    camera->rest_until_ns = 0;
    if (camera->buffers.count > 0)
        zci_v4l2_buffers_leave(&camera->buffers);
}

void zci_v4l2_capture_leave(struct zci_v4l2_camera *camera)
{
    zci_v4l2_capture_pause(camera);
    zci_v4l2_device_leave(&camera->dev);
    camera->head.fd_epoch++;
}

/* Streaming off and on again: once, before the camera is given up. */
static zcs_status restart(struct zci_v4l2_camera *camera, const char *why)
{
    if (camera->watchdog.restarted)
        return zci_fail(camera->dev.log, ZCS_ERR_IO,
                        "%s: %s, also after a restart of streaming: given up", camera->dev.path,
                        why);
    zci_log(&camera->head.log, ZCS_LOG_WARNING, "%s: %s: streaming is restarted", camera->dev.path,
            why);
    int error = zci_v4l2_stream(&camera->dev.port, 0);
    if (error != 0)
        return zci_v4l2_trouble(&camera->dev, "VIDIOC_STREAMOFF", error);
    camera->streaming = 0;
    error = zci_v4l2_buffers_requeue(&camera->buffers);
    if (error != 0)
        return zci_v4l2_trouble(&camera->dev, "VIDIOC_QBUF", error);
    camera->sequence.restarted = 1;
    camera->watchdog.restarted = 1;
    return stream_on(camera);
}

/* At most PAUSE_NS; left_ns < 0: no end is near. */
static void rest(int64_t left_ns)
{
    const struct timespec pause = {.tv_nsec = left_ns >= 0 && left_ns < PAUSE_NS ? (long)left_ns
                                                                                 : PAUSE_NS};
    nanosleep(&pause, NULL);
}

/* A failed DQBUF. ZCS_OK: it may pass. */
static zcs_status failed_dequeue(struct zci_v4l2_camera *camera, int error)
{
    if (error == EPIPE)
        return ZCS_EOF;
    if (error != EIO)
        return zci_v4l2_trouble(&camera->dev, "VIDIOC_DQBUF", error);
    if (camera->failed_in_row++ == 0)
        zci_log(&camera->head.log, ZCS_LOG_WARNING, "%s: VIDIOC_DQBUF: %s", camera->dev.path,
                strerror(error));
    camera->head.lost[ZCS_LOSS_ERROR]++;
    camera->sequence.counted++;
    if (camera->failed_in_row >= FAILED_MAX)
        return restart(camera, "VIDIOC_DQBUF fails again and again with an I/O error");
    rest(PAUSE_NS);
    return ZCS_OK;
}

/* One streaming copy of what the picture needs. */
static uint64_t copy(const struct zci_v4l2_camera *camera, uint32_t index, struct zci_slot *slot)
{
    const struct zci_v4l2_layout *layout = &camera->agreed.layout;
    const uint8_t *from = camera->buffers.map->base[index];
    uint64_t copied = 0;
    for (uint32_t p = 0; p < layout->planes; p++) {
        memcpy((uint8_t *)slot->memory.host + layout->at[p], from + layout->at[p],
               layout->needed[p]);
        copied += layout->needed[p];
    }
    return copied;
}

static zcs_status give_back(struct zci_v4l2_camera *camera, uint32_t index)
{
    const int error = zci_v4l2_buffers_queue(&camera->buffers, index);
    return error == 0 ? ZCS_OK : zci_v4l2_trouble(&camera->dev, "VIDIOC_QBUF", error);
}

/* Everything else is held by readers: the frame is let go, so that the driver has a buffer to fill. */
static zcs_status starved(struct zci_v4l2_camera *camera, uint32_t index)
{
    const uint32_t bit = 1u << ZCS_LOSS_POLICY;
    if (!(camera->told & bit))
        zci_log(&camera->head.log, ZCS_LOG_WARNING,
                "%s: all frames but the driver's last are held; new ones are dropped meanwhile",
                camera->dev.path);
    camera->told |= bit;
    camera->head.lost[ZCS_LOSS_POLICY]++;
    const zcs_status status = give_back(camera, index);
    return status == ZCS_OK ? ZCS_AGAIN : status;
}

static void fill(struct zci_v4l2_camera *camera, const struct zci_v4l2_buffer *buffer,
                 uint64_t number, uint64_t copied, struct zci_slot *slot)
{
    struct zcs_frame *frame = &slot->frame;
    frame->image = camera->head.image;
    frame->sequence = number;
    frame->time_ns = buffer->time_ns;
    frame->clock = buffer->clock;
    frame->flags = buffer->exposure_start ? ZCS_FRAME_EXPOSURE_START : 0;
    frame->controls =
        zci_v4l2_changes_at(&camera->handle.changes,
                            buffer->clock == ZCS_CLOCK_MONOTONIC ? buffer->time_ns : INT64_MAX);
    frame->path = camera->buffers.path;
    frame->cpu_bytes_copied = copied;
    frame->captured_ns = zci_now_ns();
    camera->head.path = camera->buffers.path;
}

/* Hands on a good frame. */
static zcs_status deliver(struct zci_v4l2_camera *camera, const struct zci_v4l2_buffer *buffer,
                          uint64_t number, struct zci_slot **out)
{
    struct zci_v4l2_buffers *buffers = &camera->buffers;
    const uint32_t index = buffer->index;
    zcs_status status = ZCS_OK;
    struct zci_slot *slot = NULL;
    uint64_t copied = 0;
    if (buffers->path == ZCS_PATH_COPIED) {
        slot = zci_pool_take(camera->head.pool);
        if (slot == NULL)
            return starved(camera, index);
        copied = copy(camera, index, slot);
        status = give_back(camera, index);
    } else {
        if (buffers->queued == 0)
            return starved(camera, index);
        slot = buffers->slots[index];
        buffers->slots[index] = NULL;
    }
    fill(camera, buffer, number, copied, slot);
    if (status == ZCS_OK)
        *out = slot;
    else
        zci_slot_unref(slot);
    return status;
}

/* What nothing reads any more goes back to the driver. EIO shows again at DQBUF. */
static zcs_status give_back_all(struct zci_v4l2_camera *camera)
{
    const int error = zci_v4l2_buffers_queue_all(&camera->buffers, camera->head.pool);
    if (error == 0 || error == EIO)
        return ZCS_OK;
    return zci_v4l2_trouble(&camera->dev, "VIDIOC_QBUF", error);
}

/* One filled buffer. ZCS_OK with *out NULL: something was lost, look again. */
static zcs_status take(struct zci_v4l2_camera *camera, struct zci_slot **out)
{
    const zcs_status given = give_back_all(camera);
    if (given != ZCS_OK)
        return given;
    struct zci_v4l2_buffer buffer;
    const int error = zci_v4l2_buffers_dequeue(&camera->buffers, &buffer);
    if (error == EAGAIN)
        return ZCS_AGAIN;
    if (error != 0)
        return failed_dequeue(camera, error);
    uint64_t gap = 0;
    const uint64_t missed = zci_v4l2_reconnect_missed(camera);
    zci_v4l2_sequence_pass(&camera->sequence, missed);
    camera->head.lost[ZCS_LOSS_AWAY] += missed;
    camera->empty_looks = 0;
    const uint64_t number = zci_v4l2_sequence_next(&camera->sequence, buffer.sequence, &gap);
    camera->head.lost[ZCS_LOSS_DRIVER_GAP] += gap;
    camera->failed_in_row = 0;
    zci_v4l2_watchdog_feed(&camera->watchdog);
    zci_v4l2_changes_read(&camera->handle.changes, &camera->dev.port);
    camera->after_signal += camera->handle.changes.signal == 2;
    if (!zci_v4l2_validate(camera, &buffer, number))
        return give_back(camera, buffer.index);
    camera->watchdog.restarted = 0;
    return deliver(camera, &buffer, number, out);
}

/* A descriptor that tells of an error, while DQBUF knows of none, would be looked at without end: it is let be
 * for a while. One that hung up is the camera's end. */
static zcs_status check_descriptor(struct zci_v4l2_camera *camera)
{
    const struct zci_v4l2_port *port = &camera->dev.port;
    struct pollfd fd = {.fd = port->fd, .events = POLLIN};
    camera->rest_until_ns = 0;
    if (++camera->empty_looks <= EMPTY_MAX || port->calls->poll(port->calls->user, &fd, 0) <= 0)
        return ZCS_OK;
    if (fd.revents & POLLHUP)
        return zci_v4l2_trouble(&camera->dev, "poll", ENODEV);
    if (fd.revents & (POLLERR | POLLNVAL) && !(fd.revents & POLLIN))
        camera->rest_until_ns = zci_now_ns() + PAUSE_NS;
    return ZCS_OK;
}

/* Drivers often stop when the signal changes: the event comes without a frame then. */
static zcs_status check_signal(struct zci_v4l2_camera *camera)
{
    struct zci_v4l2_changes *changes = &camera->handle.changes;
    if (changes->signal != 0)
        zci_v4l2_changes_read(changes, &camera->dev.port);
    return changes->signal == 2 ? zci_v4l2_signal_follow(camera) : ZCS_OK;
}

/* Other drivers never stop, and who is slower than they finds a frame at each look: what was filled before the
 * change is a frame a buffer at most. */
static int signal_is_due(const struct zci_v4l2_camera *camera)
{
    return camera->handle.changes.signal == 2 && camera->after_signal >= camera->buffers.count;
}

static zcs_status check_watchdog(struct zci_v4l2_camera *camera)
{
    const int64_t due_ns = zci_v4l2_watchdog_due_ns(&camera->watchdog);
    if (due_ns == INT64_MAX || zci_now_ns() < due_ns)
        return ZCS_OK;
    return restart(camera, "no frame comes any more");
}

/* ZCS_OK: look again. ZCS_AGAIN: the deadline passed, or a signal came. */
static zcs_status await_frame(struct zci_v4l2_camera *camera, int64_t deadline_ns)
{
    const int64_t due_ns = zci_v4l2_watchdog_due_ns(&camera->watchdog);
    const int64_t left_ns = zci_left_ns(due_ns < deadline_ns ? due_ns : deadline_ns);
    const int64_t left_ms = left_ns < 0 ? -1 : (left_ns + 999999) / 1000000;
    const struct zci_v4l2_port *port = &camera->dev.port;
    const short events = camera->head.fd_urgent ? POLLIN | POLLPRI : POLLIN;
    struct pollfd fd = {.fd = port->fd, .events = events};
    const int ready =
        port->calls->poll(port->calls->user, &fd, left_ms < INT32_MAX ? (int)left_ms : INT32_MAX);
    if (ready < 0 && errno != EINTR)
        return zci_v4l2_trouble(&camera->dev, "poll", errno);
    /* An error without a frame: poll says it again at once, and DQBUF may know of none. */
    if (ready > 0 && !(fd.revents & events))
        rest(left_ns);
    if (ready > 0 || (ready == 0 && due_ns < deadline_ns))
        return ZCS_OK;
    return ZCS_AGAIN;
}

zcs_status zci_v4l2_capture_next(struct zci_v4l2_camera *camera, int64_t timeout_ns,
                                 struct zci_slot **out)
{
    const int64_t deadline_ns = zci_deadline_ns(timeout_ns);
    const zcs_status given = give_back_all(camera);
    if (given != ZCS_OK)
        return given;
    /* Who has time waits first: a driver that is asked too early costs a system call a frame. */
    zcs_status waited = timeout_ns != 0 ? await_frame(camera, deadline_ns) : ZCS_OK;
    uint32_t lost = 0;
    while (waited >= 0) {
        struct zci_slot *slot = NULL;
        zcs_status status =
            signal_is_due(camera) ? zci_v4l2_signal_follow(camera) : take(camera, &slot);
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
            status = check_signal(camera);
        if (status == ZCS_OK)
            status = check_descriptor(camera);
        if (status == ZCS_OK)
            status = check_watchdog(camera);
        if (status != ZCS_OK)
            return status;
        if (waited != ZCS_OK || zci_left_ns(deadline_ns) == 0)
            return ZCS_AGAIN;
        waited = await_frame(camera, deadline_ns);
    }
    return waited;
}
