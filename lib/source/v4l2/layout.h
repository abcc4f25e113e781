/* SPDX-License-Identifier: MIT */
/* How a camera's frame lies in a slot: the driver's planes, each from a page on. */
#ifndef ZCI_SOURCE_V4L2_LAYOUT_H
#define ZCI_SOURCE_V4L2_LAYOUT_H

#include "source/v4l2/device.h"

struct zci_v4l2_layout {
    struct zcs_image image;
    uint32_t planes;               /* the driver's */
    size_t at[ZCS_MAX_PLANES];     /* place in the slot */
    size_t bytes[ZCS_MAX_PLANES];  /* whole pages */
    size_t needed[ZCS_MAX_PLANES]; /* fewer bytes_used are a short frame */
    uint32_t data_offset[ZCS_MAX_PLANES];
    size_t slot_bytes;
};

/* From the driver's answer; checked against what the format needs, with both numbers where they
 * contradict each other. */
zcs_status zci_v4l2_layout_make(const struct zci_v4l2_device *dev,
                                const struct zci_v4l2_format *format, enum zcs_pixfmt pixfmt,
                                struct zcs_color color, struct zci_v4l2_layout *out);

/* 1: frames lie in slots in the same way. */
int zci_v4l2_layout_same(const struct zci_v4l2_layout *a, const struct zci_v4l2_layout *b);

#endif
