/* SPDX-License-Identifier: MIT */
/* Disconnect and reconnect: waits for a lost camera, recognizes it and puts everything back as it
 * was.
 *
 *   CONNECTED --a call fails--> LOST --found, negotiated, streaming--> CONNECTED
 *                                `--limit_ns passes--> ZCS_ERR_GONE
 *
 * Slots, frame contexts and the devices' registrations stay while the camera is lost. */
#ifndef ZCI_SOURCE_V4L2_RECONNECT_H
#define ZCI_SOURCE_V4L2_RECONNECT_H

#include "source/v4l2/source.h"

/* Keeps what is needed to find and reopen the camera, which is open and has been negotiated
 * with. */
zcs_status zci_v4l2_reconnect_init(struct zci_v4l2_source *source,
                                   const struct zcs_v4l2_params *params,
                                   const struct zci_v4l2_calls *calls);
void zci_v4l2_reconnect_finish(struct zci_v4l2_source *source);

/* The log that gets the device's failures during capture. */
const struct zci_log *zci_v4l2_reconnect_log(const struct zci_v4l2_source *source);

/* Disconnects the camera and waits for it to come back. ZCS_OK: zci_v4l2_reconnect_next goes on.
 * Failure: the time is over. Only with params.reconnect_ns. */
zcs_status zci_v4l2_reconnect_lose(struct zci_v4l2_source *source);

/* zci_source_ops.next: captures, and reconnects where the camera is lost. */
zcs_status zci_v4l2_reconnect_next(struct zci_v4l2_source *source, int64_t timeout_ns,
                                   struct zci_slot **out);

#endif
