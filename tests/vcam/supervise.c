/* SPDX-License-Identifier: MIT */
/* The loop: calls, closed files, signals, and the time of the next frame. */
#define _GNU_SOURCE /* ppoll */
#include "vcam/supervise.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vcam/answer.h"
#include "vcam/buffers.h"
#include "vcam/filter.h"
#include "vcam/frames.h"
#include "vcam/memory.h"
#include "vcam/node.h"
#include "vcam/ready.h"
#include "vcam/target.h"
#include "vcam/words.h"

#define RESTART                                                                                    \
    (-512) /* ERESTARTSYS: a signal ends the call, or it begins anew, as its action says */
#define LOOK_NS INT64_C(10000000)

struct vcam_handle *vcam_handle_of(struct vcam_supervisor *v, pid_t pid, int fd, int *theirs)
{
    (void)v;
    const int copy = vcam_target_descriptor(pid, fd);
    if (copy < 0)
        return NULL;
    const uint64_t inode = vcam_inode(copy);
    for (int i = 0; i < VCAM_HANDLES; i++) {
        struct vcam_handle *handle = &vcam_handles()[i];
        if (handle->camera == NULL)
            continue;
        const int swapped = handle->held >= 0 && handle->pid == pid && handle->fd == fd;
        if (handle->inode != inode && !swapped)
            continue;
        *theirs = copy;
        if (!swapped) {
            handle->pid = pid;
            handle->fd = fd;
        }
        return handle;
    }
    close(copy);
    return NULL;
}

/* --- mmap -------------------------------------------------------------------------------------------- */
/* The program maps what it opened, but a socket cannot be mapped. So the buffers' file takes the number for
 * the time of the call, which the kernel then does itself. The next call about this number puts the socket
 * back: nobody tells when the mapping is made, and descriptors can be placed only while a call waits. */
static void swap_in(struct vcam_supervisor *v, struct vcam_handle *handle, uint64_t id, int theirs)
{
    struct vcam_camera *camera = handle->camera;
    if (camera->store < 0) {
        vcam_answer(v->listener, id, -EINVAL);
        close(theirs);
        return;
    }
    handle->held = theirs;
    if (vcam_answer_put(v->listener, id, camera->store, handle->fd, 1))
        vcam_answer_go_on(v->listener, id);
    else
        vcam_answer(v->listener, id, -ENOMEM);
}

static void swap_out(struct vcam_supervisor *v, struct vcam_handle *handle, uint64_t id,
                     int *theirs)
{
    if (handle->held < 0)
        return;
    (void)vcam_answer_put(v->listener, id, handle->held, handle->fd, 1);
    close(*theirs);
    *theirs = handle->held;
    handle->held = -1;
}

/* Where the mapping is one of a whole buffer, as drivers want it. */
static int is_buffer(const struct vcam_camera *camera, uint64_t offset, uint64_t bytes)
{
    for (uint32_t i = 0; i < camera->count; i++)
        for (uint32_t p = 0; p < camera->format.planes; p++)
            if (offset == vcam_store_offset(camera, i, p))
                return bytes <= ((camera->format.size[p] + 4095u) & ~4095u);
    return 0;
}

/* --- calls ------------------------------------------------------------------------------------------- */
static void trace(const struct vcam_supervisor *v, const struct vcam_call *call, int64_t result)
{
    const char *name = vcam_request_name(call->request);
    if (v->verbose)
        fprintf(stderr, "vcam: %lld us: %s (%08x) -> %d\n", (long long)(vcam_now_ns() / 1000),
                name != NULL ? name : "?", (unsigned)call->request, (int)result);
}

