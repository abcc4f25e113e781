/* SPDX-License-Identifier: MIT */
/* The system calls that live capture makes, as a table, so that tests can put a scripted device in
 * their place. */
#ifndef ZCI_SOURCE_V4L2_CALLS_H
#define ZCI_SOURCE_V4L2_CALLS_H

#include <poll.h>

#include "source/v4l2/identity.h"

/* Each works like the call of the same name: on failure it returns -1 (mmap: MAP_FAILED) and sets
 * errno. Each gets the table's `user`. */
struct zci_v4l2_calls {
    void *user;
    int (*open)(void *user, const char *path);
    /* Registers a single-planar capture device with libv4l2, format conversion off. Multi-planar
     * devices are not registered: libv4l2's plugin would hide their planes. */
    void (*attach)(void *user, int fd);
    int (*close)(void *user, int fd);
    int (*ioctl)(void *user, int fd, unsigned long request, void *argument);
    /* Shared, for reading and writing. `at` NULL: at any address; else exactly there
     * (MAP_FIXED). */
    void *(*mmap)(void *user, void *at, size_t bytes, int fd, int64_t offset);
    int (*munmap)(void *user, void *at, size_t bytes);
    int (*poll)(void *user, struct pollfd *fd, int timeout_ms);
    /* The identity of the node at `path`, without opening it. -1: there is no such node. */
    int (*identify)(void *user, const char *path, struct zci_v4l2_identity *out);
};

/* The system's own, through libv4l2. */
extern const struct zci_v4l2_calls zci_v4l2_system;

#endif
