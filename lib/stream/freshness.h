/* SPDX-License-Identifier: MIT */
/* Freshness: whether kernels see what a driver wrote into write-combined slots.
 *
 *   NOT_NEEDED                CHECKING --enough frames, all equal--> FRESH
 *                             CHECKING --one frame differs--> STALE: slots become cached memory
 *                             CHECKING --the check is not possible--> UNKNOWN
 *
 * A driver that copies frames writes through a cached mapping of its own. A GPU does not have to
 * look into CPU caches for write-combined memory, so it may read the slot's former content. */
#ifndef ZCI_STREAM_FRESHNESS_H
#define ZCI_STREAM_FRESHNESS_H

#include "stream/stream.h"

/* Decides whether there is anything to check. Slots and frame contexts exist. */
zcs_status zci_freshness_init(struct zcs_stream *stream);

/* Checks a captured frame as long as checks are needed. ZCS_OK with *slot NULL: the frame was
 * stale, its reference was dropped, and the source has cached slots now. < 0: the frame was dropped
 * and counted as failed. */
zcs_status zci_freshness_check(struct zcs_stream *stream, struct zci_slot **slot);

#endif
