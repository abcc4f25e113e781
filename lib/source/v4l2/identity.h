/* SPDX-License-Identifier: MIT */
/* How a camera is recognized after a reconnect: by its serial number, or by its place in sysfs. Its
 * node's number does not count, because the kernel may assign another one each time. */
#ifndef ZCI_SOURCE_V4L2_IDENTITY_H
#define ZCI_SOURCE_V4L2_IDENTITY_H

#include <stddef.h>
#include <stdint.h>

struct zci_v4l2_identity {
    char serial[96];          /* "VENDOR:PRODUCT:SERIAL" of a USB camera; "": it has none */
    char sysfs_path[256];     /* of the device, which names the USB port; "": not known */
    uint32_t index;           /* which of the camera's nodes */
    uint8_t duplicate_serial; /* another camera has the same serial number: it is not used */
};

/* Reads the identity of the character device MAJOR:MINOR from sysfs, which is mounted at `sys`. */
void zci_v4l2_identity_read(const char *sys, unsigned major, unsigned minor,
                            struct zci_v4l2_identity *out);

/* 1: `seen` is the camera `own`. Only what is known of both is compared. */
int zci_v4l2_identity_matches(const struct zci_v4l2_identity *own,
                              const struct zci_v4l2_identity *seen);

/* The bare serial number of the USB device behind the node at `path`; "" where there is none. */
void zci_v4l2_identity_serial(const char *path, char *out, size_t bytes);

#endif
