/* SPDX-License-Identifier: MIT */
/* Parts of an output that is one file: take.y4m, then take-2.y4m, take-3.y4m, each begun by SIGHUP.
 * */
#ifndef ZCAPP_RUN_PART_H
#define ZCAPP_RUN_PART_H

#include "app/output/outname.h"

struct part {
    const char *path;    /* of the first; the caller's */
    struct outname name; /* of the others */
    uint64_t number;     /* of the present one, from 1 on */
};

/* 0, or -1: no memory. */
int part_init(struct part *part, const char *path);

/* Accepts a zeroed one. */
void part_finish(struct part *part);

/* The present one's path, for free(); NULL: no memory. */
char *part_path(const struct part *part);

/* Goes on to the next one whose file is not there; `anew`: that is the first one if somebody moved
 * it away. 0, or -1: no memory. */
int part_next(struct part *part, int anew);

#endif
