/* SPDX-License-Identifier: MIT */
/* Answers open, stat and access for a node that need not exist. */
#define _GNU_SOURCE /* statx, memfd_create */
#include "vcam/node.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "vcam/answer.h"
#include "vcam/filter.h"
#include "vcam/ready.h"
#include "vcam/target.h"

#define VIDEO_MAJOR 81

static int path_of(const struct seccomp_notif *n, uint64_t at, char *path, size_t room)
{
    return vcam_target_string((pid_t)n->pid, at, path, room) == 0;
}

/* The camera whose node has that name; NULL: none. */
static struct vcam_camera *camera_at(struct vcam_supervisor *v, const char *path)
{
    for (uint32_t i = 0; i < v->camera_count; i++)
        if (strcmp(path, v->cameras[i].script->path) == 0)
            return &v->cameras[i];
    return NULL;
}

/* The same, its name in the program's memory. */
static struct vcam_camera *named(struct vcam_supervisor *v, const struct seccomp_notif *n,
                                 uint64_t at)
{
    char path[256];
    return path_of(n, at, path, sizeof path) ? camera_at(v, path) : NULL;
}

static const struct vcam_file *file_at(const struct vcam_supervisor *v, const char *path)
{
    for (uint32_t i = 0; i < v->camera_count; i++)
        for (uint32_t k = 0; k < v->cameras[i].script->file_count; k++)
            if (!v->cameras[i].gone && strcmp(path, v->cameras[i].script->files[k].path) == 0)
                return &v->cameras[i].script->files[k];
    return NULL;
}

static int is_old_call(int number)
{
#ifdef __NR_open
    return number == __NR_open || number == __NR_stat || number == __NR_access;
#else
    (void)number;
    return 0;
#endif
}

static uint64_t path_argument(const struct seccomp_notif *n)
{
    return n->data.args[is_old_call(n->data.nr) ? 0 : 1];
}

static struct vcam_handle *free_handle(void)
{
    struct vcam_handle *handles = vcam_handles(), *unplugged = NULL;
    for (int i = 0; i < VCAM_HANDLES; i++) {
        if (handles[i].camera == NULL)
            return &handles[i];
        if (handles[i].ours < 0)
            unplugged = &handles[i];
    }
    return unplugged;
}

static int free_number(pid_t pid)
{
    for (int fd = VCAM_FD_FIRST; fd < VCAM_FD_END; fd++) {
        const int there = vcam_target_descriptor(pid, fd);
        if (there < 0)
            return fd;
        close(there);
    }
    return -1;
}

/* 0, or why not. */
static int open_camera(struct vcam_supervisor *v, struct vcam_camera *camera,
                       const struct seccomp_notif *n, int flags)
{
    struct vcam_handle *handle = free_handle();
    const pid_t pid = vcam_target_process((pid_t)n->pid);
    const int number = free_number(pid);
    int ours, theirs;
    if (handle == NULL || number < 0)
        return -EMFILE;
    const int error = vcam_ready_make(&ours, &theirs);
    if (error != 0)
        return error;
    if (flags & O_NONBLOCK)
        (void)fcntl(theirs, F_SETFL, O_RDWR | O_NONBLOCK);
    *handle = (struct vcam_handle){.camera = camera,
                                   .ours = ours,
                                   .inode = vcam_inode(theirs),
                                   .pid = pid,
                                   .fd = number,
                                   .held = -1};
    vcam_ready_show(ours, theirs, 0, VCAM_READY_ERR);
    handle->shown = VCAM_READY_ERR;
    vcam_answer_file(v->listener, n->id, theirs, number, (flags & O_CLOEXEC) != 0);
    close(theirs);
    return 0;
}

/* Under the lowest free number, as open would. */
static void open_file(struct vcam_supervisor *v, const struct vcam_file *file,
                      const struct seccomp_notif *n, int flags)
{
    const int fd = memfd_create("file", MFD_CLOEXEC);
    const size_t bytes = strlen(file->text);
    if (fd < 0 || pwrite(fd, file->text, bytes, 0) != (ssize_t)bytes)
        vcam_answer(v->listener, n->id, -ENOMEM);
    else
        vcam_answer_file(v->listener, n->id, fd, -1, (flags & O_CLOEXEC) != 0);
    if (fd >= 0)
        close(fd);
}

