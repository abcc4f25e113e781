/* SPDX-License-Identifier: MIT */
/* Notes: routes that were measured once in a context, found again by a key of what was measured. */
#ifndef ZCI_CONTEXT_ROUTE_CACHE_H
#define ZCI_CONTEXT_ROUTE_CACHE_H

#include "zcstream/base.h"
#include "core/route.h"

#define ZCI_ROUTE_CACHE_ENTRIES 16u /* remembered; the oldest goes first */

struct zci_route_cache_entry {
    uint64_t key;
    struct zci_route_choice choice;
};

struct zci_route_cache {
    struct zci_route_cache_entry routes[ZCI_ROUTE_CACHE_ENTRIES]; /* a ring */
    uint32_t count;                                               /* ever added */
};

/* Any thread. 1: found. Adding replaces what was noted under that key. */
int zci_route_cache_find(zcs_context *ctx, uint64_t key, struct zci_route_choice *out);
void zci_route_cache_add(zcs_context *ctx, uint64_t key, const struct zci_route_choice *choice);

#endif
