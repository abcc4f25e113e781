/* SPDX-License-Identifier: MIT */
/* Requests about buffers, and their order. */
#define _GNU_SOURCE /* memfd_create */
#include "vcam/buffers.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vcam/format.h"
#include "vcam/frames.h"
#include "vcam/memory.h"
#include "vcam/ready.h"
#include "vcam/target.h"

static uint32_t queue_type(const struct vcam_camera *camera)
{
    return camera->script->multi ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE : V4L2_BUF_TYPE_VIDEO_CAPTURE;
}

/* Whether another open file has the buffers. A close that has not reached us yet is waited for. */
static int taken(struct vcam_camera *camera, const struct vcam_handle *handle)
{
    struct vcam_handle *owner = camera->owner;
    for (int tries = 0; owner != NULL && owner != handle && tries < 50; tries++) {
        if (vcam_ready_closed(owner->ours)) {
            vcam_camera_release(owner);
            return 0;
        }
        const int fd = vcam_target_descriptor(owner->pid, owner->fd);
        const int still = fd >= 0 && vcam_inode(fd) == owner->inode;
        if (fd >= 0)
            close(fd);
        if (still)
            return 1;
        usleep(1000);
    }
    return camera->owner != NULL && camera->owner != handle;
}

void vcam_buffers_free(struct vcam_camera *camera)
{
    vcam_frames_stop(camera);
    vcam_memory_free(camera);
    memset(camera->buffers, 0, sizeof camera->buffers);
    camera->count = 0;
    camera->owner = NULL;
}

static uint32_t capabilities(const struct vcam_script *s)
{
    if (s->untold)
        return 0;
    return (s->mmap ? V4L2_BUF_CAP_SUPPORTS_MMAP : 0u) |
           (s->userptr ? V4L2_BUF_CAP_SUPPORTS_USERPTR : 0u) |
           (s->dmabuf ? V4L2_BUF_CAP_SUPPORTS_DMABUF : 0u) |
           (s->no_orphans ? 0u : V4L2_BUF_CAP_SUPPORTS_ORPHANED_BUFS);
}

static int has_memory(const struct vcam_script *s, uint32_t memory)
{
    return (memory == V4L2_MEMORY_MMAP && s->mmap) ||
           (memory == V4L2_MEMORY_USERPTR && s->userptr) ||
           (memory == V4L2_MEMORY_DMABUF && s->dmabuf);
}

/* What is there goes first. */
static int drop_old(struct vcam_camera *camera, const struct vcam_call *call)
{
    if (camera->streaming)
        return -EBUSY;
    if (camera->count == 0)
        return 0;
    if (camera->script->no_orphans && camera->memory == V4L2_MEMORY_MMAP &&
        vcam_target_maps(call->pid, camera->store_inode))
        return -EBUSY;
    vcam_buffers_free(camera);
    return 0;
}

int vcam_reqbufs(struct vcam_camera *camera, struct vcam_handle *handle,
                 const struct vcam_call *call, struct v4l2_requestbuffers *request)
{
    const struct vcam_script *s = camera->script;
    if (request->type != queue_type(camera))
        return -EINVAL;
    request->capabilities = capabilities(s);
    request->flags = 0;
    memset(request->reserved, 0, sizeof request->reserved);
    if (!has_memory(s, request->memory))
        return -EINVAL;
    if (taken(camera, handle))
        return -EBUSY;
    int error = drop_old(camera, call);
    if (error != 0 || request->count == 0)
        return error;
    if (request->count < s->min_buffers)
        request->count = s->min_buffers;
    if (request->count > s->max_buffers)
        request->count = s->max_buffers;
    camera->memory = request->memory;
    camera->count = request->count;
    camera->owner = handle;
    camera->pid = call->pid;
    for (uint32_t i = 0; i < camera->count; i++)
        camera->buffers[i].early_ns = VCAM_NEVER;
    if (camera->memory == V4L2_MEMORY_MMAP)
        error = vcam_memory_make(camera);
    if (error != 0)
        vcam_buffers_free(camera);
    return error;
}

