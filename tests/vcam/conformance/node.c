/* SPDX-License-Identifier: MIT */
/* One way of asking for single- and multi-planar cameras. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "vcam/conformance/node.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

const char node_absent[] = "not offered";

static struct {
    uint32_t fourcc, width, height;
} wish = {V4L2_PIX_FMT_YUYV, 320, 240};

void node_wish(uint32_t fourcc, uint32_t width, uint32_t height)
{
    wish.fourcc = fourcc;
    wish.width = width;
    wish.height = height;
}

uint32_t node_wished_fourcc(void)
{
    return wish.fourcc;
}

const char *node_wrong(const char *what)
{
    static char text[256];
    snprintf(text, sizeof text, "%s: %s", what, errno != 0 ? strerror(errno) : "no");
    return text;
}

const char *node_differs(const char *what, int64_t got, int64_t wanted)
{
    static char text[256];
    snprintf(text, sizeof text, "%s: %" PRId64 " instead of %" PRId64, what, got, wanted);
    return text;
}

int node_ask(const struct node *n, unsigned long request, void *argument)
{
    return ioctl(n->fd, request, argument) == 0 ? 0 : errno;
}

static int set_format(const struct node *n)
{
    struct v4l2_format format = {.type = n->type};
    if (n->multi) {
        format.fmt.pix_mp.pixelformat = wish.fourcc;
        format.fmt.pix_mp.width = wish.width;
        format.fmt.pix_mp.height = wish.height;
    } else {
        format.fmt.pix.pixelformat = wish.fourcc;
        format.fmt.pix.width = wish.width;
        format.fmt.pix.height = wish.height;
    }
    return node_ask(n, VIDIOC_S_FMT, &format);
}

int node_get_format(struct node *n)
{
    struct v4l2_format format = {.type = n->type};
    const int error = node_ask(n, VIDIOC_G_FMT, &format);
    if (error != 0)
        return error;
    if (!n->multi) {
        n->planes = 1;
        n->fourcc = format.fmt.pix.pixelformat;
        n->width = format.fmt.pix.width;
        n->height = format.fmt.pix.height;
        n->stride[0] = format.fmt.pix.bytesperline;
        n->size[0] = format.fmt.pix.sizeimage;
        return 0;
    }
    n->planes = format.fmt.pix_mp.num_planes;
    n->fourcc = format.fmt.pix_mp.pixelformat;
    n->width = format.fmt.pix_mp.width;
    n->height = format.fmt.pix_mp.height;
    for (uint32_t p = 0; p < n->planes && p < NODE_PLANES; p++) {
        n->stride[p] = format.fmt.pix_mp.plane_fmt[p].bytesperline;
        n->size[p] = format.fmt.pix_mp.plane_fmt[p].sizeimage;
    }
    return 0;
}

/* At higher rates vivid repeats numbers. */
static void slow_down(const struct node *n)
{
    struct v4l2_streamparm parm = {.type = n->type};
    parm.parm.capture.timeperframe = (struct v4l2_fract){1, 25};
    (void)node_ask(n, VIDIOC_S_PARM, &parm);
}

int node_open(struct node *n, const char *path, int flags)
{
    struct v4l2_capability cap;
    memset(n, 0, sizeof *n);
    n->fd = open(path, O_RDWR | O_CLOEXEC | flags);
    if (n->fd < 0)
        return errno;
    int error = node_ask(n, VIDIOC_QUERYCAP, &cap);
    n->caps = cap.device_caps;
    n->multi = !(n->caps & V4L2_CAP_VIDEO_CAPTURE);
    n->type = n->multi ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE : V4L2_BUF_TYPE_VIDEO_CAPTURE;
    if (error == 0)
        error = set_format(n);
    /* A second user cannot set it while the first has buffers. */
    if (error == 0 || error == EBUSY)
        error = node_get_format(n);
    slow_down(n);
    return error;
}

void node_close(struct node *n)
{
    for (uint32_t i = 0; i < NODE_BUFFERS; i++)
        for (uint32_t p = 0; p < NODE_PLANES; p++)
            if (n->at[i][p] != NULL)
                munmap(n->at[i][p], n->length[p]);
    if (n->fd >= 0)
        close(n->fd);
    n->fd = -1;
}