/* Reads the argument, does it, writes it back. */
static int64_t do_ioctl(struct vcam_handle *handle, struct vcam_call *call)
{
    union {
        char bytes[1024];
        uint64_t aligned;
    } argument;
    const size_t bytes = _IOC_SIZE(call->request);
    memset(&argument, 0, sizeof argument);
    if (bytes > sizeof argument)
        return -ENOTTY;
    if ((_IOC_DIR(call->request) & _IOC_WRITE) &&
        vcam_target_read(call->tid, call->argument, &argument, bytes) != 0)
        return -EFAULT;
    const int result = vcam_camera_ioctl(handle->camera, handle, call, &argument);
    const int tells_anyway = _IOC_NR(call->request) == _IOC_NR(VIDIOC_S_EXT_CTRLS) ||
                             _IOC_NR(call->request) == _IOC_NR(VIDIOC_G_EXT_CTRLS) ||
                             _IOC_NR(call->request) == _IOC_NR(VIDIOC_TRY_EXT_CTRLS);
    if ((result == 0 || (result != -ENOTTY && tells_anyway)) &&
        (_IOC_DIR(call->request) & _IOC_READ) &&
        vcam_target_write(call->tid, call->argument, &argument, bytes) != 0)
        return -EFAULT;
    return result;
}

static void finish_waiting(struct vcam_supervisor *v, struct vcam_camera *camera, int64_t result)
{
    camera->waits = 0;
    trace(v, &camera->waiting, result);
    vcam_answer(v->listener, camera->waiting.id, result);
    close(camera->waiting.theirs);
}

/* A DQBUF that waits: asked again whenever something may have changed. */
static void try_waiting(struct vcam_supervisor *v, struct vcam_camera *camera)
{
    if (!camera->waits)
        return;
    const uint64_t inode = vcam_inode(camera->waiting.theirs);
    for (int i = 0; i < VCAM_HANDLES; i++) {
        struct vcam_handle *handle = &vcam_handles()[i];
        if (handle->camera != camera || handle->inode != inode)
            continue;
        const int64_t result = do_ioctl(handle, &camera->waiting);
        if (result != VCAM_WAITS)
            finish_waiting(v, camera, result);
        else if (vcam_target_signalled(camera->waiting.tid))
            finish_waiting(v, camera, RESTART);
        return;
    }
    finish_waiting(v, camera, -ENODEV);
}

static void on_ioctl(struct vcam_supervisor *v, const struct seccomp_notif *n)
{
    struct vcam_call call = {.id = n->id,
                             .tid = (pid_t)n->pid,
                             .pid = vcam_target_process((pid_t)n->pid),
                             .fd = (int)n->data.args[0],
                             .request = (uint32_t)n->data.args[1],
                             .argument = n->data.args[2]};
    struct vcam_handle *handle = vcam_handle_of(v, call.pid, call.fd, &call.theirs);
    if (handle == NULL) {
        vcam_answer_go_on(v->listener, n->id);
        return;
    }
    swap_out(v, handle, n->id, &call.theirs);
    struct vcam_camera *camera = handle->camera;
    const int64_t result = do_ioctl(handle, &call);
    if (result == VCAM_WAITS && !camera->waits) {
        camera->waits = 1;
        camera->waiting = call;
        return;
    }
    trace(v, &call, result);
    vcam_answer(v->listener, n->id, result == VCAM_WAITS ? -EBUSY : result);
    close(call.theirs);
}

/* Other calls about a camera's descriptor. */
static void on_descriptor(struct vcam_supervisor *v, const struct seccomp_notif *n, int fd)
{
    int theirs;
    struct vcam_handle *handle = vcam_handle_of(v, vcam_target_process((pid_t)n->pid), fd, &theirs);
    if (handle == NULL) {
        vcam_answer_go_on(v->listener, n->id);
        return;
    }
    swap_out(v, handle, n->id, &theirs);
    if (n->data.nr == __NR_mmap) {
        if (is_buffer(handle->camera, n->data.args[5], n->data.args[1]))
            swap_in(v, handle, n->id, theirs);
        else {
            vcam_answer(v->listener, n->id, -EINVAL);
            close(theirs);
        }
        return;
    }
    close(theirs);
    if (n->data.nr == __NR_read)
        vcam_answer(v->listener, n->id, -EINVAL);
    else
        vcam_answer_go_on(v->listener, n->id);
}

static void on_munmap(struct vcam_supervisor *v, const struct seccomp_notif *n)
{
    const pid_t pid = vcam_target_process((pid_t)n->pid);
    for (uint32_t i = 0; i < v->camera_count; i++)
        if (v->cameras[i].script->guard &&
            vcam_memory_queued(&v->cameras[i], pid, n->data.args[0], n->data.args[1]))
            vcam_camera_complain(&v->cameras[i], "memory is unmapped while it is queued");
    vcam_answer_go_on(v->listener, n->id);
}

