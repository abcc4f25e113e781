/* SPDX-License-Identifier: MIT */
/* --keep: retention of the newest files of a name; older ones are removed. */
#ifndef ZCAPP_OUTPUT_RETENTION_H
#define ZCAPP_OUTPUT_RETENTION_H

#include "app/cli/console.h"
#include "app/output/outname.h"

/* At most one is not 0. {0}: keep all files. */
struct retention_limit {
    uint64_t files, bytes;
};

/* Parses a number of files, "100", or of bytes, "500M", "2G", "1T", in powers of 1024. 0, or -1. */
int retention_limit_parse(struct retention_limit *out, const char *text);

typedef struct retention retention;

/* Finds the files of earlier runs: they count, and the oldest are removed first. `name` has a
 * number in the last part of its path. `first` is the path of number 1 if that has no number, or
 * NULL. Both must outlive the object. NULL after one error line. */
retention *retention_create(const struct outname *name, const char *first,
                            struct retention_limit limit, struct console *console);

/* File `number` was created or replaced: removes files beyond the limit, but never the newest. Any
 * thread. */
void retention_add(retention *k, uint64_t number);

/* The files added by retention_add that are left. */
struct retention_left {
    uint64_t files;
    uint64_t min, max; /* their numbers, if there are any */
};
struct retention_left retention_left(retention *k);

/* Accepts NULL content, sets NULL. */
void retention_destroy(retention **k);

#endif
