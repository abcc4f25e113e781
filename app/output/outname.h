/* SPDX-License-Identifier: MIT */
/* The names of output files: patterns with one number, and the parts of a single file. */
#ifndef ZCAPP_OUTPUT_OUTNAME_H
#define ZCAPP_OUTPUT_OUTNAME_H

#include <stddef.h>
#include <stdint.h>

/* A pattern with at most one printf-like conversion. It is never passed to printf. Owns its
 * texts. */
struct outname {
    char *head, *tail; /* before and after the number; %% has become % */
    int numbered;      /* 0: no conversion, `tail` is empty */
    int zeros;
    unsigned width;
};

/* Accepts at most one of %u %d %i, with an optional 0 and width. 0, or -1 with a reason in
 * `why`. */
int outname_parse(struct outname *out, const char *pattern, char *why, size_t why_bytes);

/* Accepts a zeroed one. */
void outname_finish(struct outname *name);

/* The folder of the files, for free(); NULL: no memory, or a folder's name contains the number. */
char *outname_folder(const struct outname *name);

/* Gets the number of the file with the name `base` in that folder. 0, or -1: the name does not
 * match. */
int outname_number(const struct outname *name, const char *base, uint64_t *number);

/* The name of file `number`, for free(); NULL: no memory. */
char *outname_make(const struct outname *name, uint64_t number);

/* Parts of a single file: take.y4m, take-2.y4m, take-3.y4m. SIGHUP starts a part. */
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
