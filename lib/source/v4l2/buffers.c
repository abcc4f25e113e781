/* SPDX-License-Identifier: MIT */
/* Allocating frame memory, passing buffers to the driver and back, and the canary.
 *
 * The canary is words that no camera sends, in a buffer before its first use. A frame that the
 * driver reports but did not write still has them. */
#define _GNU_SOURCE /* memfd_create, MAP_ANONYMOUS, file seals */
#include "source/v4l2/buffers.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/udmabuf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CANARY_SPOTS 5u /* in each plane of the image */
#define CANARY_BYTES 8u

static const uint8_t canary[CANARY_BYTES] = {0xa7, 0x3c, 0x5e, 0xd1, 0x1b, 0xf4, 0x69, 0x82};

/* The offset of spot `i` in plane `p`. The spots lie on the diagonal from the first pixel to the
 * last. */
static size_t spot_offset(const struct zcs_image *image, uint32_t p, uint32_t i, size_t bytes)
{
    const size_t last_row = zcs_image_rows(image->format, image->height, p) - 1;
    const size_t last_byte = zcs_image_min_stride(image->format, image->width, p) - bytes;
    return image->offset_bytes[p] + last_row * i / (CANARY_SPOTS - 1) * image->stride_bytes[p] +
           last_byte * i / (CANARY_SPOTS - 1);
}

static size_t canary_bytes(const struct zcs_image *image, uint32_t p)
{
    const size_t row = zcs_image_min_stride(image->format, image->width, p);
    return row < CANARY_BYTES ? row : CANARY_BYTES;
}

static void canary_fill(const struct zci_v4l2_layout *layout, void *base)
{
    const struct zcs_image *image = &layout->image;
    for (uint32_t p = 0; p < image->planes; p++)
        for (uint32_t i = 0; i < CANARY_SPOTS; i++) {
            const size_t bytes = canary_bytes(image, p);
            memcpy((uint8_t *)base + spot_offset(image, p, i, bytes), canary, bytes);
        }
}

/* 1: in some plane all spots still have the canary. */
static int canary_intact(const struct zci_v4l2_layout *layout, const void *base)
{
    const struct zcs_image *image = &layout->image;
    for (uint32_t p = 0; p < image->planes; p++) {
        const size_t bytes = canary_bytes(image, p);
        uint32_t left = 0;
        for (uint32_t i = 0; i < CANARY_SPOTS; i++)
            left +=
                memcmp((const uint8_t *)base + spot_offset(image, p, i, bytes), canary, bytes) == 0;
        if (left == CANARY_SPOTS)
            return 1;
    }
    return 0;
}

static struct zci_v4l2_mapping *mapping_new(const struct zci_v4l2_port *port,
                                            const struct zci_v4l2_layout *layout, uint32_t count)
{
    struct zci_v4l2_mapping *map = calloc(1, sizeof *map);
    if (map == NULL)
        return NULL;
    map->calls = *port->calls;
    map->count = count;
    map->bytes = layout->slot_bytes;
    for (uint32_t i = 0; i < ZCI_V4L2_MAX_BUFFERS; i++)
        for (uint32_t p = 0; p < ZCS_MAX_PLANES; p++)
            map->dmabuf[i][p] = -1;
    return map;
}

void zci_v4l2_mapping_destroy(void *held)
{
    struct zci_v4l2_mapping *map = held;
    if (map == NULL)
        return;
    for (uint32_t i = 0; i < map->count; i++) {
        if (map->base[i] != NULL)
            map->calls.munmap(map->calls.user, map->base[i], map->bytes);
        for (uint32_t p = 0; p < ZCS_MAX_PLANES; p++)
            if (map->dmabuf[i][p] >= 0)
                close(map->dmabuf[i][p]);
    }
    free(map);
}

