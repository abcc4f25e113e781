/* SPDX-License-Identifier: MIT */
/* The system calls through libv4l2, which passes on calls for descriptors that were not
 * registered. */
#include "source/v4l2/calls.h"

#include <fcntl.h>
#include <libv4l2.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static int system_open(void *user, const char *path)
{
    (void)user;
    return open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

static void system_attach(void *user, int fd)
{
    (void)user;
    v4l2_fd_open(fd, V4L2_DISABLE_CONVERSION);
}

static int system_close(void *user, int fd)
{
    (void)user;
    return v4l2_close(fd);
}

static int system_ioctl(void *user, int fd, unsigned long request, void *argument)
{
    (void)user;
    return v4l2_ioctl(fd, request, argument);
}

static void *system_mmap(void *user, void *at, size_t bytes, int fd, int64_t offset)
{
    (void)user;
    return v4l2_mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (at != NULL ? MAP_FIXED : 0),
                     fd, offset);
}

static int system_munmap(void *user, void *at, size_t bytes)
{
    (void)user;
    return v4l2_munmap(at, bytes);
}

static int system_poll(void *user, struct pollfd *fd, int timeout_ms)
{
    (void)user;
    return poll(fd, 1, timeout_ms);
}

static int system_identify(void *user, const char *path, struct zci_v4l2_identity *out)
{
    struct stat there;
    (void)user;
    if (stat(path, &there) != 0 || !S_ISCHR(there.st_mode))
        return -1;
    zci_v4l2_identity_read("/sys", major(there.st_rdev), minor(there.st_rdev), out);
    return 0;
}

const struct zci_v4l2_calls zci_v4l2_system = {
    .open = system_open,
    .attach = system_attach,
    .close = system_close,
    .ioctl = system_ioctl,
    .mmap = system_mmap,
    .munmap = system_munmap,
    .poll = system_poll,
    .identify = system_identify,
};