/* The planes that a multi-planar request points to. */
static int read_planes(const struct vcam_camera *camera, const struct vcam_call *call,
                       const struct v4l2_buffer *buffer, struct v4l2_plane planes[VCAM_PLANES])
{
    memset(planes, 0, VCAM_PLANES * sizeof *planes);
    if (!camera->script->multi) {
        planes[0].length = buffer->length;
        planes[0].m.userptr = buffer->m.userptr;
        return 0;
    }
    if (buffer->length < camera->format.planes || buffer->length > VIDEO_MAX_PLANES)
        return -EINVAL;
    return vcam_target_read(call->tid, (uint64_t)(uintptr_t)buffer->m.planes, planes,
                            camera->format.planes * sizeof *planes);
}

static uint32_t flags_of(const struct vcam_camera *camera, const struct vcam_buffer *b)
{
    uint32_t flags = camera->script->clock_flags;
    if (b->state == VCAM_QUEUED)
        flags |= V4L2_BUF_FLAG_QUEUED;
    if (b->state == VCAM_DONE)
        flags |= V4L2_BUF_FLAG_DONE;
    if (b->prepared && b->state == VCAM_IDLE)
        flags |= V4L2_BUF_FLAG_PREPARED;
    return flags;
}

/* Where plane p of buffer i is, in the program's words. */
static void tell_place(const struct vcam_camera *camera, uint32_t i, uint32_t p,
                       struct v4l2_plane *out)
{
    const struct vcam_buffer *b = &camera->buffers[i];
    out->length = camera->format.size[p];
    if (camera->memory == V4L2_MEMORY_MMAP) {
        out->m.mem_offset = (uint32_t)vcam_store_offset(camera, i, p);
    } else {
        out->length = b->length[p] != 0 ? b->length[p] : camera->format.size[p];
        if (camera->memory == V4L2_MEMORY_USERPTR)
            out->m.userptr = b->address[p];
    }
}

static int tell_buffer(const struct vcam_camera *camera, const struct vcam_call *call, uint32_t i,
                       struct v4l2_buffer *out)
{
    const struct vcam_buffer *b = &camera->buffers[i];
    struct v4l2_plane planes[VCAM_PLANES];
    int error = read_planes(camera, call, out, planes);
    if (error != 0)
        return error;
    out->index = i;
    out->memory = camera->memory;
    out->flags = flags_of(camera, b) | b->flags;
    out->field = camera->script->field != 0 ? camera->script->field : V4L2_FIELD_NONE;
    out->sequence = b->sequence;
    out->timestamp = b->time;
    out->reserved2 = 0;
    for (uint32_t p = 0; p < camera->format.planes; p++) {
        tell_place(camera, i, p, &planes[p]);
        planes[p].bytesused = b->bytes_used[p];
        planes[p].data_offset = 0;
    }
    if (!camera->script->multi) {
        out->length = planes[0].length;
        out->bytesused = planes[0].bytesused;
        out->m.userptr = 0;
        if (camera->memory == V4L2_MEMORY_MMAP)
            out->m.offset = planes[0].m.mem_offset;
        else
            out->m.userptr = planes[0].m.userptr;
        return 0;
    }
    out->bytesused = 0;
    out->length = camera->format.planes;
    return vcam_target_write(call->tid, (uint64_t)(uintptr_t)out->m.planes, planes,
                             camera->format.planes * sizeof *planes);
}

int vcam_querybuf(struct vcam_camera *camera, const struct vcam_call *call,
                  struct v4l2_buffer *buffer)
{
    if (buffer->type != queue_type(camera) || buffer->index >= camera->count)
        return -EINVAL;
    return tell_buffer(camera, call, buffer->index, buffer);
}

