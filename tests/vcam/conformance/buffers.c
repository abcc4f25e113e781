/* SPDX-License-Identifier: MIT */
/* Checks of buffers, while nothing streams. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vcam/conformance/checks.h"

static const char *request_errors(const char *path)
{
    struct node n;
    if (node_open(&n, path, 0) != 0)
        return node_wrong("open");
    struct v4l2_requestbuffers type = {
        .count = 2, .type = V4L2_BUF_TYPE_VIDEO_OUTPUT, .memory = V4L2_MEMORY_MMAP};
    struct v4l2_requestbuffers memory = {.count = 2, .type = n.type, .memory = 77};
    const int by_type = node_ask(&n, VIDIOC_REQBUFS, &type);
    const int by_memory = node_ask(&n, VIDIOC_REQBUFS, &memory);
    node_close(&n);
    if (by_type != EINVAL)
        return node_differs("REQBUFS of outputs", by_type, EINVAL);
    return by_memory == EINVAL ? NULL : node_differs("REQBUFS of no memory", by_memory, EINVAL);
}

static const char *request_limits(const char *path)
{
    struct node n;
    struct v4l2_requestbuffers request;
    if (node_open(&n, path, 0) != 0)
        return node_wrong("open");
    const uint32_t kind = node_kind(&n);
    const char *result = NULL;
    if (node_request(&n, kind, 1000, &request) != 0 || request.count == 0 || request.count >= 1000)
        result = node_differs("buffers given for 1000", request.count, 32);
    else if (node_request(&n, kind, 0, &request) != 0 || request.count != 0)
        result = node_differs("buffers given for 0", request.count, 0);
    node_close(&n);
    return result;
}

/* Kinds of memory that are told are had, and the others are not. */
static const char *request_told(const char *path)
{
    static const struct {
        uint32_t memory, bit;
    } kinds[] = {{V4L2_MEMORY_MMAP, V4L2_BUF_CAP_SUPPORTS_MMAP},
                 {V4L2_MEMORY_USERPTR, V4L2_BUF_CAP_SUPPORTS_USERPTR}};
    struct node n;
    struct v4l2_requestbuffers request;
    if (node_open(&n, path, 0) != 0)
        return node_wrong("open");
    const uint32_t kind = node_kind(&n);
    const int error = node_request(&n, kind, 0, &request);
    const uint32_t told = request.capabilities;
    const char *result = error != 0 ? node_differs("REQBUFS", error, 0) : NULL;
    for (int i = 0; i < 2 && result == NULL && told != 0; i++) {
        const int refused = node_request(&n, kinds[i].memory, 0, &request) != 0;
        if (refused != !(told & kinds[i].bit))
            result = node_differs("what is told of a kind of memory", !refused, refused);
    }
    node_close(&n);
    return told != 0 ? result : node_absent;
}

static const char *look_at_all(struct node *n)
{
    uint32_t last = 0;
    struct node_buffer buffer;
    for (uint32_t i = 0; i < n->count; i++) {
        node_fill(n, &buffer, i);
        if (node_ask(n, VIDIOC_QUERYBUF, &buffer.b) != 0 || buffer.b.index != i)
            return node_wrong("QUERYBUF");
        if (buffer.b.flags & (V4L2_BUF_FLAG_QUEUED | V4L2_BUF_FLAG_DONE))
            return "a new buffer is queued";
        for (uint32_t p = 0; p < n->planes; p++)
            if (node_length(n, &buffer, p) < n->size[p])
                return node_differs("length", node_length(n, &buffer, p), n->size[p]);
        const uint32_t at = n->multi ? buffer.planes[0].m.mem_offset : buffer.b.m.offset;
        if (n->memory == V4L2_MEMORY_MMAP && i > 0 && at == last)
            return "two buffers at one offset";
        last = at;
    }
    node_fill(n, &buffer, n->count);
    const int beyond = node_ask(n, VIDIOC_QUERYBUF, &buffer.b);
    return beyond == EINVAL ? NULL : node_differs("QUERYBUF beyond the last", beyond, EINVAL);
}

static const char *queried(const char *path)
{
    struct node n;
    struct v4l2_requestbuffers request;
    if (node_open(&n, path, 0) != 0)
        return node_wrong("open");
    const char *result =
        node_request(&n, node_kind(&n), 4, &request) == 0 ? look_at_all(&n) : node_wrong("REQBUFS");
    node_close(&n);
    return result;
}

