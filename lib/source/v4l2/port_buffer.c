/* SPDX-License-Identifier: MIT */
/* Requests about buffers: allocating, queueing and dequeueing them, and streaming. */
#include "source/v4l2/port.h"

#include <errno.h>
#include <linux/videodev2.h>

static uint32_t memory_of(enum zci_v4l2_memory memory)
{
    switch (memory) {
    case ZCI_V4L2_USERPTR:
        return V4L2_MEMORY_USERPTR;
    case ZCI_V4L2_DMABUF:
        return V4L2_MEMORY_DMABUF;
    case ZCI_V4L2_MMAP:
        break;
    }
    return V4L2_MEMORY_MMAP;
}

int zci_v4l2_reqbufs(const struct zci_v4l2_port *port, enum zci_v4l2_memory memory, uint32_t *count,
                     uint32_t *can)
{
    struct v4l2_requestbuffers request = {
        .count = *count, .type = zci_v4l2_buf_type(port), .memory = memory_of(memory)};
    const int error = zci_v4l2_ioctl(port, VIDIOC_REQBUFS, &request);
    const uint32_t caps = request.capabilities;
    *count = error == 0 ? request.count : 0;
    *can = (caps & V4L2_BUF_CAP_SUPPORTS_MMAP ? ZCI_V4L2_CAN_MMAP : 0) |
           (caps & V4L2_BUF_CAP_SUPPORTS_USERPTR ? ZCI_V4L2_CAN_USERPTR : 0) |
           (caps & V4L2_BUF_CAP_SUPPORTS_DMABUF ? ZCI_V4L2_CAN_DMABUF : 0);
    return error;
}

/* The kernel's struct and, for the multi-planar API, its planes. Every request starts from a
 * cleared one. */
struct kernel_buffer {
    struct v4l2_buffer buffer;
    struct v4l2_plane planes[VIDEO_MAX_PLANES];
};

static void kernel_buffer_init(struct kernel_buffer *kernel, const struct zci_v4l2_port *port,
                               enum zci_v4l2_memory memory, uint32_t index)
{
    *kernel = (struct kernel_buffer){
        .buffer = {.index = index, .type = zci_v4l2_buf_type(port), .memory = memory_of(memory)}};
    if (port->mplane) {
        kernel->buffer.m.planes = kernel->planes;
        kernel->buffer.length = VIDEO_MAX_PLANES;
    }
}

static void put_plane(struct v4l2_plane *to, enum zci_v4l2_memory memory,
                      const struct zci_v4l2_plane *from)
{
    to->length = from->length;
    if (memory == ZCI_V4L2_USERPTR)
        to->m.userptr = (unsigned long)from->address;
    else if (memory == ZCI_V4L2_DMABUF)
        to->m.fd = from->fd;
}

static void put_planes(struct kernel_buffer *kernel, const struct zci_v4l2_port *port,
                       enum zci_v4l2_memory memory, const struct zci_v4l2_buffer *from)
{
    if (!port->mplane) {
        struct v4l2_plane plane = {0};
        put_plane(&plane, memory, &from->plane[0]);
        kernel->buffer.length = plane.length;
        if (memory == ZCI_V4L2_USERPTR)
            kernel->buffer.m.userptr = plane.m.userptr;
        else if (memory == ZCI_V4L2_DMABUF)
            kernel->buffer.m.fd = plane.m.fd;
        return;
    }
    kernel->buffer.length = from->planes;
    for (uint32_t p = 0; p < from->planes; p++)
        put_plane(&kernel->planes[p], memory, &from->plane[p]);
}

static void get_planes(const struct kernel_buffer *kernel, const struct zci_v4l2_port *port,
                       struct zci_v4l2_buffer *to)
{
    if (!port->mplane) {
        to->planes = 1;
        to->plane[0] = (struct zci_v4l2_plane){.length = kernel->buffer.length,
                                               .bytes_used = kernel->buffer.bytesused,
                                               .map_offset = kernel->buffer.m.offset};
        return;
    }
    to->planes = kernel->buffer.length < ZCS_MAX_PLANES ? kernel->buffer.length : ZCS_MAX_PLANES;
    for (uint32_t p = 0; p < to->planes; p++)
        to->plane[p] = (struct zci_v4l2_plane){.length = kernel->planes[p].length,
                                               .bytes_used = kernel->planes[p].bytesused,
                                               .data_offset = kernel->planes[p].data_offset,
                                               .map_offset = kernel->planes[p].m.mem_offset};
}

