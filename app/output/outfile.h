/* SPDX-License-Identifier: MIT */
/* Files that appear complete or not at all. While being written a file has no name, or a temporary
 * one in the same folder. */
#ifndef ZCAPP_OUTPUT_OUTFILE_H
#define ZCAPP_OUTPUT_OUTFILE_H

#include <stdio.h>
#include <sys/types.h>

struct outfile {
    FILE *file;
    const char *path; /* borrowed; NULL: standard output */
    char *temporary;  /* NULL: nameless, or `path` is a device or a pipe and is written in place */
    int nameless;     /* 1: in the folder of `path`, but invisible until complete */
};

/* Creates missing folders. 0, or -1 with errno. */
int outfile_open(struct outfile *out, const char *path);

/* Opens standard output, which is written in place. 0, or -1 with errno. */
int outfile_open_standard(struct outfile *out);

/* Flushes, closes, names. 0, or -1 with errno and without a file. */
int outfile_commit(struct outfile *out);

/* After a failed write: truncates the file to its first `bytes`, which were flushed, closes, names.
 * Abandons a file of 0 bytes, and one that is written in place. Preserves errno. */
void outfile_commit_prefix(struct outfile *out, off_t bytes);

/* Closes and removes the file; preserves errno. Accepts a zeroed one. */
void outfile_abandon(struct outfile *out);

#endif