/* What QBUF and PREPARE_BUF check alike. */
static int take_buffer(struct vcam_camera *camera, struct vcam_handle *handle,
                       const struct vcam_call *call, const struct v4l2_buffer *buffer)
{
    struct v4l2_plane planes[VCAM_PLANES];
    if (buffer->type != queue_type(camera))
        return -EINVAL;
    if (taken(camera, handle))
        return -EBUSY;
    if (buffer->index >= camera->count || buffer->memory != camera->memory ||
        camera->buffers[buffer->index].state != VCAM_IDLE)
        return -EINVAL;
    if (camera->broken)
        return -EIO;
    if (camera->buffers[buffer->index].prepared)
        return 0; /* what it was prepared with counts */
    const int error = read_planes(camera, call, buffer, planes);
    return error != 0 ? error : vcam_memory_take(camera, call, buffer->index, planes);
}

int vcam_prepare_buf(struct vcam_camera *camera, struct vcam_handle *handle,
                     const struct vcam_call *call, struct v4l2_buffer *buffer)
{
    if (buffer->index < camera->count && camera->buffers[buffer->index].prepared)
        return -EINVAL;
    const int error = take_buffer(camera, handle, call, buffer);
    if (error != 0)
        return error;
    camera->buffers[buffer->index].prepared = 1;
    return tell_buffer(camera, call, buffer->index, buffer);
}

int vcam_qbuf(struct vcam_camera *camera, struct vcam_handle *handle, const struct vcam_call *call,
              struct v4l2_buffer *buffer)
{
    const int error = take_buffer(camera, handle, call, buffer);
    if (error != 0)
        return error;
    struct vcam_buffer *b = &camera->buffers[buffer->index];
    b->state = VCAM_QUEUED;
    b->prepared = 0;
    b->flags = 0;
    b->early_ns = VCAM_NEVER;
    memset(b->bytes_used, 0, sizeof b->bytes_used);
    camera->queued[camera->queued_count++] = buffer->index;
    camera->ever_queued = 1;
    if (camera->script->at_queue)
        vcam_frames_fill_early(camera, buffer->index, camera->queued_count - 1);
    vcam_camera_show(camera);
    return tell_buffer(camera, call, buffer->index, buffer);
}

/* What DQBUF says before there is a frame; 0: one is there. */
static int not_ready(struct vcam_camera *camera, const struct vcam_call *call)
{
    if (!camera->streaming)
        return -EINVAL;
    if (camera->broken)
        return -EIO;
    if (camera->again) {
        camera->again = 0;
        return -EAGAIN;
    }
    if (camera->eio > 0) {
        camera->eio--;
        return -EIO;
    }
    if (camera->done_count > 0)
        return 0;
    return fcntl(call->theirs, F_GETFL) & O_NONBLOCK ? -EAGAIN : VCAM_WAITS;
}

int vcam_dqbuf(struct vcam_camera *camera, const struct vcam_call *call, struct v4l2_buffer *buffer)
{
    if (buffer->type != queue_type(camera))
        return -EINVAL;
    int error = not_ready(camera, call);
    if (error != 0) {
        vcam_camera_show(camera);
        return error;
    }
    const uint32_t i = camera->done[0];
    struct vcam_buffer *b = &camera->buffers[i];
    b->state = VCAM_IDLE;
    error = tell_buffer(camera, call, i, buffer);
    if (error != 0) {
        b->state = VCAM_DONE;
        return error;
    }
    memmove(camera->done, camera->done + 1, --camera->done_count * sizeof camera->done[0]);
    vcam_frames_taken(camera, i);
    vcam_camera_show(camera);
    return 0;
}

int vcam_streamon(struct vcam_camera *camera, struct vcam_handle *handle, int type)
{
    if ((uint32_t)type != queue_type(camera))
        return -EINVAL;
    if (taken(camera, handle))
        return -EBUSY;
    if (camera->count == 0)
        return -EINVAL;
    if (!camera->streaming)
        vcam_frames_start(camera);
    vcam_camera_show(camera);
    return 0;
}

int vcam_streamoff(struct vcam_camera *camera, struct vcam_handle *handle, int type)
{
    if ((uint32_t)type != queue_type(camera))
        return -EINVAL;
    if (taken(camera, handle))
        return -EBUSY;
    vcam_frames_stop(camera);
    vcam_camera_show(camera);
    return 0;
}
