/* SPDX-License-Identifier: MIT */
/* Files that appear whole or not at all: written without a name, or one beside their place, which
 * they get at the end. */
#ifndef ZCAPP_OUTPUT_OUTFILE_H
#define ZCAPP_OUTPUT_OUTFILE_H

#include <stdio.h>
#include <sys/types.h>

struct outfile {
    FILE *file;
    const char *path; /* the caller's; must live as long; NULL: standard output */
    char *temporary;  /* NULL: nameless, or `path` is a device or a pipe and is written in place */
    int nameless;     /* 1: in the folder of `path`, but not to be seen there until it is whole */
};

/* Missing folders are made. 0, or -1 with errno. */
int outfile_open(struct outfile *out, const char *path);

/* Standard output as such a file, written in place. 0, or -1 with errno. */
int outfile_open_standard(struct outfile *out);

/* Writes out, closes, names. 0, or -1 with errno and no trace left. */
int outfile_commit(struct outfile *out);

/* After a failed write: cuts the file to its first `bytes`, which were flushed, closes, names. What
 * is written in place, and a file of 0 bytes, is abandoned. Keeps errno. */
void outfile_keep(struct outfile *out, off_t bytes);

/* Closes and removes; keeps errno. Accepts a zeroed one. */
void outfile_abandon(struct outfile *out);

#endif
