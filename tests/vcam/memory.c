/* SPDX-License-Identifier: MIT */
/* Writes into USERPTR buffers through the kernel, into the others through mappings. */
#define _GNU_SOURCE /* memfd_create */
#include "vcam/memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vcam/buffers.h"
#include "vcam/format.h"
#include "vcam/target.h"

static size_t whole_pages(size_t bytes)
{
    return (bytes + 4095) & ~(size_t)4095;
}

size_t vcam_store_offset(const struct vcam_camera *camera, uint32_t i, uint32_t p)
{
    size_t all = 0, before = 0;
    for (uint32_t q = 0; q < camera->format.planes; q++) {
        before += q < p ? whole_pages(camera->format.size[q]) : 0;
        all += whole_pages(camera->format.size[q]);
    }
    return i * all + before;
}

int vcam_memory_make(struct vcam_camera *camera)
{
    camera->store_bytes = vcam_store_offset(camera, camera->count, 0);
    camera->store = memfd_create("vcam", MFD_CLOEXEC);
    if (camera->store < 0 || ftruncate(camera->store, (off_t)camera->store_bytes) != 0)
        return -ENOMEM;
    camera->store_inode = vcam_inode(camera->store);
    void *at =
        mmap(NULL, camera->store_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, camera->store, 0);
    if (at == MAP_FAILED)
        return -ENOMEM;
    camera->mapped = at;
    return 0;
}

static void unmap_dmabuf(struct vcam_buffer *b, uint32_t p)
{
    if (b->dmabuf[p] != NULL)
        munmap(b->dmabuf[p], b->length[p]);
    b->dmabuf[p] = NULL;
    b->dmabuf_inode[p] = 0;
}

void vcam_memory_free(struct vcam_camera *camera)
{
    if (camera->mapped != NULL)
        munmap(camera->mapped, camera->store_bytes);
    if (camera->store >= 0)
        close(camera->store);
    camera->mapped = NULL;
    camera->store = -1;
    camera->store_inode = 0;
    for (uint32_t i = 0; i < camera->count; i++)
        for (uint32_t p = 0; p < VCAM_PLANES; p++)
            unmap_dmabuf(&camera->buffers[i], p);
}

/* As a driver that pins them: looked at again only where address or length are new. */
static int take_user_memory(struct vcam_buffer *b, const struct vcam_call *call, uint32_t p,
                            uint32_t needed, const struct v4l2_plane *plane)
{
    if (plane->length < needed)
        return -EINVAL;
    if (b->address[p] == plane->m.userptr && b->length[p] == plane->length)
        return 0;
    if (!vcam_target_writable(call->pid, plane->m.userptr, plane->length))
        return -EFAULT;
    b->address[p] = plane->m.userptr;
    b->length[p] = plane->length;
    return 0;
}

static int take_dmabuf(struct vcam_buffer *b, const struct vcam_call *call, uint32_t p,
                       uint32_t needed, const struct v4l2_plane *plane)
{
    struct stat info;
    const int fd = vcam_target_descriptor(call->pid, plane->m.fd);
    if (fd < 0)
        return -EINVAL;
    int error = 0;
    const off_t bytes = lseek(fd, 0, SEEK_END);
    const size_t length = plane->length != 0 ? plane->length : (size_t)(bytes > 0 ? bytes : 0);
    if (fstat(fd, &info) != 0 || bytes < (off_t)length || length < needed)
        error = -EINVAL;
    if (error == 0 && b->dmabuf_inode[p] != (uint64_t)info.st_ino) {
        unmap_dmabuf(b, p);
        void *at = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (at == MAP_FAILED)
            error = -EINVAL;
        else
            b->dmabuf[p] = at;
        b->dmabuf_inode[p] = error == 0 ? (uint64_t)info.st_ino : 0;
        b->length[p] = (uint32_t)length;
    }
    close(fd);
    return error;
}

int vcam_memory_take(struct vcam_camera *camera, const struct vcam_call *call, uint32_t i,
                     const struct v4l2_plane planes[VCAM_PLANES])
{
    struct vcam_buffer *b = &camera->buffers[i];
    for (uint32_t p = 0; p < camera->format.planes; p++) {
        const uint32_t needed = camera->format.size[p];
        int error = 0;
        if (camera->memory == V4L2_MEMORY_USERPTR)
            error = take_user_memory(b, call, p, needed, &planes[p]);
        else if (camera->memory == V4L2_MEMORY_DMABUF)
            error = take_dmabuf(b, call, p, needed, &planes[p]);
        if (error != 0)
            return error;
    }
    camera->pid = call->pid;
    return 0;
}

int vcam_memory_write(struct vcam_camera *camera, uint32_t i, int lower_half)
{
    const struct vcam_buffer *b = &camera->buffers[i];
    const uint8_t *from = camera->picture;
    for (uint32_t p = 0; p < camera->format.planes; p++) {
        const size_t bytes = camera->format.size[p], skip = lower_half ? bytes / 2 : 0;
        int error = 0;
        if (camera->memory == V4L2_MEMORY_USERPTR)
            error = vcam_target_write(camera->pid, b->address[p] + skip, from + skip, bytes - skip);
        else if (camera->memory == V4L2_MEMORY_DMABUF)
            memcpy(b->dmabuf[p] + skip, from + skip, bytes - skip);
        else
            memcpy(camera->mapped + vcam_store_offset(camera, i, p) + skip, from + skip,
                   bytes - skip);
        if (error != 0)
            return error;
        from += bytes;
    }
    return 0;
}

int vcam_memory_queued(const struct vcam_camera *camera, pid_t pid, uint64_t at, uint64_t bytes)
{
    if (camera->memory != V4L2_MEMORY_USERPTR || camera->pid != pid)
        return 0;
    for (uint32_t i = 0; i < camera->count; i++)
        for (uint32_t p = 0; p < camera->format.planes; p++) {
            const struct vcam_buffer *b = &camera->buffers[i];
            if (b->state != VCAM_IDLE && b->address[p] < at + bytes &&
                at < b->address[p] + b->length[p])
                return 1;
        }
    return 0;
}
