/* SPDX-License-Identifier: MIT */
/* A virtual camera as a whole: its ioctls, its open files, what poll says of it. */
#include "vcam/camera.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "vcam/buffers.h"
#include "vcam/controls.h"
#include "vcam/events.h"
#include "vcam/format.h"
#include "vcam/frames.h"
#include "vcam/ready.h"
#include "vcam/strict.h"
#include "vcam/target.h"
#include "vcam/words.h"

int64_t vcam_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

struct vcam_handle *vcam_handles(void)
{
    static struct vcam_handle handles[VCAM_HANDLES];
    return handles;
}

int vcam_camera_init(struct vcam_camera *camera, const struct vcam_script *script)
{
    uint32_t max = 1;
    memset(camera, 0, sizeof *camera);
    camera->script = script;
    camera->store = -1;
    camera->due_ns = camera->back_ns = VCAM_NEVER;
    for (uint32_t i = 0; i < script->control_count; i++)
        camera->control[i] = script->controls[i].default_value;
    for (uint32_t i = 0; i < script->mode_count; i++) {
        struct vcam_format format;
        vcam_format_choose(camera, script->modes[i].fourcc, script->modes[i].width,
                           script->modes[i].height, &format);
        if (vcam_frame_bytes(&format) > max)
            max = vcam_frame_bytes(&format);
    }
    vcam_format_choose(camera, script->modes[0].fourcc, script->modes[0].width,
                       script->modes[0].height, &camera->format);
    camera->fps = script->modes[0].fps_count > 0 ? script->modes[0].fps[0] : 30;
    camera->picture = calloc(1, max);
    return camera->picture != NULL;
}

void vcam_camera_finish(struct vcam_camera *camera)
{
    vcam_buffers_free(camera);
    free(camera->picture);
    camera->picture = NULL;
}

void vcam_camera_complain(struct vcam_camera *camera, const char *what)
{
    if (camera->violations++ < 10)
        fprintf(stderr, "vcam: %s: %s\n", camera->script->path, what);
}

int vcam_camera_fails(struct vcam_camera *camera, uint32_t request)
{
    for (uint32_t i = 0; i < camera->script->fail_count; i++) {
        const struct vcam_fail *fail = &camera->script->fails[i];
        if (fail->request != request)
            continue;
        const uint32_t met = camera->failed[i];
        if (met < UINT32_MAX)
            camera->failed[i]++;
        if (met >= fail->after && (fail->times == VCAM_ALWAYS || met - fail->after < fail->times))
            return fail->error;
    }
    return 0;
}

/* --- what poll says ---------------------------------------------------------------------------------- */
static unsigned state_of(const struct vcam_camera *camera, const struct vcam_handle *handle)
{
    const unsigned event = handle->event_count > 0 ? VCAM_READY_PRI : 0;
    if (camera->owner != NULL && camera->owner != handle)
        return event | VCAM_READY_ERR;
    if (!camera->streaming || camera->broken || !camera->ever_queued)
        return event | VCAM_READY_ERR;
    return event | (camera->done_count > 0 || camera->eio > 0 || camera->again ? VCAM_READY_IN : 0);
}

/* Only the other end is needed to say more; the program's own to take back, and for errors. */
static int needs_theirs(unsigned shown, unsigned wanted)
{
    return (shown & ~wanted) != 0 || (shown & VCAM_READY_PRI) != 0 ||
           (wanted & ~shown & VCAM_READY_ERR) != 0;
}

static void show(struct vcam_handle *handle, unsigned wanted)
{
    const int held = handle->held;
    int theirs = -1;
    if (needs_theirs(handle->shown, wanted)) {
        theirs = held >= 0 ? held : vcam_target_descriptor(handle->pid, handle->fd);
        if (theirs < 0)
            return;
    }
    if (theirs < 0 || vcam_inode(theirs) == handle->inode) {
        vcam_ready_show(handle->ours, theirs, handle->shown, wanted);
        handle->shown = wanted;
    }
    if (held < 0 && theirs >= 0)
        close(theirs);
}

