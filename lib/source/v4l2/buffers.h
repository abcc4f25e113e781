/* SPDX-License-Identifier: MIT */
/* The buffers shared with the driver: their memory, who owns each, and whether it was written.
 *
 *   OURS --qbuf--> the DRIVER's --dqbuf--> OURS     `queued` has a bit for each that the driver
 * owns
 *
 * On the copied path frames are copied out of the buffers. On the other paths buffer i is the
 * pool's slot i, and the reference taken for the driver passes to whoever gets the frame. */
#ifndef ZCI_SOURCE_V4L2_BUFFERS_H
#define ZCI_SOURCE_V4L2_BUFFERS_H

#include "frame/pool.h"
#include "source/v4l2/layout.h"

/* Frame memory that the backend did not allocate: the driver's buffers mapped, plain pages, or a
 * memfd with a dma-buf for each plane. One contiguous range per frame, as zci_v4l2_layout has
 * it. */
struct zci_v4l2_mapping {
    struct zci_v4l2_calls calls;
    uint32_t count;
    size_t bytes; /* of one frame */
    void *base[ZCI_V4L2_MAX_BUFFERS];
    int dmabuf[ZCI_V4L2_MAX_BUFFERS][ZCS_MAX_PLANES]; /* -1: none */
};

enum zci_v4l2_mapping_kind {
    ZCI_V4L2_MAPPING_NONE,   /* the backend's memory instead */
    ZCI_V4L2_MAPPING_DRIVER, /* the driver's buffers (MMAP) */
    ZCI_V4L2_MAPPING_PAGES,
    ZCI_V4L2_MAPPING_DMABUF,
};

/* Returns 0, or an errno and leaves nothing behind. *what is the call that failed. */
int zci_v4l2_mapping_create(enum zci_v4l2_mapping_kind kind, const struct zci_v4l2_port *port,
                            const struct zci_v4l2_layout *layout, uint32_t count,
                            struct zci_v4l2_mapping **out, const char **what);

/* Frees the mapping and its memory; the device may be closed already. Takes void * so that a pool
 * can call it. Accepts NULL. */
void zci_v4l2_mapping_destroy(void *mapping);

struct zci_v4l2_buffers {
    const struct zci_v4l2_device *dev;
    const struct zci_v4l2_layout *layout;
    enum zci_v4l2_memory memory;
    enum zcs_path path;
    uint32_t count;
    uint32_t queued;
    uint32_t unwritten; /* bits of the buffers that hold the canary and were not written since */
    /* The driver's references; NULL on the copied path. */
    struct zci_slot *slots[ZCI_V4L2_MAX_BUFFERS];
    /* On the copied path this owns it; else the pool does, or it is NULL. */
    struct zci_v4l2_mapping *mapping;
};

/* Fills in the canary before the buffer's first use. Repeats a refusal that may pass once. Returns
 * 0 or an errno. */
int zci_v4l2_buffers_queue(struct zci_v4l2_buffers *buffers, uint32_t index);

/* Queues every free slot, or on the copied path every buffer of ours. */
int zci_v4l2_buffers_queue_all(struct zci_v4l2_buffers *buffers, struct zci_pool *pool);

/* A filled buffer, which is ours then. EAGAIN: there is none. */
int zci_v4l2_buffers_dequeue(struct zci_v4l2_buffers *buffers, struct zci_v4l2_buffer *out);

/* 0: the dequeued buffer still holds the canary, so the driver did not write it. */
int zci_v4l2_buffers_written(struct zci_v4l2_buffers *buffers, uint32_t index);

/* After STREAMOFF: queues the buffers again that the driver owned. */
int zci_v4l2_buffers_requeue(struct zci_v4l2_buffers *buffers);

/* Takes all buffers back and frees the driver's side, as far as the device still answers. Memory of
 * ours stays, for zci_v4l2_memory_resume. Streaming is off. */
void zci_v4l2_buffers_release(struct zci_v4l2_buffers *buffers);

/* The same, and forgets the buffers. The pool, if there is one, has been dropped or is dropped
 * next. */
void zci_v4l2_buffers_finish(struct zci_v4l2_buffers *buffers);

#endif
