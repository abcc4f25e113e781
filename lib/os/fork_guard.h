/* SPDX-License-Identifier: MIT */
/* The fork guard: whether the caller is in the process that created an object, or in a child forked
 * from it. It is checked for each frame, so a check is a load from a page that the kernel clears in
 * children, not a system call. */
#ifndef ZCI_OS_FORK_GUARD_H
#define ZCI_OS_FORK_GUARD_H

#include <sys/types.h>

struct zci_fork_guard {
    unsigned char
        *page; /* its first byte is 1, and 0 in children; NULL: not supported, so getpid decides */
    pid_t pid;
};

/* Never fails: without such a page, a check costs a system call. */
void zci_fork_guard_init(struct zci_fork_guard *fork_guard);

/* Accepts a zeroed guard, and may be called in a child. */
void zci_fork_guard_finish(struct zci_fork_guard *fork_guard);

/* 1: the caller is in the process that called zci_fork_guard_init. A child of vfork counts as that
 * process, because it runs in that process's memory. Any thread. */
int zci_fork_guard_same_process(const struct zci_fork_guard *fork_guard);

#endif
