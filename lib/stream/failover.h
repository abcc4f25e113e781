/* SPDX-License-Identifier: MIT */
/* Regrouping: frame contexts for flights that have none, and frames submitted that no frame context has. */
#ifndef ZCI_STREAM_FAILOVER_H
#define ZCI_STREAM_FAILOVER_H

#include "stream/inflight.h"

/* Makes what frame contexts are missing, of the devices that are left, and submits what frames in flight are not
 * running. Devices that fail at that are taken out. < 0: no device is left, or no memory. */
zcs_status zci_inflight_failover(struct zci_inflight *inflight);

/* The device at `place` of the flight's device group failed: it and all frame contexts that it is in are given up. */
void zci_inflight_take_out(struct zci_inflight *inflight, const struct zci_flight *flight,
                           uint32_t place);

/* Hands the flight's frame to its frame context. */
zcs_status zci_inflight_start(struct zci_inflight *inflight, struct zci_flight *flight);

#endif
