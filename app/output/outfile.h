/* SPDX-License-Identifier: MIT */
/* Files that appear complete or not at all. While being written a file has no name, or a temporary
 * one in the same folder. It is never written through a link, nor into a pipe or device, unless the
 * command line names that. */
#ifndef ZCAPP_OUTPUT_OUTFILE_H
#define ZCAPP_OUTPUT_OUTFILE_H

#include <stdio.h>
#include <sys/types.h>

enum outfile_flag {
    OUTFILE_GENERATED = 1, /* the command line does not name this file: it replaces a pipe */
    OUTFILE_SINGLE = 2,    /* a whole run is in it: rather under another name than not at all */
};

struct outfile {
    FILE *file;
    const char *path; /* borrowed; NULL: standard output */
    unsigned flags;   /* of enum outfile_flag */
    int beside;       /* 0: `path` is a device or a pipe and is written in place; else ... */
    int folder;       /* ... the folder of `path`, even if it is renamed meanwhile */
    char *temporary;  /* name in the folder; NULL: nameless, or written in place */
    int nameless;     /* 1: in the folder, but invisible until complete */
};

/* Creates missing folders. 0, or -1 with a reason in `why`. Waits for the reader of a pipe, but not
 * after a request to end. */
int outfile_open(struct outfile *out, const char *path, unsigned flags, char *why,
                 size_t why_bytes);

/* Opens standard output, which is written in place. 0, or -1 with errno. */
int outfile_open_standard(struct outfile *out);

/* Flushes, closes, names. 0, or -1 with a reason in `why`, and without a file. 1, only with
 * OUTFILE_SINGLE: the file is complete, but in another place, which `why` tells. */
int outfile_commit(struct outfile *out, char *why, size_t why_bytes);

/* After a failed write: truncates the file to its first `bytes`, which were flushed, closes, names.
 * Abandons a file of 0 bytes, and one that is written in place. `why`: another place, or "". */
void outfile_commit_prefix(struct outfile *out, off_t bytes, char *why, size_t why_bytes);

/* Closes and removes the file; preserves errno. Accepts a zeroed one. */
void outfile_abandon(struct outfile *out);

/* Creates the missing folders of `path`. 0, or -1 with a reason in `why` that names the folder. */
int outfile_make_folders(const char *path, char *why, size_t why_bytes);

/* If `path` is a pipe, waits for its reader and holds the pipe open in *fd, which is else -1. 0, or
 * -1 with errno: EINTR after a request to end. */
int outfile_hold_pipe(const char *path, int *fd);

#endif