static const char *format_busy(const char *path)
{
    struct node n;
    struct v4l2_requestbuffers request;
    if (node_open(&n, path, 0) != 0)
        return node_wrong("open");
    struct v4l2_format format = {.type = n.type};
    int error = node_ask(&n, VIDIOC_G_FMT, &format);
    const uint32_t kind = node_kind(&n);
    if (error == 0)
        error = node_request(&n, kind, 2, &request);
    if (n.multi)
        format.fmt.pix_mp.width = 640;
    else
        format.fmt.pix.width = 640;
    const int busy = node_ask(&n, VIDIOC_S_FMT, &format);
    if (error == 0)
        error = node_request(&n, kind, 0, &request);
    const int after = node_ask(&n, VIDIOC_S_FMT, &format);
    node_close(&n);
    if (error != 0)
        return node_differs("REQBUFS", error, 0);
    if (busy != EBUSY)
        return node_differs("S_FMT with buffers", busy, EBUSY);
    return after == 0 ? NULL : node_differs("S_FMT without buffers", after, 0);
}

static const char *second_user(const char *path)
{
    struct node n, other;
    struct v4l2_requestbuffers request;
    if (node_open(&n, path, 0) != 0)
        return node_wrong("open");
    const uint32_t kind = node_kind(&n);
    int error = node_request(&n, kind, 2, &request);
    const int opened = node_open(&other, path, 0);
    const int request_busy = node_request(&other, kind, 2, &request);
    const int stream_busy = node_stream(&other, 1);
    node_close(&n);
    if (error == 0)
        error = node_request(&other, kind, 2, &request);
    node_close(&other);
    if (opened != 0)
        return node_differs("a second open", opened, 0);
    if (request_busy != EBUSY || stream_busy != EBUSY)
        return node_differs("REQBUFS of a second user", request_busy, EBUSY);
    return error == 0 ? NULL : node_differs("REQBUFS after the first user's close", error, 0);
}

/* A child that has inherited the descriptor is a user like any other. */
static const char *forked_user(const char *path)
{
    struct node n, other;
    struct v4l2_requestbuffers request;
    int status;
    if (node_open(&n, path, 0) != 0)
        return node_wrong("open");
    const uint32_t kind = node_kind(&n);
    (void)node_request(&n, kind, 2, &request);
    const pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    node_close(&n);
    const int opened = node_open(&other, path, 0);
    const int busy = node_request(&other, kind, 2, &request);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    const int after = node_request(&other, kind, 2, &request);
    node_close(&other);
    if (opened != 0 || busy != EBUSY)
        return node_differs("REQBUFS while a child has the camera", busy, EBUSY);
    return after == 0 ? NULL : node_differs("REQBUFS after the child's end", after, 0);
}

static const char *misqueue(struct node *n)
{
    struct node_buffer buffer;
    int error = node_memory(n);
    if (error != 0)
        return node_differs("memory", error, 0);
    node_fill(n, &buffer, 0);
    buffer.b.index = n->count;
    if ((error = node_ask(n, VIDIOC_QBUF, &buffer.b)) != EINVAL)
        return node_differs("QBUF beyond the last", error, EINVAL);
    node_fill(n, &buffer, 0);
    buffer.b.memory = V4L2_MEMORY_OVERLAY;
    if ((error = node_ask(n, VIDIOC_QBUF, &buffer.b)) != EINVAL)
        return node_differs("QBUF of another memory", error, EINVAL);
    node_fill(n, &buffer, 0);
    buffer.b.type = V4L2_BUF_TYPE_VIDEO_OUTPUT;
    if ((error = node_ask(n, VIDIOC_QBUF, &buffer.b)) != EINVAL)
        return node_differs("QBUF of another type", error, EINVAL);
    if ((error = node_queue(n, 0)) != 0)
        return node_differs("QBUF", error, 0);
    if ((error = node_queue(n, 0)) != EINVAL)
        return node_differs("QBUF twice", error, EINVAL);
    node_fill(n, &buffer, 0);
    error = node_ask(n, VIDIOC_QUERYBUF, &buffer.b);
    return error == 0 && (buffer.b.flags & V4L2_BUF_FLAG_QUEUED) ? NULL : "it is not QUEUED";
}

