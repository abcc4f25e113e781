/* SPDX-License-Identifier: MIT */
/* A camera that is away: waiting for the same one to come back, and how many frames that cost.
 *
 *   THERE --a call fails--> AWAY --found, agreed, streaming--> THERE
 *                             `--limit_ns passes--> ZCS_ERR_GONE
 *
 * Slots, frame contexts and what devices know of them stay as they are meanwhile. */
#ifndef ZCI_SOURCE_V4L2_RECONNECT_H
#define ZCI_SOURCE_V4L2_RECONNECT_H

#include "source/v4l2/source.h"

/* How the camera that was just opened, and agreed with, is found and opened again. */
zcs_status zci_v4l2_reconnect_init(struct zci_v4l2_source *source,
                                   const struct zcs_v4l2_params *params,
                                   const struct zci_v4l2_calls *calls);
void zci_v4l2_reconnect_finish(struct zci_v4l2_source *source);

/* Which log the device's failures go to while it captures. */
const struct zci_log *zci_v4l2_reconnect_log(const struct zci_v4l2_source *source);

/* zci_source_ops.next: capture, and waiting where the camera is away. */
zcs_status zci_v4l2_reconnect_next(struct zci_v4l2_source *source, int64_t timeout_ns,
                                   struct zci_slot **out);

#endif
