/* SPDX-License-Identifier: MIT */
/* --keep: of the files that one name makes only the newest stay. */
#ifndef ZCAPP_OUTPUT_RETENTION_H
#define ZCAPP_OUTPUT_RETENTION_H

#include "app/cli/console.h"
#include "app/output/outname.h"

/* {0}: all stay. */
struct retention_limit {
    uint64_t files, bytes; /* one of them, the other is 0 */
};

/* "100" files, or bytes as "500M", "2G", "1T", each 1024 of the one before. 0, or -1. */
int retention_limit_parse(struct retention_limit *out, const char *text);

typedef struct retention retention;

/* Looks for the files that are there already, of earlier runs: they count, the oldest go first.
 * `name` is numbered, in the last part of the path; `first` (may be NULL) is the path of number 1
 * where that has none. Both must outlive it. NULL after one line of error. */
retention *retention_create(const struct outname *name, const char *first,
                            struct retention_limit limit, struct console *console);

/* File `number` has appeared, or appeared anew: those beyond the limit are removed, never the
 * newest. Any thread. */
void retention_add(retention *k, uint64_t number);

/* Of the files that retention_add told of. */
struct retention_left {
    uint64_t files;    /* so many are not removed */
    uint64_t min, max; /* their numbers, if there are any */
};
struct retention_left retention_left(retention *k);

/* Accepts NULL content, sets NULL. */
void retention_destroy(retention **k);

#endif
