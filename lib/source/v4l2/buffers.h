/* SPDX-License-Identifier: MIT */
/* Buffers */
#ifndef ZCI_SOURCE_V4L2_BUFFERS_H
#define ZCI_SOURCE_V4L2_BUFFERS_H

#include "frame/pool.h"
#include "source/v4l2/layout.h"

struct zci_v4l2_map {
    struct zci_v4l2_calls calls;
    uint32_t count;
    size_t bytes; /* of a piece */
    void *base[ZCI_V4L2_MAX_BUFFERS];
    int dmabuf[ZCI_V4L2_MAX_BUFFERS][ZCS_MAX_PLANES]; /* -1: none */
};

/* Each returns 0 or an errno and then has nothing left. `what` tells the call that failed. */
int zci_v4l2_map_buffers(const struct zci_v4l2_port *port, const struct zci_v4l2_layout *layout,
                         uint32_t count, struct zci_v4l2_map **out, const char **what);
int zci_v4l2_map_plain(const struct zci_v4l2_port *port, const struct zci_v4l2_layout *layout,
                       uint32_t count, struct zci_v4l2_map **out, const char **what);
int zci_v4l2_map_dmabuf(const struct zci_v4l2_port *port, const struct zci_v4l2_layout *layout,
                        uint32_t count, struct zci_v4l2_map **out, const char **what);

/* Frees the map and its memory; takes the map as void * so that a pool can call it. Accepts NULL. Does not
 * need the device any more. */
void zci_v4l2_map_let_go(void *map);

struct zci_v4l2_buffers {
    const struct zci_v4l2_device *dev;
    const struct zci_v4l2_layout *layout;
    enum zci_v4l2_memory memory;
    enum zcs_path path;
    uint32_t count;
    uint32_t queued;
    uint32_t fresh; /* poisoned, and not filled since */
    struct zci_slot
        *slots[ZCI_V4L2_MAX_BUFFERS]; /* the driver's references; NULL on the copied path */
    struct zci_v4l2_map *map;         /* copied path: ours; else what the pool lets go, or NULL */
};

/* 0: the dequeued buffer still holds the canary, so the driver did not write it. */
int zci_v4l2_buffers_written(struct zci_v4l2_buffers *buffers, uint32_t index);

/* Poisons it before its first use. Returns 0 or an errno; a refusal that may pass is tried again once. */
int zci_v4l2_buffers_queue(struct zci_v4l2_buffers *buffers, uint32_t index);

/* Gives every slot at home, or on the copied path every buffer of ours, to the driver. */
int zci_v4l2_buffers_queue_all(struct zci_v4l2_buffers *buffers, struct zci_pool *pool);

/* A filled buffer, ours now. EAGAIN: none. */
int zci_v4l2_buffers_dequeue(struct zci_v4l2_buffers *buffers, struct zci_v4l2_buffer *out);

/* Gives those which the driver had to it again, after streaming was off. */
int zci_v4l2_buffers_requeue(struct zci_v4l2_buffers *buffers);

/* The device goes: what it had is taken back, and its own side freed as far as it still answers. Memory of ours
 * stays as it is, for zci_v4l2_memory_resume. */
void zci_v4l2_buffers_leave(struct zci_v4l2_buffers *buffers);

/* Takes all back and frees the driver's side, in the order that all drivers bear; streaming is off. The
 * pool, if there is one, has been dropped or is dropped next. */
void zci_v4l2_buffers_finish(struct zci_v4l2_buffers *buffers);

#endif
