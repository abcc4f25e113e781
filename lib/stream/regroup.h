/* SPDX-License-Identifier: MIT */
/* Regrouping: lanes for flights that have none, and frames submitted that no lane has. */
#ifndef ZCI_STREAM_REGROUP_H
#define ZCI_STREAM_REGROUP_H

#include "stream/lanes.h"

/* Makes what lanes are missing, of the devices that are left, and submits what frames in flight are not
 * running. Devices that fail at that are taken out. < 0: no device is left, or no memory. */
zcs_status zci_lanes_regroup(struct zci_lanes *lanes);

/* The device at `place` of the flight's team failed: it and all lanes that it is in are given up. */
void zci_lanes_take_out(struct zci_lanes *lanes, const struct zci_flight *flight, uint32_t place);

/* Hands the flight's frame to its lane. */
zcs_status zci_lanes_start(struct zci_lanes *lanes, struct zci_flight *flight);

#endif
