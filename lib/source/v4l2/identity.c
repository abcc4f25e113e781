/* SPDX-License-Identifier: MIT */
/* What the system knows of a node beside its driver. */
#include "source/v4l2/identity.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* A node's device is the USB interface, whose parent is the USB device. */
void zci_v4l2_serial(const char *path, char *out, size_t bytes)
{
    struct stat there;
    char name[96];
    out[0] = '\0';
    if (stat(path, &there) != 0 || !S_ISCHR(there.st_mode))
        return;
    snprintf(name, sizeof name, "/sys/dev/char/%u:%u/device/../serial", major(there.st_rdev),
             minor(there.st_rdev));
    const int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    const ssize_t got = read(fd, out, bytes - 1);
    close(fd);
    out[got > 0 ? got : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
}
