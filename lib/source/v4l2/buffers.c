/* SPDX-License-Identifier: MIT */
/* Handing buffers to the driver and back. */
#include "source/v4l2/buffers.h"

#include <errno.h>
#include <linux/dma-buf.h>

#include "source/v4l2/canary.h"

static uint32_t bit(uint32_t index)
{
    return UINT32_C(1) << index;
}

void *zci_v4l2_buffers_base(const struct zci_v4l2_buffers *buffers, uint32_t index)
{
    if (buffers->slots[index] != NULL)
        return buffers->slots[index]->memory.host;
    return buffers->map->base[index];
}

/* Caches are made to agree with the device around each of the CPU's turns; where they always do, the call
 * does nothing. */
static void sync_dmabufs(const struct zci_v4l2_buffers *buffers, uint32_t index, uint64_t flags)
{
    if (buffers->memory != ZCI_V4L2_DMABUF)
        return;
    struct dma_buf_sync sync = {.flags = flags | DMA_BUF_SYNC_READ};
    const struct zci_v4l2_calls *calls = buffers->dev->port.calls;
    for (uint32_t p = 0; p < buffers->layout->planes; p++)
        (void)calls->ioctl(calls->user, buffers->map->dmabuf[index][p], DMA_BUF_IOCTL_SYNC, &sync);
}

static void describe(const struct zci_v4l2_buffers *buffers, struct zci_v4l2_buffer *out)
{
    const struct zci_v4l2_layout *layout = buffers->layout;
    out->planes = layout->planes;
    for (uint32_t p = 0; p < layout->planes; p++) {
        struct zci_v4l2_plane *plane = &out->plane[p];
        plane->length = (uint32_t)layout->bytes[p];
        if (buffers->memory == ZCI_V4L2_USERPTR)
            plane->address = (uint8_t *)zci_v4l2_buffers_base(buffers, out->index) + layout->at[p];
        else if (buffers->memory == ZCI_V4L2_DMABUF)
            plane->fd = buffers->map->dmabuf[out->index][p];
    }
}

int zci_v4l2_buffers_queue(struct zci_v4l2_buffers *buffers, uint32_t index)
{
    struct zci_v4l2_buffer buffer = {.index = index};
    describe(buffers, &buffer);
    if (buffers->fresh & bit(index))
        zci_v4l2_canary_fill(buffers->layout, zci_v4l2_buffers_base(buffers, index));
    sync_dmabufs(buffers, index, DMA_BUF_SYNC_END);
    int error = zci_v4l2_queue(&buffers->dev->port, buffers->memory, &buffer);
    if (error == EINVAL || error == EIO)
        error = zci_v4l2_queue(&buffers->dev->port, buffers->memory, &buffer);
    if (error == 0)
        buffers->queued |= bit(index);
    return error;
}

static int queue_ours(struct zci_v4l2_buffers *buffers)
{
    for (uint32_t i = 0; i < buffers->count; i++) {
        const int error = buffers->queued & bit(i) ? 0 : zci_v4l2_buffers_queue(buffers, i);
        if (error != 0)
            return error;
    }
    return 0;
}

int zci_v4l2_buffers_queue_all(struct zci_v4l2_buffers *buffers, struct zci_pool *pool)
{
    if (buffers->path == ZCS_PATH_COPIED)
        return queue_ours(buffers);
    for (struct zci_slot *slot; (slot = zci_pool_take(pool)) != NULL;) {
        buffers->slots[slot->index] = slot;
        const int error = zci_v4l2_buffers_queue(buffers, slot->index);
        if (error == 0)
            continue;
        buffers->slots[slot->index] = NULL;
        zci_slot_unref(slot);
        return error;
    }
    return 0;
}

int zci_v4l2_buffers_dequeue(struct zci_v4l2_buffers *buffers, struct zci_v4l2_buffer *out)
{
    const int error = zci_v4l2_dequeue(&buffers->dev->port, buffers->memory, out);
    if (error != 0)
        return error;
    /* What was never given cannot come back. */
    if (out->index >= buffers->count || !(buffers->queued & bit(out->index)))
        return EPROTO;
    buffers->queued &= ~bit(out->index);
    sync_dmabufs(buffers, out->index, DMA_BUF_SYNC_START);
    return 0;
}

int zci_v4l2_buffers_requeue(struct zci_v4l2_buffers *buffers)
{
    const uint32_t had = buffers->queued;
    buffers->queued = 0;
    int error = 0;
    for (uint32_t i = 0; i < buffers->count && error == 0; i++)
        if (had & bit(i))
            error = zci_v4l2_buffers_queue(buffers, i);
    return error;
}

static void release_memory(const struct zci_v4l2_buffers *buffers)
{
    uint32_t none = 0, can = 0;
    if (buffers->dev->port.fd < 0)
        return; /* it was freed when the device was closed */
    (void)zci_v4l2_request(&buffers->dev->port, buffers->memory, &none, &can);
}

void zci_v4l2_buffers_leave(struct zci_v4l2_buffers *buffers)
{
    /* The driver's own buffers must be unmapped before it can free them; memory of ours may be freed only
     * once the driver has let it go. */
    if (buffers->memory != ZCI_V4L2_MMAP)
        release_memory(buffers);
    for (uint32_t i = 0; i < buffers->count; i++) {
        if (buffers->slots[i] != NULL)
            zci_slot_unref(buffers->slots[i]);
        buffers->slots[i] = NULL;
    }
    if (buffers->path == ZCS_PATH_COPIED) {
        zci_v4l2_map_let_go(buffers->map);
        buffers->map = NULL;
    }
    if (buffers->memory == ZCI_V4L2_MMAP)
        release_memory(buffers);
    buffers->queued = buffers->fresh = 0;
}

void zci_v4l2_buffers_finish(struct zci_v4l2_buffers *buffers)
{
    zci_v4l2_buffers_leave(buffers);
    buffers->map = NULL;
    buffers->count = 0;
}
