/* SPDX-License-Identifier: MIT */
/* The names of output files: a pattern with one printf-like conversion, which is never given to printf. */
#ifndef ZCAPP_OUTPUT_OUTNAME_H
#define ZCAPP_OUTPUT_OUTNAME_H

#include <stddef.h>
#include <stdint.h>

/* The pattern taken apart; points into nothing of the caller's. */
struct outname {
    char *head, *tail; /* around the number, with %% made % */
    int numbered;      /* 0: no conversion, `tail` is empty */
    int zeros;
    unsigned width;
};

/* At most one of %u %d %i, with an optional 0 and width. 0, or -1 with a reason in `why`. */
int outname_parse(struct outname *out, const char *pattern, char *why, size_t why_bytes);

/* Accepts a zeroed one. */
void outname_finish(struct outname *name);

/* The folder that the names are in, for free(); NULL: no memory, or the number is in a folder's name. */
char *outname_folder(const struct outname *name);

/* Which number a file of that folder has, `base` being its name there. 0, or -1: it is none of these. */
int outname_number(const struct outname *name, const char *base, uint64_t *number);

/* The name of file `number`, for free(); NULL: no memory. */
char *outname_make(const struct outname *name, uint64_t number);

#endif