void vcam_node_open(struct vcam_supervisor *v, const struct seccomp_notif *n)
{
    char path[256];
    const int flags = (int)n->data.args[is_old_call(n->data.nr) ? 1 : 2];
    const int known = path_of(n, path_argument(n), path, sizeof path);
    struct vcam_camera *camera = known ? camera_at(v, path) : NULL;
    const struct vcam_file *file = known ? file_at(v, path) : NULL;
    if (file != NULL) {
        open_file(v, file, n, flags);
        return;
    }
    if (camera == NULL) {
        vcam_answer_go_on(v->listener, n->id);
        return;
    }
    int error = camera->gone ? -ENOENT : -vcam_camera_fails(camera, VCAM_OPEN);
    if (error == 0)
        error = open_camera(v, camera, n, flags);
    if (error != 0)
        vcam_answer(v->listener, n->id, error);
}

static unsigned minor_of(const struct vcam_camera *camera)
{
    const char *path = camera->script->path;
    unsigned number = 0;
    for (const char *at = path; *at != '\0'; at++)
        number = *at >= '0' && *at <= '9' ? number * 10 + (unsigned)(*at - '0') : 0;
    return number;
}

static int tell_stat(const struct vcam_camera *camera, pid_t tid, uint64_t at)
{
    const struct stat info = {.st_mode = S_IFCHR | 0660,
                              .st_nlink = 1,
                              .st_rdev = makedev(VIDEO_MAJOR, minor_of(camera)),
                              .st_blksize = 4096};
    return vcam_target_write(tid, at, &info, sizeof info);
}

static int tell_statx(const struct vcam_camera *camera, pid_t tid, uint64_t at)
{
    const struct statx info = {.stx_mask = STATX_BASIC_STATS,
                               .stx_mode = S_IFCHR | 0660,
                               .stx_nlink = 1,
                               .stx_rdev_major = VIDEO_MAJOR,
                               .stx_rdev_minor = minor_of(camera),
                               .stx_blksize = 4096};
    return vcam_target_write(tid, at, &info, sizeof info);
}

/* The camera that a stat call is about, by name or by descriptor. */
static struct vcam_camera *looked_at(struct vcam_supervisor *v, const struct seccomp_notif *n)
{
    const int fd = (int)n->data.args[0];
    const int by_fd = n->data.nr == __NR_fstat || (fd >= VCAM_FD_FIRST && fd < VCAM_FD_END);
    if (!by_fd || is_old_call(n->data.nr)) {
        struct vcam_camera *camera = named(v, n, path_argument(n));
        return camera != NULL && !camera->gone ? camera : NULL;
    }
    int theirs;
    const struct vcam_handle *handle =
        vcam_handle_of(v, vcam_target_process((pid_t)n->pid), fd, &theirs);
    if (handle == NULL)
        return NULL;
    close(theirs);
    return handle->camera;
}

void vcam_node_stat(struct vcam_supervisor *v, const struct seccomp_notif *n)
{
    const struct vcam_camera *camera = looked_at(v, n);
    if (camera == NULL) {
        vcam_answer_go_on(v->listener, n->id);
        return;
    }
    const pid_t tid = (pid_t)n->pid;
    int error;
    if (n->data.nr == __NR_statx)
        error = tell_statx(camera, tid, n->data.args[4]);
    else if (n->data.nr == __NR_newfstatat)
        error = tell_stat(camera, tid, n->data.args[2]);
    else
        error = tell_stat(camera, tid, n->data.args[1]);
    vcam_answer(v->listener, n->id, error);
}

void vcam_node_access(struct vcam_supervisor *v, const struct seccomp_notif *n)
{
    const struct vcam_camera *camera = named(v, n, path_argument(n));
    if (camera == NULL || camera->gone)
        vcam_answer_go_on(v->listener, n->id);
    else
        vcam_answer(v->listener, n->id, 0);
}
