/* SPDX-License-Identifier: MIT */
/* A camera as a plain program sees it: what the checks share. */
#ifndef CONFORMANCE_NODE_H
#define CONFORMANCE_NODE_H

#include <linux/videodev2.h>
#include <stddef.h>
#include <stdint.h>

#define NODE_PLANES 3
#define NODE_BUFFERS 32

struct node {
    int fd;
    int multi;
    uint32_t type, caps, planes;
    uint32_t width, height, fourcc;
    uint32_t stride[NODE_PLANES], size[NODE_PLANES];
    uint32_t memory, count;
    uint8_t *at[NODE_BUFFERS][NODE_PLANES];
    size_t length[NODE_PLANES];
};

struct node_buffer {
    struct v4l2_buffer b;
    struct v4l2_plane planes[VIDEO_MAX_PLANES];
};

/* A check is told the node's path. NULL: it passed; node_absent: the device does not offer that; else what was
 * wrong. */
typedef const char *check_fn(const char *path);
extern const char node_absent[];

/* "what: ..." with errno's text, or two numbers; static storage. */
const char *node_wrong(const char *what);
const char *node_differs(const char *what, int64_t got, int64_t wanted);

/* The wishes of all checks: format and size. */
void node_wish(uint32_t fourcc, uint32_t width, uint32_t height);
uint32_t node_wished_fourcc(void);

/* 0: opened, and with the format that is wished for. */
int node_open(struct node *n, const char *path, int flags);
/* Unmaps and closes. */
void node_close(struct node *n);
/* Again after EINTR only if errno says so of open(); others as they come: 0 or errno. */
int node_ask(const struct node *n, unsigned long request, void *argument);
/* Reads the format into the node. */
int node_get_format(struct node *n);

int node_request(struct node *n, uint32_t memory, uint32_t count, struct v4l2_requestbuffers *out);
/* Fills in index, type, memory, planes and, for USERPTR, the memory. */
void node_fill(const struct node *n, struct node_buffer *buffer, uint32_t index);
int node_queue(const struct node *n, uint32_t index);
int node_dequeue(const struct node *n, struct node_buffer *out);
int node_stream(const struct node *n, int on);
uint32_t node_length(const struct node *n, const struct node_buffer *buffer, uint32_t plane);
uint32_t node_bytes(const struct node *n, const struct node_buffer *buffer, uint32_t plane);

/* Memory for all buffers: mapped, or of ours. 0 or errno. */
int node_memory(struct node *n);
/* Asks for buffers, gives them memory, queues all, starts. 0 or errno. */
int node_start(struct node *n, uint32_t memory, uint32_t count);
/* What poll says within the time. */
int node_poll(const struct node *n, int events, int timeout_ms);
/* A frame within five seconds: 0 or errno, ETIME for none. */
int node_frame(const struct node *n, struct node_buffer *out);
/* The kind of memory that the device has, MMAP where it can be chosen. */
uint32_t node_kind(struct node *n);

#endif
