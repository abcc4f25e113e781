/* SPDX-License-Identifier: MIT */
/* The chains of a broadcast: what --stages says several times, and a folder for each one's files. */
#ifndef ZCAPP_CLI_CHAINS_H
#define ZCAPP_CLI_CHAINS_H

#include "app/cli/options.h"

/* Where the files of each chain go: FOLDER/NAME becomes FOLDER/chain-1/NAME and so on. */
struct chain_targets {
    struct output_target *targets; /* `count`; NULL: all files are options->target's */
    char **texts;
    unsigned count;
};

/* Whether --stages, --dispatch and the outputs fit each other. 0, or an exit status after one line of error. */
int chains_check(const struct options *options, struct console *console);

/* Files are checked against INPUT and each other. 0, or an exit status after one line of error; *out is to be
 * finished in either case. */
int chains_split(const struct options *options, struct console *console, struct chain_targets *out);
void chains_finish(struct chain_targets *targets);

#endif