static void on_call(struct vcam_supervisor *v)
{
    struct seccomp_notif n;
    memset(&n, 0, sizeof n);
    if (ioctl(v->listener, SECCOMP_IOCTL_NOTIF_RECV, &n) != 0)
        return;
    switch (n.data.nr) {
    case __NR_ioctl:
        on_ioctl(v, &n);
        return;
    case __NR_openat:
#ifdef __NR_open
    case __NR_open:
#endif
        vcam_node_open(v, &n);
        return;
    case __NR_newfstatat:
    case __NR_statx:
    case __NR_fstat:
#ifdef __NR_stat
    case __NR_stat:
#endif
        vcam_node_stat(v, &n);
        return;
    case __NR_faccessat:
#ifdef __NR_faccessat2
    case __NR_faccessat2:
#endif
#ifdef __NR_access
    case __NR_access:
#endif
        vcam_node_access(v, &n);
        return;
    case __NR_munmap:
        on_munmap(v, &n);
        return;
    case __NR_mmap:
        on_descriptor(v, &n, (int)n.data.args[4]);
        return;
    case __NR_epoll_ctl:
        on_descriptor(v, &n, (int)n.data.args[2]);
        return;
    default:
        on_descriptor(v, &n, (int)n.data.args[0]);
    }
}

/* --- the loop ---------------------------------------------------------------------------------------- */
static int64_t next_ns(const struct vcam_supervisor *v)
{
    int64_t due_ns = VCAM_NEVER;
    for (uint32_t i = 0; i < v->camera_count; i++) {
        const struct vcam_camera *camera = &v->cameras[i];
        const int64_t own_ns = vcam_frames_due_ns(camera);
        due_ns = own_ns < due_ns ? own_ns : due_ns;
        if (camera->waits && vcam_now_ns() + LOOK_NS < due_ns)
            due_ns = vcam_now_ns() + LOOK_NS; /* for signals */
    }
    return due_ns;
}

static void wait_for(struct pollfd *fds, nfds_t count, int64_t due_ns)
{
    const int64_t left_ns = due_ns - vcam_now_ns();
    const struct timespec time = {.tv_sec = left_ns > 0 ? left_ns / 1000000000 : 0,
                                  .tv_nsec = left_ns > 0 ? left_ns % 1000000000 : 0};
    if (ppoll(fds, count, due_ns == VCAM_NEVER ? NULL : &time, NULL) < 0)
        for (nfds_t i = 0; i < count; i++)
            fds[i].revents = 0;
}

/* 1: the program has ended. */
static int on_signal(const struct vcam_supervisor *v, int signals, int *status)
{
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo != SIGCHLD)
            (void)kill(v->program, (int)info.ssi_signo);
        else if (waitpid(v->program, status, WNOHANG) == v->program)
            return 1;
    }
    return 0;
}

static void look_for_closed(void)
{
    for (int i = 0; i < VCAM_HANDLES; i++) {
        struct vcam_handle *handle = &vcam_handles()[i];
        if (handle->camera != NULL && handle->ours >= 0 && vcam_ready_closed(handle->ours))
            vcam_camera_release(handle);
    }
}

int vcam_supervise(struct vcam_supervisor *v, int signals)
{
    for (;;) {
        struct pollfd fds[2 + VCAM_HANDLES] = {{.fd = v->listener, .events = POLLIN},
                                               {.fd = signals, .events = POLLIN}};
        nfds_t count = 2;
        int status;
        for (int i = 0; i < VCAM_HANDLES; i++)
            if (vcam_handles()[i].camera != NULL && vcam_handles()[i].ours >= 0)
                fds[count++] =
                    (struct pollfd){.fd = vcam_handles()[i].ours, .events = POLLIN | POLLRDHUP};
        wait_for(fds, count, next_ns(v));
        if (fds[1].revents != 0 && on_signal(v, signals, &status))
            return status;
        look_for_closed();
        if (fds[0].revents & POLLIN)
            on_call(v);
        const int64_t now_ns = vcam_now_ns();
        for (uint32_t i = 0; i < v->camera_count; i++) {
            vcam_frames_run(&v->cameras[i], now_ns);
            try_waiting(v, &v->cameras[i]);
        }
    }
}
