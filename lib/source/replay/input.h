/* SPDX-License-Identifier: MIT */
/* The files of an input, in replay order: a file, a directory, a numbered series, or a pipe. */
#ifndef ZCI_SOURCE_REPLAY_INPUT_H
#define ZCI_SOURCE_REPLAY_INPUT_H

#include "zcstream/base.h"
#include "core/log.h"

struct zci_input {
    char *path;     /* the parameter, for messages; or "standard input" */
    uint64_t count; /* files; 1 for a pipe */
    int is_pipe;    /* not a regular file: no size, no seeking */
    int is_stdin;
    char *name; /* buffer for the name of any of the files */
    size_t name_bytes;
    char **entries; /* a directory's, sorted; NULL otherwise */
    char *series;   /* NULL, or the text before the number, a NUL, and the text after it */
    const char *series_tail;
    int series_digits, series_zeros;
    uint64_t series_first;
};

/* Finds the files that `path` means. On failure, logged, *input must still be finished. */
zcs_status zci_input_init(struct zci_input *input, const char *path, const struct zci_log *log);

/* Reopens standard input by name if it is a regular file at offset 0. */
void zci_input_reopen_stdin(struct zci_input *input);

void zci_input_finish(struct zci_input *input);

/* The name of file `index`; valid until the next call. */
const char *zci_input_name(struct zci_input *input, uint64_t index);

#endif
