/* SPDX-License-Identifier: MIT */
/* Checks of streaming: order, numbers, times, what poll says, and how it ends. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "vcam/conformance/checks.h"

#define FRAMES 6

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int64_t time_us(const struct node_buffer *buffer)
{
    return (int64_t)buffer->b.timestamp.tv_sec * 1000000 + buffer->b.timestamp.tv_usec;
}

/* With frames: the check's own part, on a device that streams with `count` buffers. */
typedef const char *streaming_fn(struct node *n);

static const char *with_stream(const char *path, int flags, uint32_t count, streaming_fn *part)
{
    struct node n;
    if (node_open(&n, path, flags) != 0)
        return node_wrong("open");
    const uint32_t kind = node_kind(&n);
    const int error = node_start(&n, kind, count);
    const char *result = error != 0 ? node_differs("to start", error, 0) : part(&n);
    node_close(&n);
    return result;
}

static const char *one_frame(const struct node *n, const struct node_buffer *buffer)
{
    const uint32_t flags = buffer->b.flags;
    if (buffer->b.index >= n->count)
        return node_differs("index", buffer->b.index, 0);
    if (flags & (V4L2_BUF_FLAG_QUEUED | V4L2_BUF_FLAG_DONE))
        return node_differs("flags of a dequeued buffer", flags, 0);
    if ((flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) != V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
        return node_differs("clock", flags & V4L2_BUF_FLAG_TIMESTAMP_MASK,
                            V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC);
    if (buffer->b.type != n->type || buffer->b.memory != n->memory)
        return "another type or memory";
    for (uint32_t p = 0; p < n->planes; p++)
        if (node_bytes(n, buffer, p) < n->stride[p] || node_bytes(n, buffer, p) > n->size[p])
            return node_differs("bytesused", node_bytes(n, buffer, p), n->size[p]);
    const int64_t age = now_us() - time_us(buffer);
    /* Some count time in jiffies, or tell when the next frame begins. */
    return age > -100000 && age < 5000000 ? NULL : node_differs("age in us", age, 0);
}

static const char *frames_in_a_row(struct node *n)
{
    struct node_buffer buffer;
    int64_t last_us = 0, last = -1;
    for (int i = 0; i < FRAMES; i++) {
        int error = node_frame(n, &buffer);
        if (error != 0)
            return node_differs("DQBUF", error, 0);
        const char *wrong = one_frame(n, &buffer);
        if (wrong != NULL)
            return wrong;
        if ((int64_t)buffer.b.sequence <= last || time_us(&buffer) <= last_us)
            return node_differs("sequence or time does not grow", buffer.b.sequence, last + 1);
        last = buffer.b.sequence;
        last_us = time_us(&buffer);
        if ((error = node_queue(n, buffer.b.index)) != 0)
            return node_differs("QBUF", error, 0);
    }
    return NULL;
}

static const char *frames(const char *path)
{
    return with_stream(path, O_NONBLOCK, 4, frames_in_a_row);
}

/* Buffers come back in the order in which they were queued; then there is none, and poll waits. The first
 * frames of a USB camera may be damaged, and their buffers are filled anew behind the others. */
static const char *drain(struct node *n)
{
    struct node_buffer buffer;
    int error = 0;
    for (uint32_t i = 0; i < n->count && error == 0; i++)
        error = node_frame(n, &buffer);
    for (uint32_t i = n->count; i > 0 && error == 0; i--)
        error = node_queue(n, i - 1);
    for (uint32_t i = n->count; i > 0 && error == 0; i--) {
        error = node_frame(n, &buffer);
        if (error == 0 && buffer.b.index != i - 1)
            return node_differs("the order of buffers", buffer.b.index, i - 1);
    }
    if (error != 0)
        return node_differs("DQBUF", error, 0);
    const int polled = node_poll(n, POLLIN, 300);
    error = node_dequeue(n, &buffer);
    if (polled & POLLIN)
        return node_differs("poll with no buffer queued", polled, 0);
    if (error != EAGAIN)
        return node_differs("DQBUF with no buffer queued", error, EAGAIN);
    if (node_queue(n, 1) != 0 || node_frame(n, &buffer) != 0 || buffer.b.index != 1)
        return "the buffer that was queued again does not come";
    return NULL;
}

static const char *order(const char *path)
{
    return with_stream(path, O_NONBLOCK, 3, drain);
}

static const char *refused_while(struct node *n)
{
    struct v4l2_requestbuffers request;
    int error = node_request(n, n->memory, 0, &request);
    if (error != EBUSY)
        return node_differs("REQBUFS(0)", error, EBUSY);
    struct v4l2_format format = {.type = n->type};
    if ((error = node_ask(n, VIDIOC_G_FMT, &format)) != 0)
        return node_differs("G_FMT", error, 0);
    if (n->multi)
        format.fmt.pix_mp.width = 640;
    else
        format.fmt.pix.width = 640;
    if ((error = node_ask(n, VIDIOC_S_FMT, &format)) != EBUSY)
        return node_differs("S_FMT", error, EBUSY);
    struct node_buffer buffer;
    node_fill(n, &buffer, 0);
    buffer.b.type = V4L2_BUF_TYPE_VIDEO_OUTPUT;
    if ((error = node_ask(n, VIDIOC_DQBUF, &buffer.b)) != EINVAL)
        return node_differs("DQBUF of another type", error, EINVAL);
    return (error = node_stream(n, 1)) == 0 ? NULL : node_differs("STREAMON again", error, 0);
}

static const char *while_streaming(const char *path)
{
    return with_stream(path, O_NONBLOCK, 3, refused_while);
}

static const char *stop_and_go(struct node *n)
{
    struct node_buffer buffer;
    int error = 0;
    for (int i = 0; i < 3 && error == 0; i++)
        if ((error = node_frame(n, &buffer)) == 0)
            error = node_queue(n, buffer.b.index);
    if (error == 0)
        error = node_stream(n, 0);
    if (error == 0)
        error = node_stream(n, 0);
    if (error != 0)
        return node_differs("STREAMOFF, twice", error, 0);
    const int polled = node_poll(n, POLLIN, 1000);
    if (!(polled & POLLERR))
        return node_differs("poll after STREAMOFF", polled, POLLERR);
    if ((error = node_dequeue(n, &buffer)) != EINVAL)
        return node_differs("DQBUF after STREAMOFF", error, EINVAL);
    for (uint32_t i = 0; i < n->count; i++) {
        node_fill(n, &buffer, i);
        if (node_ask(n, VIDIOC_QUERYBUF, &buffer.b) != 0 || (buffer.b.flags & V4L2_BUF_FLAG_QUEUED))
            return "a buffer is still queued after STREAMOFF";
        if ((error = node_queue(n, i)) != 0)
            return node_differs("QBUF after STREAMOFF", error, 0);
    }
    if (node_stream(n, 1) != 0 || (error = node_frame(n, &buffer)) != 0)
        return node_differs("a frame after STREAMON again", error, 0);
    return buffer.b.sequence < 10 ? NULL : node_differs("sequence anew", buffer.b.sequence, 0);
}

static const char *restart(const char *path)
{
    return with_stream(path, O_NONBLOCK, 3, stop_and_go);
}

/* What was put into the buffers is replaced. */
static const char *memory_changes(struct node *n)
{
    struct node_buffer buffer;
    const int error = node_frame(n, &buffer);
    if (error != 0)
        return node_differs("DQBUF", error, 0);
    for (uint32_t p = 0; p < n->planes; p++) {
        size_t same = 0;
        for (size_t i = 0; i < n->size[p]; i++)
            same += n->at[buffer.b.index][p][i] == 0xa5;
        if (same > n->size[p] / 2)
            return node_differs("bytes that are as they were", (int64_t)same, 0);
    }
    return NULL;
}

static const char *written(const char *path, uint32_t memory)
{
    struct node n;
    struct v4l2_requestbuffers request;
    if (node_open(&n, path, O_NONBLOCK) != 0)
        return node_wrong("open");
    if (node_request(&n, memory, 3, &request) != 0) {
        node_close(&n);
        return node_absent;
    }
    int error = node_memory(&n);
    for (uint32_t i = 0; i < n.count && error == 0; i++) {
        for (uint32_t p = 0; p < n.planes; p++)
            memset(n.at[i][p], 0xa5, n.length[p]);
        error = node_queue(&n, i);
    }
    if (error == 0)
        error = node_stream(&n, 1);
    const char *result = error != 0 ? node_differs("to start", error, 0) : memory_changes(&n);
    node_close(&n);
    return result;
}

static const char *written_mmap(const char *path)
{
    return written(path, V4L2_MEMORY_MMAP);
}

static const char *written_user(const char *path)
{
    return written(path, V4L2_MEMORY_USERPTR);
}

static const char *wait_in_dequeue(struct node *n)
{
    struct node_buffer buffer;
    for (uint32_t i = 0; i < n->count; i++) {
        const int error = node_dequeue(n, &buffer);
        if (error != 0)
            return node_differs("DQBUF that waits", error, 0);
    }
    alarm(1); /* nothing is queued: only the signal ends this one */
    const int error = node_dequeue(n, &buffer);
    alarm(0);
    return error == EINTR ? NULL : node_differs("DQBUF and a signal", error, EINTR);
}

static void on_alarm(int number)
{
    (void)number;
}

static const char *blocking(const char *path)
{
    struct sigaction before;
    const struct sigaction action = {.sa_handler = on_alarm}; /* no SA_RESTART */
    sigaction(SIGALRM, &action, &before);
    const char *result = with_stream(path, 0, 3, wait_in_dequeue);
    sigaction(SIGALRM, &before, NULL);
    return result;
}

static const char *epoll_wakes(struct node *n)
{
    struct node_buffer buffer;
    struct epoll_event event = {.events = EPOLLIN}, got = {0};
    const int set = epoll_create1(EPOLL_CLOEXEC);
    const char *result = NULL;
    if (set < 0 || epoll_ctl(set, EPOLL_CTL_ADD, n->fd, &event) != 0)
        result = node_wrong("epoll_ctl");
    for (int i = 0; i < 3 && result == NULL; i++) {
        if (epoll_wait(set, &got, 1, 5000) != 1 || !(got.events & EPOLLIN))
            result = node_wrong("epoll_wait");
        else if (node_dequeue(n, &buffer) != 0 || node_queue(n, buffer.b.index) != 0)
            result = node_wrong("DQBUF after epoll_wait");
    }
    close(set);
    return result;
}

static const char *epolled(const char *path)
{
    return with_stream(path, O_NONBLOCK, 3, epoll_wakes);
}

/* A duplicate goes on when the first descriptor is closed. */
static const char *duplicate_goes_on(struct node *n)
{
    struct node_buffer buffer;
    const int other = dup(n->fd);
    if (other < 0)
        return node_wrong("dup");
    close(n->fd);
    n->fd = other;
    for (int i = 0; i < 3; i++) {
        int error = node_frame(n, &buffer);
        if (error == 0)
            error = node_queue(n, buffer.b.index);
        if (error != 0)
            return node_differs("a frame through the duplicate", error, 0);
    }
    return NULL;
}

static const char *duplicated(const char *path)
{
    return with_stream(path, O_NONBLOCK, 3, duplicate_goes_on);
}

static const char *nothing(struct node *n)
{
    (void)n;
    return NULL;
}

/* Closing in mid-stream ends it, and the device can be had at once. */
static const char *closed(const char *path)
{
    for (int i = 0; i < 3; i++) {
        const char *wrong = with_stream(path, O_NONBLOCK, 3, nothing);
        if (wrong != NULL)
            return wrong;
    }
    return with_stream(path, O_NONBLOCK, 3, frames_in_a_row);
}

const struct check checks_of_frames[] = {
    {"frames: flags, bytes, clock, numbers", frames},
    {"order; none queued: poll waits, DQBUF EAGAIN", order},
    {"while streaming: EBUSY; STREAMON again", while_streaming},
    {"STREAMOFF gives all back; numbers begin anew", restart},
    {"MMAP: the frame is there", written_mmap},
    {"USERPTR: the frame is there", written_user},
    {"DQBUF waits; a signal ends it", blocking},
    {"epoll", epolled},
    {"a duplicated descriptor", duplicated},
    {"close in mid-stream", closed},
    {NULL, NULL},
};
