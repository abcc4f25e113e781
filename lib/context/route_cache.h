/* SPDX-License-Identifier: MIT */
/* The route cache: routes that were measured before, by a key of what was measured, and a file
 * that keeps them from run to run. */
#ifndef ZCI_CONTEXT_ROUTE_CACHE_H
#define ZCI_CONTEXT_ROUTE_CACHE_H

#include <pthread.h>

#include "core/log.h"
#include "core/route.h"

#define ZCI_ROUTE_CACHE_ENTRIES 16u /* kept; a new entry replaces the oldest */

struct zci_route_cache_entry {
    uint64_t key;
    struct zci_route_choice choice;
};

struct zci_route_cache {
    pthread_mutex_t lock;                                          /* of `entries` and `count` */
    struct zci_route_cache_entry entries[ZCI_ROUTE_CACHE_ENTRIES]; /* a ring */
    uint32_t count;                                                /* ever added */
    char *path;                                                    /* of the file; NULL: none */
};

/* Copies `path`, which may be NULL, and reads the file. A missing file and lines that cannot be
 * parsed are ignored. ZCS_ERR_NOMEM: no memory for the path; the cache may still be finished. */
zcs_status zci_route_cache_init(struct zci_route_cache *cache, const char *path);
void zci_route_cache_finish(struct zci_route_cache *cache);

/* Any thread. 1: found. */
int zci_route_cache_find(struct zci_route_cache *cache, uint64_t key, struct zci_route_choice *out);

/* Adds an entry, or replaces the one with that key. Any thread. */
void zci_route_cache_add(struct zci_route_cache *cache, uint64_t key,
                         const struct zci_route_choice *choice);

/* Replaces the file as a whole. If it cannot be written, a warning says so. Does nothing without
 * a path. */
void zci_route_cache_write(struct zci_route_cache *cache, const struct zci_log *log);

#endif
