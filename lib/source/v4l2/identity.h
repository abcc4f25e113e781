/* SPDX-License-Identifier: MIT */
/* By what a camera is known again: its serial number, or the place where it is plugged in. Never by the number
 * of its node, which the kernel gives anew each time. */
#ifndef ZCI_SOURCE_V4L2_IDENTITY_H
#define ZCI_SOURCE_V4L2_IDENTITY_H

#include <stddef.h>
#include <stdint.h>

struct zci_v4l2_identity {
    char serial[96]; /* "VENDOR:PRODUCT:SERIAL" of a USB camera; "": it has none */
    char place[256]; /* of its plug: sysfs's folder; "": not known */
    uint32_t index;  /* which of the camera's nodes */
    uint8_t twin;    /* another camera has the same serial number: it counts for nothing */
};

/* What sysfs, mounted at `sys`, tells of the character device MAJOR:MINOR. */
void zci_v4l2_identity_read(const char *sys, unsigned major, unsigned minor,
                            struct zci_v4l2_identity *out);

/* 1: `seen` is the camera `own`, as far as both are known. */
int zci_v4l2_identity_fits(const struct zci_v4l2_identity *own,
                           const struct zci_v4l2_identity *seen);

/* The serial number of the USB device behind the node at `path`; "" where there is none. */
void zci_v4l2_serial(const char *path, char *out, size_t bytes);

#endif