/* Memory for one frame where `writable`, else address space only. NULL with errno. */
static void *reserve(size_t bytes, int writable)
{
    void *at = mmap(NULL, bytes, writable ? PROT_READ | PROT_WRITE : PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* What the functions below share while they make a mapping. */
struct maker {
    const struct zci_v4l2_port *port;
    const struct zci_v4l2_layout *layout;
    struct zci_v4l2_mapping *map;
    int udmabuf, memfd; /* -1: not needed */
    const char **what;
};

/* Maps the driver's planes of buffer `i` at the layout's offsets in one range of addresses. */
static int map_driver_buffer(const struct maker *maker, uint32_t i)
{
    const struct zci_v4l2_port *port = maker->port;
    const struct zci_v4l2_layout *layout = maker->layout;
    struct zci_v4l2_mapping *map = maker->map;
    struct zci_v4l2_buffer buffer = {.index = i, .planes = layout->planes};
    *maker->what = "VIDIOC_QUERYBUF";
    const int error = zci_v4l2_querybuf(port, &buffer);
    if (error != 0)
        return error;
    *maker->what = "mmap";
    map->base[i] = reserve(map->bytes, 0);
    if (map->base[i] == NULL)
        return errno;
    for (uint32_t p = 0; p < layout->planes; p++) {
        if (buffer.planes != layout->planes || buffer.plane[p].length > layout->bytes[p] ||
            buffer.plane[p].length < layout->min_bytes[p])
            return ERANGE;
        void *at = (uint8_t *)map->base[i] + layout->offset[p];
        if (port->calls->mmap(port->calls->user, at, buffer.plane[p].length, port->fd,
                              buffer.plane[p].map_offset) == MAP_FAILED)
            return errno;
    }
    return 0;
}

static int map_pages(const struct maker *maker, uint32_t i)
{
    *maker->what = "memory for frames";
    maker->map->base[i] = reserve(maker->map->bytes, 1);
    return maker->map->base[i] == NULL ? errno : 0;
}

/* A memfd of that size, sealed so that nobody can remove its pages. -1 with errno. */
static int sealed_memory(uint64_t bytes)
{
    const int fd = memfd_create("zcstream frames", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -1;
    if (ftruncate(fd, (off_t)bytes) == 0 &&
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0)
        return fd;
    const int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static int open_udmabuf(struct maker *maker)
{
    const struct zci_v4l2_calls *calls = maker->port->calls;
    *maker->what = "/dev/udmabuf";
    maker->udmabuf = calls->open(calls->user, "/dev/udmabuf");
    if (maker->udmabuf < 0)
        return errno;
    *maker->what = "memfd_create";
    maker->memfd = sealed_memory((uint64_t)maker->map->count * maker->map->bytes);
    return maker->memfd < 0 ? errno : 0;
}

/* Maps frame `i` of the memfd, and makes a dma-buf of each of its planes. */
static int make_dmabufs(const struct maker *maker, uint32_t i)
{
    const struct zci_v4l2_calls *calls = maker->port->calls;
    struct zci_v4l2_mapping *map = maker->map;
    const uint64_t start = (uint64_t)i * map->bytes;
    *maker->what = "mmap of a memfd";
    void *at =
        mmap(NULL, map->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, maker->memfd, (off_t)start);
    if (at == MAP_FAILED)
        return errno;
    map->base[i] = at;
    *maker->what = "UDMABUF_CREATE";
    for (uint32_t p = 0; p < maker->layout->planes; p++) {
        struct udmabuf_create create = {.memfd = (uint32_t)maker->memfd,
                                        .flags = UDMABUF_FLAGS_CLOEXEC,
                                        .offset = start + maker->layout->offset[p],
                                        .size = maker->layout->bytes[p]};
        map->dmabuf[i][p] = calls->ioctl(calls->user, maker->udmabuf, UDMABUF_CREATE, &create);
        if (map->dmabuf[i][p] < 0)
            return errno;
    }
    return 0;
}

int zci_v4l2_mapping_create(enum zci_v4l2_mapping_kind kind, const struct zci_v4l2_port *port,
                            const struct zci_v4l2_layout *layout, uint32_t count,
                            struct zci_v4l2_mapping **out, const char **what)
{
    static int (*const make[])(const struct maker *maker, uint32_t i) = {
        [ZCI_V4L2_MAPPING_DRIVER] = map_driver_buffer,
        [ZCI_V4L2_MAPPING_PAGES] = map_pages,
        [ZCI_V4L2_MAPPING_DMABUF] = make_dmabufs,
    };
    struct maker maker = {port, layout, mapping_new(port, layout, count), -1, -1, what};
    *what = "memory for a mapping";
    int error = maker.map == NULL ? ENOMEM : 0;
    if (error == 0 && kind == ZCI_V4L2_MAPPING_DMABUF)
        error = open_udmabuf(&maker);
    for (uint32_t i = 0; i < count && error == 0; i++)
        error = make[kind](&maker, i);
    if (maker.memfd >= 0)
        close(maker.memfd);
    if (maker.udmabuf >= 0)
        port->calls->close(port->calls->user, maker.udmabuf);
    if (error != 0)
        zci_v4l2_mapping_destroy(maker.map);
    else
        *out = maker.map;
    return error;
}

static uint32_t bit(uint32_t index)
{
    return UINT32_C(1) << index;
}

/* The CPU's address of the buffer. */
static void *base_of(const struct zci_v4l2_buffers *buffers, uint32_t index)
{
    if (buffers->slots[index] != NULL)
        return buffers->slots[index]->memory.host;
    return buffers->mapping->base[index];
}

/* The caches must be synchronized with the device before and after the CPU's accesses. On
 * cache-coherent systems the call does nothing. */
static void sync_dmabufs(const struct zci_v4l2_buffers *buffers, uint32_t index, uint64_t flags)
{
    if (buffers->memory != ZCI_V4L2_DMABUF)
        return;
    struct dma_buf_sync sync = {.flags = flags | DMA_BUF_SYNC_READ};
    const struct zci_v4l2_calls *calls = buffers->dev->port.calls;
    for (uint32_t p = 0; p < buffers->layout->planes; p++)
        (void)calls->ioctl(calls->user, buffers->mapping->dmabuf[index][p], DMA_BUF_IOCTL_SYNC,
                           &sync);
}

static void describe_planes(const struct zci_v4l2_buffers *buffers, struct zci_v4l2_buffer *out)
{
    const struct zci_v4l2_layout *layout = buffers->layout;
    out->planes = layout->planes;
    for (uint32_t p = 0; p < layout->planes; p++) {
        struct zci_v4l2_plane *plane = &out->plane[p];
        plane->length = (uint32_t)layout->bytes[p];
        if (buffers->memory == ZCI_V4L2_USERPTR)
            plane->address = (uint8_t *)base_of(buffers, out->index) + layout->offset[p];
        else if (buffers->memory == ZCI_V4L2_DMABUF)
            plane->fd = buffers->mapping->dmabuf[out->index][p];
    }
}

int zci_v4l2_buffers_queue(struct zci_v4l2_buffers *buffers, uint32_t index)
{
    struct zci_v4l2_buffer buffer = {.index = index};
    describe_planes(buffers, &buffer);
    if (buffers->unwritten & bit(index))
        canary_fill(buffers->layout, base_of(buffers, index));
    sync_dmabufs(buffers, index, DMA_BUF_SYNC_END);
    int error = zci_v4l2_qbuf(&buffers->dev->port, buffers->memory, &buffer);
    if (error == EINVAL || error == EIO)
        error = zci_v4l2_qbuf(&buffers->dev->port, buffers->memory, &buffer);
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
    const int error = zci_v4l2_dqbuf(&buffers->dev->port, buffers->memory, out);
    if (error != 0)
        return error;
    /* The driver returned a buffer that it does not own. */
    if (out->index >= buffers->count || !(buffers->queued & bit(out->index)))
        return EPROTO;
    buffers->queued &= ~bit(out->index);
    sync_dmabufs(buffers, out->index, DMA_BUF_SYNC_START);
    return 0;
}

int zci_v4l2_buffers_written(struct zci_v4l2_buffers *buffers, uint32_t index)
{
    if ((buffers->unwritten & bit(index)) &&
        canary_intact(buffers->layout, base_of(buffers, index)))
        return 0;
    buffers->unwritten &= ~bit(index);
    return 1;
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

static void free_driver_buffers(const struct zci_v4l2_buffers *buffers)
{
    uint32_t none = 0, can = 0;
    if (buffers->dev->port.fd < 0)
        return; /* closing the device freed it */
    (void)zci_v4l2_reqbufs(&buffers->dev->port, buffers->memory, &none, &can);
}

void zci_v4l2_buffers_release(struct zci_v4l2_buffers *buffers)
{
    /* The driver can free its own buffers only after they are unmapped. Memory of ours may be freed
     * only after the driver has released it. */
    if (buffers->memory != ZCI_V4L2_MMAP)
        free_driver_buffers(buffers);
    for (uint32_t i = 0; i < buffers->count; i++) {
        if (buffers->slots[i] != NULL)
            zci_slot_unref(buffers->slots[i]);
        buffers->slots[i] = NULL;
    }
    if (buffers->path == ZCS_PATH_COPIED) {
        zci_v4l2_mapping_destroy(buffers->mapping);
        buffers->mapping = NULL;
    }
    if (buffers->memory == ZCI_V4L2_MMAP)
        free_driver_buffers(buffers);
    buffers->queued = buffers->unwritten = 0;
}

void zci_v4l2_buffers_finish(struct zci_v4l2_buffers *buffers)
{
    zci_v4l2_buffers_release(buffers);
    buffers->mapping = NULL;
    buffers->count = 0;
}
