/* SPDX-License-Identifier: MIT */
/* What the system knows of a node beside its driver. */
#ifndef ZCI_SOURCE_V4L2_IDENTITY_H
#define ZCI_SOURCE_V4L2_IDENTITY_H

#include <stddef.h>

/* The serial number of the USB device behind the node at `path`; "" where there is none. */
void zci_v4l2_serial(const char *path, char *out, size_t bytes);

#endif
