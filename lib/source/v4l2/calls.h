/* SPDX-License-Identifier: MIT */
/* The system calls that live capture makes, as a table, so that a scripted device can stand in. */
#ifndef ZCI_SOURCE_V4L2_CALLS_H
#define ZCI_SOURCE_V4L2_CALLS_H

#include <poll.h>

#include "source/v4l2/identity.h"

/* As the calls of the same names; failures are -1 (mmap: MAP_FAILED) with errno. `user` is the table's. */
struct zci_v4l2_calls {
    void *user;
    int (*open)(void *user, const char *path);
    /* Tells libv4l2 of a single-planar capture device, its conversions off. Multi-planar ones stay with the
     * kernel: there libv4l2's plugin would hide the planes. */
    void (*attach)(void *user, int fd);
    int (*close)(void *user, int fd);
    int (*ioctl)(void *user, int fd, unsigned long request, void *argument);
    /* Shared, for reading and writing; `at` NULL: anywhere, else exactly there. */
    void *(*mmap)(void *user, void *at, size_t bytes, int fd, int64_t offset);
    int (*munmap)(void *user, void *at, size_t bytes);
    int (*poll)(void *user, struct pollfd *fd, int timeout_ms);
    /* What the system knows of the node at `path`, without opening it. -1: there is none. */
    int (*identify)(void *user, const char *path, struct zci_v4l2_identity *out);
};

/* The system's own, through libv4l2. */
extern const struct zci_v4l2_calls zci_v4l2_system;

#endif
