/* SPDX-License-Identifier: MIT */
/* zcs_camera: an open node as the public functions see it, alone or as part of a source. */
#ifndef ZCI_SOURCE_V4L2_CAMERA_H
#define ZCI_SOURCE_V4L2_CAMERA_H

#include "source/v4l2/control_state.h"

struct zcs_camera {
    struct zci_v4l2_device *dev; /* of the source, or `own` */
    struct zci_v4l2_device own;
    struct zci_log log;                /* of `own` */
    struct zci_v4l2_settings settings; /* of a source's camera */
    struct zci_v4l2_changes changes;   /* the same */
    int capturing;                     /* 1: a source's */
};

/* zcs_camera_open on the calls given. */
zcs_status zci_v4l2_camera_open(zcs_context *ctx, const char *device,
                                const struct zci_v4l2_calls *calls, zcs_camera **out);

#endif
