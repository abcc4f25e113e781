/* SPDX-License-Identifier: MIT */
/* Names of the parts of a single output file: take.y4m, take-2.y4m, take-3.y4m. SIGHUP starts a
 * part. */
#ifndef ZCAPP_OUTPUT_PART_H
#define ZCAPP_OUTPUT_PART_H

#include "app/output/outname.h"

struct part {
    const char *path;    /* of the first part; borrowed */
    struct outname name; /* of the other parts */
    uint64_t number;     /* of the current part, from 1 */
};

/* 0, or -1: no memory. */
int part_init(struct part *part, const char *path);

/* Accepts a zeroed one. */
void part_finish(struct part *part);

/* The path of the current part, for free(); NULL: no memory. */
char *part_path(const struct part *part);

/* Selects the next part whose file does not exist. `anew` 1: begins the search with the first part,
 * which may have been moved away. 0, or -1: no memory. */
int part_next(struct part *part, int anew);

#endif