void vcam_camera_show(struct vcam_camera *camera)
{
    for (int i = 0; i < VCAM_HANDLES; i++) {
        struct vcam_handle *handle = &vcam_handles()[i];
        if (handle->camera == camera && handle->ours >= 0 &&
            state_of(camera, handle) != handle->shown)
            show(handle, state_of(camera, handle));
    }
}

void vcam_camera_unplug(struct vcam_camera *camera)
{
    camera->gone = 1;
    for (int i = 0; i < VCAM_HANDLES; i++) {
        struct vcam_handle *handle = &vcam_handles()[i];
        if (handle->camera != camera || handle->ours < 0)
            continue;
        const int held = handle->held;
        const int theirs = held >= 0 ? held : vcam_target_descriptor(handle->pid, handle->fd);
        if (theirs >= 0 && vcam_inode(theirs) == handle->inode)
            vcam_ready_hang_up(theirs);
        if (held < 0 && theirs >= 0)
            close(theirs);
        close(handle->ours);
        handle->ours = -1;
    }
    vcam_buffers_free(camera);
}

void vcam_camera_release(struct vcam_handle *handle)
{
    struct vcam_camera *camera = handle->camera;
    if (camera->owner == handle)
        vcam_buffers_free(camera);
    if (handle->ours >= 0)
        close(handle->ours);
    if (handle->held >= 0)
        close(handle->held);
    handle->camera = NULL;
    vcam_camera_show(camera);
}

/* --- ioctls ------------------------------------------------------------------------------------------ */
static int querycap(const struct vcam_camera *camera, struct v4l2_capability *cap)
{
    const struct vcam_script *s = camera->script;
    memset(cap, 0, sizeof *cap);
    snprintf((char *)cap->driver, sizeof cap->driver, "%s", s->driver);
    snprintf((char *)cap->card, sizeof cap->card, "%s", s->card);
    snprintf((char *)cap->bus_info, sizeof cap->bus_info, "%s", s->bus);
    cap->version = 6u << 16 | 1u << 8;
    cap->device_caps = s->caps | V4L2_CAP_EXT_PIX_FORMAT;
    cap->capabilities = cap->device_caps | s->sibling_caps | V4L2_CAP_DEVICE_CAPS;
    return 0;
}

/* The highest that any open file has. */
static uint32_t priority(const struct vcam_camera *camera)
{
    uint32_t max = V4L2_PRIORITY_DEFAULT;
    for (int i = 0; i < VCAM_HANDLES; i++)
        if (vcam_handles()[i].camera == camera && vcam_handles()[i].priority > max)
            max = vcam_handles()[i].priority;
    return max;
}

static int set_priority(struct vcam_handle *handle, uint32_t wanted)
{
    const uint32_t own = handle->priority != 0 ? handle->priority : V4L2_PRIORITY_DEFAULT;
    if (own < priority(handle->camera))
        return -EBUSY;
    if (wanted < V4L2_PRIORITY_BACKGROUND || wanted > V4L2_PRIORITY_RECORD)
        return -EINVAL;
    handle->priority = wanted;
    return 0;
}

static int enum_input(struct v4l2_input *input)
{
    if (input->index > 0)
        return -EINVAL;
    memset(input, 0, sizeof *input);
    snprintf((char *)input->name, sizeof input->name, "Camera 1");
    input->type = V4L2_INPUT_TYPE_CAMERA;
    return 0;
}

static int about_formats(struct vcam_camera *camera, uint32_t request, void *argument)
{
    switch (request) {
    case (uint32_t)VIDIOC_ENUM_FMT:
        return vcam_enum_fmt(camera, argument);
    case (uint32_t)VIDIOC_G_FMT:
        return vcam_g_fmt(camera, argument);
    case (uint32_t)VIDIOC_S_FMT:
        return vcam_s_fmt(camera, argument);
    case (uint32_t)VIDIOC_TRY_FMT:
        return vcam_try_fmt(camera, argument);
    case (uint32_t)VIDIOC_ENUM_FRAMESIZES:
        return vcam_enum_sizes(camera, argument);
    case (uint32_t)VIDIOC_ENUM_FRAMEINTERVALS:
        return vcam_enum_rates(camera, argument);
    case (uint32_t)VIDIOC_G_PARM:
        return vcam_g_parm(camera, argument);
    case (uint32_t)VIDIOC_S_PARM:
        return vcam_s_parm(camera, argument);
    default:
        return -ENOTTY;
    }
}

