/* SPDX-License-Identifier: MIT */
/* Queues of events, one for each open file; the oldest goes where there is no room. */
#include "vcam/events.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define MAX (sizeof((struct vcam_handle *)0)->events / sizeof(struct v4l2_event))

static void push(struct vcam_handle *handle, const struct v4l2_event *event)
{
    struct timespec now;
    if (handle->event_count == MAX)
        memmove(handle->events, handle->events + 1, --handle->event_count * sizeof *event);
    struct v4l2_event *to = &handle->events[handle->event_count++];
    *to = *event;
    to->sequence = handle->event_sequence++;
    clock_gettime(CLOCK_MONOTONIC, &now);
    to->timestamp.tv_sec = now.tv_sec;
    to->timestamp.tv_nsec = now.tv_nsec;
}

/* Its place in the script; -1: there is none; -2: it is a class's name, which never changes. */
static int place_of(const struct vcam_camera *camera, uint32_t id)
{
    for (uint32_t i = 0; i < camera->script->control_count; i++)
        if (camera->script->controls[i].id == id)
            return (int)i;
    for (uint32_t i = 0; i < camera->script->control_count; i++)
        if (((camera->script->controls[i].id & 0x0fff0000u) | 1u) == id)
            return -2;
    return -1;
}

static struct v4l2_event control_event(const struct vcam_camera *camera, uint32_t place,
                                       uint32_t changes)
{
    const struct vcam_control *control = &camera->script->controls[place];
    return (struct v4l2_event){.type = V4L2_EVENT_CTRL,
                               .id = control->id,
                               .u.ctrl = {.changes = changes,
                                          .type = control->type,
                                          .value = camera->control[place],
                                          .minimum = control->min,
                                          .maximum = control->max,
                                          .step = control->step,
                                          .default_value = control->default_value}};
}

static int subscribe_control(struct vcam_handle *handle,
                             const struct v4l2_event_subscription *wanted)
{
    const int place = place_of(handle->camera, wanted->id);
    if (place < 0)
        return place == -1 ? -EINVAL : 0;
    handle->control_events = 1;
    handle->own_events = (wanted->flags & V4L2_EVENT_SUB_FL_ALLOW_FEEDBACK) != 0;
    if (wanted->flags & V4L2_EVENT_SUB_FL_SEND_INITIAL) {
        const struct v4l2_event event = control_event(
            handle->camera, (uint32_t)place, V4L2_EVENT_CTRL_CH_VALUE | V4L2_EVENT_CTRL_CH_FLAGS);
        push(handle, &event);
    }
    return 0;
}

int vcam_subscribe(struct vcam_handle *handle, const struct v4l2_event_subscription *wanted, int on)
{
    int error = 0;
    if (!on) {
        handle->control_events &= wanted->type == V4L2_EVENT_SOURCE_CHANGE;
        handle->source_events &= wanted->type == V4L2_EVENT_CTRL;
        handle->event_count = 0;
    } else if (wanted->type == V4L2_EVENT_CTRL) {
        error = subscribe_control(handle, wanted);
    } else if (wanted->type == V4L2_EVENT_SOURCE_CHANGE) {
        handle->source_events = 1;
    } else {
        error = -EINVAL;
    }
    vcam_camera_show(handle->camera);
    return error;
}

int vcam_dqevent(struct vcam_handle *handle, struct v4l2_event *event)
{
    if (handle->event_count == 0)
        return -ENOENT;
    *event = handle->events[0];
    memmove(handle->events, handle->events + 1, --handle->event_count * sizeof *event);
    event->pending = handle->event_count;
    vcam_camera_show(handle->camera);
    return 0;
}

void vcam_event_control(struct vcam_camera *camera, uint32_t place, const struct vcam_handle *by)
{
    const struct v4l2_event event = control_event(camera, place, V4L2_EVENT_CTRL_CH_VALUE);
    for (int i = 0; i < VCAM_HANDLES; i++) {
        struct vcam_handle *handle = &vcam_handles()[i];
        if (handle->camera == camera && handle->control_events &&
            (handle != by || handle->own_events))
            push(handle, &event);
    }
    vcam_camera_show(camera);
}

void vcam_event_source(struct vcam_camera *camera)
{
    const struct v4l2_event event = {.type = V4L2_EVENT_SOURCE_CHANGE,
                                     .u.src_change.changes = V4L2_EVENT_SRC_CH_RESOLUTION};
    for (int i = 0; i < VCAM_HANDLES; i++)
        if (vcam_handles()[i].camera == camera && vcam_handles()[i].source_events)
            push(&vcam_handles()[i], &event);
    vcam_camera_show(camera);
}
