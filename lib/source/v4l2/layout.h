/* SPDX-License-Identifier: MIT */
/* How a camera's frame lies in a slot: the driver's memory planes, each of whole pages. */
#ifndef ZCI_SOURCE_V4L2_LAYOUT_H
#define ZCI_SOURCE_V4L2_LAYOUT_H

#include "source/v4l2/device.h"

struct zci_v4l2_layout {
    struct zcs_image image;
    uint32_t planes;                  /* the driver's memory planes */
    size_t offset[ZCS_MAX_PLANES];    /* in the slot */
    size_t bytes[ZCS_MAX_PLANES];     /* whole pages */
    size_t min_bytes[ZCS_MAX_PLANES]; /* a frame with fewer bytes_used is short */
    uint32_t data_offset[ZCS_MAX_PLANES];
    size_t slot_bytes;
};

/* Makes the layout from the format that the driver returned, and checks it against what the pixel
 * format needs. A contradiction is logged with both numbers. `color`: members that are AUTO follow
 * the driver. */
zcs_status zci_v4l2_layout_make(const struct zci_v4l2_device *dev,
                                const struct zci_v4l2_format *format, enum zcs_pixfmt pixfmt,
                                struct zcs_color color, struct zci_v4l2_layout *out);

/* 1: frames of both lie in slots in the same way. */
int zci_v4l2_layout_same(const struct zci_v4l2_layout *a, const struct zci_v4l2_layout *b);

#endif