static const char *queue_errors(const char *path)
{
    struct node n;
    struct v4l2_requestbuffers request;
    if (node_open(&n, path, 0) != 0)
        return node_wrong("open");
    const char *result =
        node_request(&n, node_kind(&n), 2, &request) == 0 ? misqueue(&n) : node_wrong("REQBUFS");
    node_close(&n);
    return result;
}

static int queue_memory(struct node *n, void *at, size_t length)
{
    void *const own = n->at[0][0];
    const size_t own_length = n->length[0];
    n->at[0][0] = at;
    n->length[0] = length;
    const int error = node_queue(n, 0);
    n->at[0][0] = own;
    n->length[0] = own_length;
    return error;
}

static const char *user_memory(const char *path)
{
    struct node n;
    struct v4l2_requestbuffers request;
    if (node_open(&n, path, 0) != 0)
        return node_wrong("open");
    if (node_request(&n, V4L2_MEMORY_USERPTR, 2, &request) != 0 || node_memory(&n) != 0) {
        node_close(&n);
        return node_absent;
    }
    void *hole = mmap(NULL, n.length[0], PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(hole, n.length[0]);
    const int none = queue_memory(&n, NULL, n.length[0]);
    const int unmapped = queue_memory(&n, hole, n.length[0]);
    const int brief = queue_memory(&n, n.at[0][0], n.size[0] - 1);
    const int good = node_queue(&n, 0);
    node_close(&n);
    if (none != EFAULT || unmapped != EFAULT)
        return node_differs("QBUF of memory that is not there", unmapped, EFAULT);
    if (brief != EINVAL)
        return node_differs("QBUF of a byte too little", brief, EINVAL);
    return good == 0 ? NULL : node_differs("QBUF after refusals", good, 0);
}

static const char *mapping_errors(const char *path)
{
    struct node n;
    struct v4l2_requestbuffers request;
    if (node_open(&n, path, 0) != 0)
        return node_wrong("open");
    if (node_request(&n, V4L2_MEMORY_MMAP, 2, &request) != 0 || node_memory(&n) != 0) {
        node_close(&n);
        return node_absent;
    }
    void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, n.fd, (off_t)0x3ffff000);
    const int error = errno;
    memset(n.at[0][0], 0x5a, n.length[0]);
    const int same = n.at[0][0][n.length[0] - 1] == 0x5a && n.at[1][0][0] != 0x5a;
    node_close(&n);
    if (at != MAP_FAILED || error != EINVAL)
        return node_differs("mmap of no buffer", error, EINVAL);
    return same ? NULL : "buffers share memory";
}

static const char *before_streaming(const char *path)
{
    struct node n;
    struct node_buffer buffer;
    struct v4l2_requestbuffers request;
    if (node_open(&n, path, O_NONBLOCK) != 0)
        return node_wrong("open");
    int error = node_request(&n, node_kind(&n), 2, &request);
    const int polled = node_poll(&n, POLLIN, 1000);
    if (error == 0)
        error = node_memory(&n);
    const int dequeued = node_dequeue(&n, &buffer);
    int type = V4L2_BUF_TYPE_VIDEO_OUTPUT;
    const int wrong = node_ask(&n, VIDIOC_STREAMON, &type);
    const int off = node_stream(&n, 0);
    node_close(&n);
    if (error != 0 || off != 0)
        return node_differs("STREAMOFF before STREAMON", off, 0);
    if (!(polled & POLLERR))
        return node_differs("poll before STREAMON", polled, POLLERR);
    if (dequeued != EINVAL)
        return node_differs("DQBUF before STREAMON", dequeued, EINVAL);
    return wrong == EINVAL ? NULL : node_differs("STREAMON of outputs", wrong, EINVAL);
}

const struct check checks_of_buffers[] = {
    {"REQBUFS: errors", request_errors},
    {"REQBUFS: limits", request_limits},
    {"REQBUFS: what it tells is so", request_told},
    {"QUERYBUF", queried},
    {"S_FMT with buffers is EBUSY", format_busy},
    {"a second user is EBUSY until the first closes", second_user},
    {"so it is while a child has the descriptor", forked_user},
    {"QBUF: errors", queue_errors},
    {"USERPTR: memory that is short or not there", user_memory},
    {"mmap: errors; buffers are apart", mapping_errors},
    {"before STREAMON: poll, DQBUF, STREAMOFF", before_streaming},
    {NULL, NULL},
};