int node_request(struct node *n, uint32_t memory, uint32_t count, struct v4l2_requestbuffers *out)
{
    *out = (struct v4l2_requestbuffers){.count = count, .type = n->type, .memory = memory};
    const int error = node_ask(n, VIDIOC_REQBUFS, out);
    if (error == 0) {
        n->memory = memory;
        n->count = out->count < NODE_BUFFERS ? out->count : NODE_BUFFERS;
    }
    return error;
}

void node_fill(const struct node *n, struct node_buffer *buffer, uint32_t index)
{
    memset(buffer, 0, sizeof *buffer);
    buffer->b.index = index;
    buffer->b.type = n->type;
    buffer->b.memory = n->memory;
    if (n->multi) {
        buffer->b.m.planes = buffer->planes;
        buffer->b.length = n->planes;
    }
    if (n->memory != V4L2_MEMORY_USERPTR)
        return;
    for (uint32_t p = 0; p < n->planes; p++) {
        buffer->planes[p].m.userptr = (unsigned long)n->at[index][p];
        buffer->planes[p].length = (uint32_t)n->length[p];
    }
    if (!n->multi) {
        buffer->b.m.userptr = buffer->planes[0].m.userptr;
        buffer->b.length = buffer->planes[0].length;
    }
}

int node_queue(const struct node *n, uint32_t index)
{
    struct node_buffer buffer;
    node_fill(n, &buffer, index);
    return node_ask(n, VIDIOC_QBUF, &buffer.b);
}

int node_dequeue(const struct node *n, struct node_buffer *out)
{
    node_fill(n, out, 0);
    out->b.m.userptr = 0;
    out->b.length = 0;
    if (n->multi) {
        out->b.m.planes = out->planes;
        out->b.length = VIDEO_MAX_PLANES;
    }
    return node_ask(n, VIDIOC_DQBUF, &out->b);
}

int node_stream(const struct node *n, int on)
{
    int type = (int)n->type;
    return node_ask(n, on ? VIDIOC_STREAMON : VIDIOC_STREAMOFF, &type);
}

uint32_t node_length(const struct node *n, const struct node_buffer *buffer, uint32_t plane)
{
    return n->multi ? buffer->planes[plane].length : buffer->b.length;
}

uint32_t node_bytes(const struct node *n, const struct node_buffer *buffer, uint32_t plane)
{
    return n->multi ? buffer->planes[plane].bytesused : buffer->b.bytesused;
}

static int map_plane(struct node *n, uint32_t index, uint32_t p)
{
    struct node_buffer buffer;
    void *at;
    if (n->memory == V4L2_MEMORY_USERPTR) {
        n->length[p] = (n->size[p] + 4095) & ~(size_t)4095;
        at = mmap(NULL, n->length[p], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    } else {
        node_fill(n, &buffer, index);
        const int error = node_ask(n, VIDIOC_QUERYBUF, &buffer.b);
        if (error != 0)
            return error;
        n->length[p] = node_length(n, &buffer, p);
        at = mmap(NULL, n->length[p], PROT_READ | PROT_WRITE, MAP_SHARED, n->fd,
                  n->multi ? buffer.planes[p].m.mem_offset : buffer.b.m.offset);
    }
    if (at == MAP_FAILED)
        return errno;
    n->at[index][p] = at;
    return 0;
}

int node_memory(struct node *n)
{
    int error = 0;
    for (uint32_t i = 0; i < n->count && error == 0; i++)
        for (uint32_t p = 0; p < n->planes && error == 0; p++)
            error = map_plane(n, i, p);
    return error;
}

int node_start(struct node *n, uint32_t memory, uint32_t count)
{
    struct v4l2_requestbuffers request;
    int error = node_request(n, memory, count, &request);
    if (error == 0)
        error = node_memory(n);
    for (uint32_t i = 0; i < n->count && error == 0; i++)
        error = node_queue(n, i);
    return error != 0 ? error : node_stream(n, 1);
}

int node_poll(const struct node *n, int events, int timeout_ms)
{
    struct pollfd fd = {.fd = n->fd, .events = (short)events};
    return poll(&fd, 1, timeout_ms) > 0 ? fd.revents : 0;
}

int node_frame(const struct node *n, struct node_buffer *out)
{
    if (!(node_poll(n, POLLIN, 5000) & POLLIN))
        return ETIME;
    return node_dequeue(n, out);
}

uint32_t node_kind(struct node *n)
{
    struct v4l2_requestbuffers request;
    if (node_request(n, V4L2_MEMORY_MMAP, 0, &request) == 0)
        return V4L2_MEMORY_MMAP;
    return V4L2_MEMORY_USERPTR;
}