static int about_buffers(struct vcam_camera *camera, struct vcam_handle *handle,
                         const struct vcam_call *call, void *argument)
{
    switch (call->request) {
    case (uint32_t)VIDIOC_REQBUFS:
        return vcam_reqbufs(camera, handle, call, argument);
    case (uint32_t)VIDIOC_QUERYBUF:
        return vcam_querybuf(camera, call, argument);
    case (uint32_t)VIDIOC_PREPARE_BUF:
        return vcam_prepare_buf(camera, handle, call, argument);
    case (uint32_t)VIDIOC_QBUF:
        return vcam_qbuf(camera, handle, call, argument);
    case (uint32_t)VIDIOC_DQBUF:
        return vcam_dqbuf(camera, call, argument);
    case (uint32_t)VIDIOC_STREAMON:
        return vcam_streamon(camera, handle, *(const int *)argument);
    case (uint32_t)VIDIOC_STREAMOFF:
        return vcam_streamoff(camera, handle, *(const int *)argument);
    default:
        return about_formats(camera, call->request, argument);
    }
}

static int about_controls(struct vcam_camera *camera, struct vcam_handle *handle,
                          const struct vcam_call *call, void *argument)
{
    switch (call->request) {
    case (uint32_t)VIDIOC_QUERYCTRL:
        return vcam_queryctrl(camera, argument);
    case (uint32_t)VIDIOC_QUERY_EXT_CTRL:
        return vcam_query_ext_ctrl(camera, argument);
    case (uint32_t)VIDIOC_QUERYMENU:
        return vcam_querymenu(camera, argument);
    case (uint32_t)VIDIOC_G_CTRL:
        return vcam_g_ctrl(camera, argument);
    case (uint32_t)VIDIOC_S_CTRL:
        return vcam_s_ctrl(camera, handle, argument);
    case (uint32_t)VIDIOC_G_EXT_CTRLS:
    case (uint32_t)VIDIOC_S_EXT_CTRLS:
    case (uint32_t)VIDIOC_TRY_EXT_CTRLS:
        return vcam_ext_ctrls(camera, handle, call, argument);
    case (uint32_t)VIDIOC_SUBSCRIBE_EVENT:
        return vcam_subscribe(handle, argument, 1);
    case (uint32_t)VIDIOC_UNSUBSCRIBE_EVENT:
        return vcam_subscribe(handle, argument, 0);
    case (uint32_t)VIDIOC_DQEVENT:
        return vcam_dqevent(handle, argument);
    default:
        return about_buffers(camera, handle, call, argument);
    }
}

int vcam_camera_ioctl(struct vcam_camera *camera, struct vcam_handle *handle,
                      struct vcam_call *call, void *argument)
{
    if (camera->gone || handle->ours < 0)
        return -ENODEV;
    if (camera->script->strict)
        vcam_strict(camera, call, argument);
    const int error = vcam_camera_fails(camera, call->request);
    if (error != 0)
        return -error;
    const int captures =
        (camera->script->caps & (V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_VIDEO_CAPTURE_MPLANE)) != 0;
    switch (call->request) {
    case (uint32_t)VIDIOC_QUERYCAP:
        return querycap(camera, argument);
    case (uint32_t)VIDIOC_ENUMINPUT:
        return enum_input(argument);
    case (uint32_t)VIDIOC_G_INPUT:
        *(int *)argument = 0;
        return 0;
    case (uint32_t)VIDIOC_S_INPUT:
        return *(const int *)argument == 0 ? 0 : -EINVAL;
    case (uint32_t)VIDIOC_G_PRIORITY:
        *(uint32_t *)argument = priority(camera);
        return 0;
    case (uint32_t)VIDIOC_S_PRIORITY:
        return set_priority(handle, *(const uint32_t *)argument);
    default:
        return captures ? about_controls(camera, handle, call, argument) : -ENOTTY;
    }
}
