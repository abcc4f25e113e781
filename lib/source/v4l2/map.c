/* SPDX-License-Identifier: MIT */
/* Mapping frames' memory, and letting it go when the last frame is home. */
#define _GNU_SOURCE /* memfd_create, MAP_ANONYMOUS, file seals */
#include "source/v4l2/map.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static struct zci_v4l2_map *map_new(const struct zci_v4l2_port *port,
                                    const struct zci_v4l2_layout *layout, uint32_t count)
{
    struct zci_v4l2_map *map = calloc(1, sizeof *map);
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

void zci_v4l2_map_let_go(void *held)
{
    struct zci_v4l2_map *map = held;
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

/* Address space, or memory where `writable`, for one piece. */
static void *reserve(size_t bytes, int writable)
{
    void *at = mmap(NULL, bytes, writable ? PROT_READ | PROT_WRITE : PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* The driver's planes of buffer `i`, side by side as the layout has them. */
static int map_planes(struct zci_v4l2_map *map, const struct zci_v4l2_port *port,
                      const struct zci_v4l2_layout *layout, uint32_t i, const char **what)
{
    struct zci_v4l2_buffer buffer = {.index = i, .planes = layout->planes};
    *what = "VIDIOC_QUERYBUF";
    const int error = zci_v4l2_query_buffer(port, &buffer);
    if (error != 0)
        return error;
    *what = "mmap";
    map->base[i] = reserve(map->bytes, 0);
    if (map->base[i] == NULL)
        return errno;
    for (uint32_t p = 0; p < layout->planes; p++) {
        if (buffer.planes != layout->planes || buffer.plane[p].length > layout->bytes[p] ||
            buffer.plane[p].length < layout->needed[p])
            return ERANGE;
        void *at = (uint8_t *)map->base[i] + layout->at[p];
        if (port->calls->mmap(port->calls->user, at, buffer.plane[p].length, port->fd,
                              buffer.plane[p].map_offset) == MAP_FAILED)
            return errno;
    }
    return 0;
}

int zci_v4l2_map_buffers(const struct zci_v4l2_port *port, const struct zci_v4l2_layout *layout,
                         uint32_t count, struct zci_v4l2_map **out, const char **what)
{
    struct zci_v4l2_map *map = map_new(port, layout, count);
    *what = "memory for a map";
    int error = map == NULL ? ENOMEM : 0;
    for (uint32_t i = 0; i < count && error == 0; i++)
        error = map_planes(map, port, layout, i, what);
    if (error != 0)
        zci_v4l2_map_let_go(map);
    else
        *out = map;
    return error;
}

int zci_v4l2_map_plain(const struct zci_v4l2_port *port, const struct zci_v4l2_layout *layout,
                       uint32_t count, struct zci_v4l2_map **out, const char **what)
{
    struct zci_v4l2_map *map = map_new(port, layout, count);
    *what = "memory for frames";
    int error = map == NULL ? ENOMEM : 0;
    for (uint32_t i = 0; i < count && error == 0; i++) {
        map->base[i] = reserve(map->bytes, 1);
        error = map->base[i] == NULL ? errno : 0;
    }
    if (error != 0)
        zci_v4l2_map_let_go(map);
    else
        *out = map;
    return error;
}

/* A memfd of that size, sealed so that nobody can take its pages away; -1 with errno. */
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

struct dmabuf_maker {
    const struct zci_v4l2_port *port; /* its fd is udmabuf's */
    const struct zci_v4l2_layout *layout;
    int memory;
    const char **what;
};

static int make_piece(struct zci_v4l2_map *map, const struct dmabuf_maker *maker, uint32_t i)
{
    const struct zci_v4l2_calls *calls = maker->port->calls;
    const uint64_t first = (uint64_t)i * map->bytes;
    *maker->what = "mmap of a memfd";
    void *at =
        mmap(NULL, map->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, maker->memory, (off_t)first);
    if (at == MAP_FAILED)
        return errno;
    map->base[i] = at;
    *maker->what = "UDMABUF_CREATE";
    for (uint32_t p = 0; p < maker->layout->planes; p++) {
        struct udmabuf_create create = {.memfd = (uint32_t)maker->memory,
                                        .flags = UDMABUF_FLAGS_CLOEXEC,
                                        .offset = first + maker->layout->at[p],
                                        .size = maker->layout->bytes[p]};
        map->dmabuf[i][p] = calls->ioctl(calls->user, maker->port->fd, UDMABUF_CREATE, &create);
        if (map->dmabuf[i][p] < 0)
            return errno;
    }
    return 0;
}

static int make_pieces(struct zci_v4l2_map *map, const struct dmabuf_maker *maker)
{
    for (uint32_t i = 0; i < map->count; i++) {
        const int error = make_piece(map, maker, i);
        if (error != 0)
            return error;
    }
    return 0;
}

int zci_v4l2_map_dmabuf(const struct zci_v4l2_port *port, const struct zci_v4l2_layout *layout,
                        uint32_t count, struct zci_v4l2_map **out, const char **what)
{
    const struct zci_v4l2_calls *calls = port->calls;
    const struct zci_v4l2_port udmabuf = {.calls = calls,
                                          .fd = calls->open(calls->user, "/dev/udmabuf")};
    *what = "/dev/udmabuf";
    if (udmabuf.fd < 0)
        return errno;
    struct zci_v4l2_map *map = map_new(port, layout, count);
    *what = "memfd_create";
    const int memory = map == NULL ? -1 : sealed_memory((uint64_t)count * layout->slot_bytes);
    int error = map == NULL ? ENOMEM : memory < 0 ? errno : 0;
    const struct dmabuf_maker maker = {&udmabuf, layout, memory, what};
    if (error == 0)
        error = make_pieces(map, &maker);
    if (memory >= 0)
        close(memory);
    calls->close(calls->user, udmabuf.fd);
    if (error != 0)
        zci_v4l2_map_let_go(map);
    else
        *out = map;
    return error;
}
