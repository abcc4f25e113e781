/* SPDX-License-Identifier: MIT */
/* The kernel's interface for answers. */
#define _GNU_SOURCE /* O_CLOEXEC among linux/seccomp.h's users */
#include "vcam/answer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>

void vcam_answer(int listener, uint64_t id, int64_t value)
{
    struct seccomp_notif_resp answer = {.id = id};
    if (value < 0)
        answer.error = (int32_t)value;
    else
        answer.val = value;
    (void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

void vcam_answer_go_on(int listener, uint64_t id)
{
    struct seccomp_notif_resp answer = {.id = id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    (void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

static int add(int listener, uint64_t id, int ours, int number, int close_on_exec)
{
    struct seccomp_notif_addfd file = {.id = id,
                                       .flags = number >= 0 ? SECCOMP_ADDFD_FLAG_SETFD : 0,
                                       .srcfd = (uint32_t)ours,
                                       .newfd = number >= 0 ? (uint32_t)number : 0,
                                       .newfd_flags = close_on_exec ? O_CLOEXEC : 0};
    return ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &file);
}

int vcam_answer_put(int listener, uint64_t id, int ours, int number, int close_on_exec)
{
    return add(listener, id, ours, number, close_on_exec) >= 0;
}

void vcam_answer_file(int listener, uint64_t id, int ours, int number, int close_on_exec)
{
    const int got = add(listener, id, ours, number, close_on_exec);
    vcam_answer(listener, id, got >= 0 ? got : -ENFILE);
}
