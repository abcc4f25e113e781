/* SPDX-License-Identifier: MIT */
/* A camera that is away: waiting for the same one to come back, and how many frames that cost.
 *
 *   THERE --a call fails--> AWAY --found, agreed, streaming--> THERE
 *                             `--limit_ns passes--> ZCS_ERR_GONE
 *
 * Slots, frame contexts and what devices know of them stay as they are meanwhile. */
#ifndef ZCI_SOURCE_V4L2_RECONNECT_H
#define ZCI_SOURCE_V4L2_RECONNECT_H

#include "source/v4l2/device.h"
#include "source/v4l2/identity.h"
#include "source/v4l2/values.h"
#include "zcstream/source.h"

struct zci_v4l2_camera;
struct zci_slot;

struct zci_v4l2_reconnect {
    int64_t limit_ns;     /* 0: a camera that goes ends the source */
    int64_t since_ns;     /* CLOCK_MONOTONIC when it went; 0: it is there */
    int64_t until_ns;     /* then it is given up */
    int64_t look_ns;      /* when it is looked for next */
    int64_t frame_ns;     /* when the latest frame came; 0: none did */
    uint8_t back;         /* no frame has come since it came back */
    uint8_t proven;       /* a good frame has */
    char *device, *input; /* the texts of `wanted` */
    struct zcs_v4l2_params wanted;
    struct zci_v4l2_identity identity;
    struct zci_v4l2_values values; /* of its controls */
    struct zci_log gentle;         /* the source's log, with errors as warnings: they end nothing */
    struct zci_log silent;         /* keeps the first error in `why` */
    char why[256];                 /* it was found, but not to be had */
};

/* How the camera that was just opened, and agreed with, is found and opened again. */
zcs_status zci_v4l2_reconnect_init(struct zci_v4l2_camera *camera,
                                   const struct zcs_v4l2_params *params,
                                   const struct zci_v4l2_calls *calls);
void zci_v4l2_reconnect_finish(struct zci_v4l2_camera *camera);

/* Which log the device's failures go to while it captures. */
const struct zci_log *zci_v4l2_reconnect_log(const struct zci_v4l2_camera *camera);

/* A frame came, good or not: how many were missed before it. */
uint64_t zci_v4l2_reconnect_missed(struct zci_v4l2_camera *camera);

/* zci_source_ops.next: capture, and waiting where the camera is away. */
zcs_status zci_v4l2_reconnect_next(struct zci_v4l2_camera *camera, int64_t timeout_ns,
                                   struct zci_slot **out);

#endif