/* Some drivers report negative seconds, or seconds near the end of the range. */
static int64_t nanoseconds(const struct v4l2_buffer *buffer)
{
    const int64_t seconds = (int64_t)buffer->timestamp.tv_sec;
    const int64_t rest = (int64_t)buffer->timestamp.tv_usec * 1000;
    if (seconds >= INT64_MAX / 1000000000)
        return INT64_MAX;
    if (seconds <= INT64_MIN / 1000000000)
        return INT64_MIN;
    return seconds * 1000000000 + rest;
}

static enum zcs_clock clock_of(const struct v4l2_buffer *buffer)
{
    if (buffer->timestamp.tv_sec == 0 && buffer->timestamp.tv_usec == 0)
        return ZCS_CLOCK_NONE;
    switch (buffer->flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) {
    case V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC:
        return ZCS_CLOCK_MONOTONIC;
    case V4L2_BUF_FLAG_TIMESTAMP_COPY:
        return ZCS_CLOCK_MEDIA;
    default:
        return ZCS_CLOCK_UNKNOWN;
    }
}

int zci_v4l2_querybuf(const struct zci_v4l2_port *port, struct zci_v4l2_buffer *inout)
{
    struct kernel_buffer kernel;
    kernel_buffer_init(&kernel, port, ZCI_V4L2_MMAP, inout->index);
    const int error = zci_v4l2_ioctl(port, VIDIOC_QUERYBUF, &kernel.buffer);
    if (error == 0)
        get_planes(&kernel, port, inout);
    return error;
}

int zci_v4l2_prepare_buf(const struct zci_v4l2_port *port, struct zci_v4l2_buffer *inout)
{
    struct kernel_buffer kernel;
    kernel_buffer_init(&kernel, port, ZCI_V4L2_MMAP, inout->index);
    const int error = zci_v4l2_ioctl(port, VIDIOC_PREPARE_BUF, &kernel.buffer);
    return error != 0 ? error : zci_v4l2_querybuf(port, inout);
}

int zci_v4l2_qbuf(const struct zci_v4l2_port *port, enum zci_v4l2_memory memory,
                  const struct zci_v4l2_buffer *buffer)
{
    struct kernel_buffer kernel;
    kernel_buffer_init(&kernel, port, memory, buffer->index);
    put_planes(&kernel, port, memory, buffer);
    return zci_v4l2_ioctl(port, VIDIOC_QBUF, &kernel.buffer);
}

int zci_v4l2_dqbuf(const struct zci_v4l2_port *port, enum zci_v4l2_memory memory,
                   struct zci_v4l2_buffer *out)
{
    struct kernel_buffer kernel;
    kernel_buffer_init(&kernel, port, memory, 0);
    const int error = zci_v4l2_ioctl(port, VIDIOC_DQBUF, &kernel.buffer);
    if (error != 0)
        return error;
    *out = (struct zci_v4l2_buffer){
        .index = kernel.buffer.index,
        .sequence = kernel.buffer.sequence,
        .time_ns = nanoseconds(&kernel.buffer),
        .clock = clock_of(&kernel.buffer),
        .exposure_start =
            (kernel.buffer.flags & V4L2_BUF_FLAG_TSTAMP_SRC_MASK) == V4L2_BUF_FLAG_TSTAMP_SRC_SOE,
        .error = (kernel.buffer.flags & V4L2_BUF_FLAG_ERROR) != 0,
    };
    get_planes(&kernel, port, out);
    return 0;
}

int zci_v4l2_stream(const struct zci_v4l2_port *port, int on)
{
    int type = (int)zci_v4l2_buf_type(port);
    return zci_v4l2_ioctl(port, on ? VIDIOC_STREAMON : VIDIOC_STREAMOFF, &type);
}
