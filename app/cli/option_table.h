/* SPDX-License-Identifier: MIT */
/* The table of options: name, type of value, member of struct options, help text. */
#ifndef ZCAPP_CLI_OPTION_TABLE_H
#define ZCAPP_CLI_OPTION_TABLE_H

#include <stdio.h>

#include "app/cli/options.h"

enum option_kind {
    OPTION_HEADING, /* no option: a title in --help */
    OPTION_FLAG,    /* int at `offset`, incremented each time */
    OPTION_ACTION,  /* `min` is the enum action */
    OPTION_NUMBER,  /* uint64_t at `offset`, min..max; sets the int at `given` to 1 */
    OPTION_CHOICE,  /* uint64_t at `offset`: the index of the word in `arg` */
    OPTION_TEXT,    /* const char * at `offset` */
    OPTION_READ,    /* `read` parses the value */
};

struct option_row {
    enum option_kind kind;
    char letter; /* 0: none */
    const char *name;
    const char *arg;  /* NULL: the option takes no value */
    const char *help; /* lines are separated by \n */
    size_t offset;    /* in struct options */
    size_t given;     /* in struct options; 0: none */
    uint64_t min, max;
    /* 0, or -1 with a reason in `why`. */
    int (*read)(struct options *options, const char *text, char *why, size_t why_bytes);
};

extern const struct option_row option_rows[];
extern const unsigned option_row_count;

/* --help. */
void option_table_help(FILE *file);

#endif
