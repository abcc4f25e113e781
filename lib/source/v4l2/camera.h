/* SPDX-License-Identifier: MIT */
/* zcs_camera: an open node as the public functions see it, alone or as part of a source. */
#ifndef ZCI_SOURCE_V4L2_CAMERA_H
#define ZCI_SOURCE_V4L2_CAMERA_H

#include "source/v4l2/control_state.h"

struct zcs_camera {
    struct zci_v4l2_device *dev; /* `own`, or the source's */
    struct zci_v4l2_device own;
    struct zci_log log; /* of `own` */
    /* The rest is used for a source's camera only. */
    int capturing; /* 1: it is a source's camera */
    struct zci_v4l2_settings settings;
    struct zci_v4l2_events events;
};

/* zcs_camera_open with the given calls. */
zcs_status zci_v4l2_camera_open(zcs_context *ctx, const char *device,
                                const struct zci_v4l2_calls *calls, zcs_camera **out);

#endif
