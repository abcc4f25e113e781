/* SPDX-License-Identifier: MIT */
/* The filter: a program for the kernel's BPF machine. */
#define _GNU_SOURCE /* syscall */
#include "vcam/filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#else
#error "only x86-64 and 64-bit Arm have been thought of"
#endif
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

struct program {
    struct sock_filter code[256];
    unsigned short length;
};

static void emit(struct program *p, unsigned code, uint32_t k, unsigned yes, unsigned no)
{
    p->code[p->length++] = (struct sock_filter){(uint16_t)code, (uint8_t)yes, (uint8_t)no, k};
}

static void load(struct program *p, size_t offset)
{
    emit(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* The lower half of an argument; both machines are little-endian. */
static void load_argument(struct program *p, int i)
{
    load(p, offsetof(struct seccomp_data, args) + 8 * (size_t)i);
}

static void give(struct program *p, uint32_t verdict)
{
    emit(p, BPF_RET | BPF_K, verdict, 0, 0);
}

/* These wait whatever they are about: the names that they are given are in the program's memory. */
static void ask_always(struct program *p, long number)
{
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
    give(p, SECCOMP_RET_USER_NOTIF);
}

/* These where argument `i` is a descriptor of a camera. */
static void ask_camera(struct program *p, long number, int i)
{
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 5);
    load_argument(p, i);
    emit(p, BPF_JMP | BPF_JGE | BPF_K, VCAM_FD_FIRST, 0, 2);
    emit(p, BPF_JMP | BPF_JGE | BPF_K, VCAM_FD_END, 1, 0);
    give(p, SECCOMP_RET_USER_NOTIF);
    give(p, SECCOMP_RET_ALLOW);
}

/* ioctl where the request is one of V4L2's, on any descriptor: it may have been duplicated. */
static void ask_ioctl(struct program *p)
{
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, __NR_ioctl, 0, 5);
    load_argument(p, 1);
    emit(p, BPF_ALU | BPF_AND | BPF_K, 0xff00, 0, 0);
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 'V' << 8, 0, 1);
    give(p, SECCOMP_RET_USER_NOTIF);
    give(p, SECCOMP_RET_ALLOW);
}

static void make(struct program *p, int guard)
{
    load(p, offsetof(struct seccomp_data, arch));
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 1, 0);
    give(p, SECCOMP_RET_ALLOW);
    load(p, offsetof(struct seccomp_data, nr));
    ask_ioctl(p);
    ask_camera(p, __NR_close, 0);
    ask_camera(p, __NR_read, 0);
    ask_camera(p, __NR_mmap, 4);
    ask_camera(p, __NR_epoll_ctl, 2);
    ask_camera(p, __NR_fcntl, 0);
    ask_camera(p, __NR_dup, 0);
    ask_camera(p, __NR_fstat, 0);
    ask_always(p, __NR_openat);
    ask_always(p, __NR_newfstatat);
    ask_always(p, __NR_statx);
    ask_always(p, __NR_faccessat);
#ifdef __NR_faccessat2
    ask_always(p, __NR_faccessat2);
#endif
#ifdef __NR_open
    ask_always(p, __NR_open);
    ask_always(p, __NR_stat);
    ask_always(p, __NR_access);
#endif
    if (guard)
        ask_always(p, __NR_munmap);
    give(p, SECCOMP_RET_ALLOW);
}

/* A call that we have heard of can be ended by a fatal signal only: otherwise one that interrupts it would
 * make the kernel begin it again after we have done it. */
int vcam_filter_install(int guard)
{
    struct program p = {.length = 0};
    make(&p, guard);
    const struct sock_fprog wanted = {p.length, p.code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -errno;
    const long listener =
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &wanted);
    return listener < 0 ? -errno : (int)listener;
}
