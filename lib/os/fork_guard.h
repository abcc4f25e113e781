/* SPDX-License-Identifier: MIT */
/* The process that made something: whether the caller is in it, or in a child that was forked from it. Asked for
 * each frame, so that it is a load, not a system call: a page that the kernel empties in children. */
#ifndef ZCI_OS_FORK_GUARD_H
#define ZCI_OS_FORK_GUARD_H

#include <sys/types.h>

struct zci_fork_guard {
    unsigned char
        *page; /* its first byte is 1, in children 0; NULL: cannot be had, getpid says it */
    pid_t pid;
};

/* Never fails: where there is no such page, asking costs a system call. */
void zci_fork_guard_init(struct zci_fork_guard *fork_guard);
void zci_fork_guard_finish(
    struct zci_fork_guard *fork_guard); /* also of a zeroed one, and in a child */

/* 1: in the process that called zci_fork_guard_init. A child of vfork, which runs in that one's memory, counts as
 * it. Any thread. */
int zci_fork_guard_same_process(const struct zci_fork_guard *fork_guard);

#endif
