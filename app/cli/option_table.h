/* SPDX-License-Identifier: MIT */
/* The table of options: how each is spelt, what it takes, where its value goes, and its help. */
#ifndef ZCAPP_CLI_OPTION_TABLE_H
#define ZCAPP_CLI_OPTION_TABLE_H

#include "app/cli/options.h"

enum option_kind {
    OPTION_HEADING, /* no option: a title in --help */
    OPTION_FLAG,    /* int at `at`, counted up */
    OPTION_ACTION,  /* `least` is the enum action */
    OPTION_NUMBER,  /* uint64_t at `at`, least..most */
    OPTION_CHOICE,  /* uint64_t at `at`: the place in `arg`'s words */
    OPTION_TEXT,    /* const char * at `at` */
    OPTION_READ,    /* `read` makes sense of it */
};

struct option_row {
    enum option_kind kind;
    char letter; /* 0: none */
    const char *name;
    const char *arg;
    const char *help; /* lines of a longer text are separated by \n */
    size_t at;
    uint64_t min, max;
    /* 0, or -1 with a reason in `why`. */
    int (*read)(struct options *options, const char *text, char *why, size_t why_bytes);
};

extern const struct option_row option_rows[];
extern const unsigned option_row_count;

#endif
