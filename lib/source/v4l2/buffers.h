/* SPDX-License-Identifier: MIT */
/* The buffers shared with the driver: which memory they are, and who has them.
 *
 *   OURS --queue--> the DRIVER's --dequeue--> OURS     `queued` has a bit for each that the driver has
 *
 * On the copied path a buffer is only a place to copy from. On the others buffer i is the pool's slot i, and
 * the reference taken for the driver goes on to whoever gets the frame. */
#ifndef ZCI_SOURCE_V4L2_BUFFERS_H
#define ZCI_SOURCE_V4L2_BUFFERS_H

#include "frame/pool.h"
#include "source/v4l2/layout.h"
#include "source/v4l2/map.h"

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

/* The first byte of buffer `index` for the CPU. */
void *zci_v4l2_buffers_base(const struct zci_v4l2_buffers *buffers, uint32_t index);

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
