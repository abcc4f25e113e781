/* SPDX-License-Identifier: MIT */
/* Freshness: do kernels see what a driver wrote into write-combined slots?
 *
 *   NOT_NEEDED                CHECKING --frames enough, all alike--> FRESH
 *                             CHECKING --one differs--> STALE: cached slots
 *                             CHECKING --cannot be done--> UNKNOWN
 *
 * A driver that copies writes through a cached mapping of its own. The GPU need not look into CPU caches
 * where a slot is write-combined, and may read what was there before. */
#ifndef ZCI_STREAM_FRESHNESS_H
#define ZCI_STREAM_FRESHNESS_H

#include "stream/stream.h"

/* Decides whether there is anything to check; slots and frame contexts are made. */
zcs_status zci_freshness_init(struct zcs_stream *stream);

/* Looks at a captured frame while that is needed. ZCS_OK with *slot NULL: it was stale, its reference is
 * dropped, and the source has cached slots now. < 0: it is dropped and counted as failed. */
zcs_status zci_freshness_check(struct zcs_stream *stream, struct zci_slot **slot);

#endif
