/* SPDX-License-Identifier: MIT */
/* Reading a camera's identity from sysfs, and comparing two. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "source/v4l2/identity.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* The first line of the file FOLDER/NAME; "" where there is no such file. */
static void read_line(const char *folder, const char *name, char *out, size_t bytes)
{
    char path[PATH_MAX];
    out[0] = '\0';
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    const int fd =
        length > 0 && (size_t)length < sizeof path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    const ssize_t got = read(fd, out, bytes - 1);
    close(fd);
    out[got > 0 ? got : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
}

/* `interface` is a USB interface's folder; the device's folder is its parent. */
static void read_serial(const char *interface, char *out, size_t bytes)
{
    char device[PATH_MAX + 4], vendor[8], product[8], serial[72];
    snprintf(device, sizeof device, "%s/..", interface);
    read_line(device, "idVendor", vendor, sizeof vendor);
    read_line(device, "idProduct", product, sizeof product);
    read_line(device, "serial", serial, sizeof serial);
    if (serial[0] != '\0' && vendor[0] != '\0')
        snprintf(out, bytes, "%s:%s:%s", vendor, product, serial);
}

void zci_v4l2_identity_read(const char *sys, unsigned major, unsigned minor,
                            struct zci_v4l2_identity *out)
{
    char node[PATH_MAX], index[16], place[PATH_MAX];
    *out = (struct zci_v4l2_identity){.index = 0};
    snprintf(node, sizeof node, "%s/dev/char/%u:%u", sys, major, minor);
    read_line(node, "index", index, sizeof index);
    out->index = (uint32_t)strtoul(index, NULL, 10);
    strncat(node, "/device", sizeof node - strlen(node) - 1);
    if (realpath(node, place) == NULL)
        return;
    const size_t length = strlen(place), max = sizeof out->sysfs_path - 1;
    /* The end of a path that is too long identifies more than its start. */
    memcpy(out->sysfs_path, length > max ? place + length - max : place,
           (length > max ? max : length) + 1);
    read_serial(place, out->serial, sizeof out->serial);
}

void zci_v4l2_identity_serial(const char *path, char *out, size_t bytes)
{
    struct stat there;
    char name[96];
    out[0] = '\0';
    if (stat(path, &there) != 0 || !S_ISCHR(there.st_mode))
        return;
    snprintf(name, sizeof name, "/sys/dev/char/%u:%u/device/..", major(there.st_rdev),
             minor(there.st_rdev));
    read_line(name, "serial", out, bytes);
}

int zci_v4l2_identity_matches(const struct zci_v4l2_identity *own,
                              const struct zci_v4l2_identity *seen)
{
    const int known = own->sysfs_path[0] != '\0' && seen->sysfs_path[0] != '\0';
    if (known && own->index != seen->index)
        return 0;
    if (known && !own->duplicate_serial && (own->serial[0] != '\0' || seen->serial[0] != '\0'))
        return strcmp(own->serial, seen->serial) == 0;
    return !known || strcmp(own->sysfs_path, seen->sysfs_path) == 0;
}
