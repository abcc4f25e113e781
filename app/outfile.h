/* SPDX-License-Identifier: MIT */
/* Files that appear whole or not at all: written beside their place, then renamed into it. */
#ifndef ZCAPP_OUTFILE_H
#define ZCAPP_OUTFILE_H

#include <stdio.h>

struct outfile {
    FILE *file;
    const char *path; /* the caller's; must live as long */
    char *temporary;  /* NULL: `path` is a device or a pipe and is written in place */
};

/* Missing folders are made. 0, or -1 with errno. */
int outfile_open(struct outfile *out, const char *path);

/* Writes out, closes, renames. 0, or -1 with errno and no trace left. */
int outfile_commit(struct outfile *out);

/* Closes and removes; keeps errno. Accepts a zeroed one. */
void outfile_abandon(struct outfile *out);

#endif
