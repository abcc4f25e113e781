/* SPDX-License-Identifier: MIT */
/* The process that made something: whether the caller is in it, or in a child that was forked from it. Asked for
 * each frame, so that it is a load, not a system call: a page that the kernel empties in children. */
#ifndef ZCI_CORE_ORIGIN_H
#define ZCI_CORE_ORIGIN_H

#include <sys/types.h>

struct zci_origin {
    unsigned char
        *page; /* its first byte is 1, in children 0; NULL: cannot be had, getpid says it */
    pid_t pid;
};

/* Never fails: where there is no such page, asking costs a system call. */
void zci_origin_init(struct zci_origin *origin);
void zci_origin_finish(struct zci_origin *origin); /* also of a zeroed one, and in a child */

/* 1: in the process that called zci_origin_init. A child of vfork, which runs in that one's memory, counts as
 * it. Any thread. */
int zci_origin_here(const struct zci_origin *origin);

#endif
