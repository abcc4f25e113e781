/* SPDX-License-Identifier: MIT */
/* A folder of files for each of several inputs, and for each chain of a broadcast. */
#ifndef ZCAPP_RUN_FOLDERS_H
#define ZCAPP_RUN_FOLDERS_H

#include "app/cli/console.h"
#include "app/cli/options.h"

/* The command line as if it had only this one of several inputs. Its files FOLDER/NAME become
 * FOLDER/LABEL/NAME. */
struct input_options {
    struct options options;
    char *label; /* the name of the folder: unique, without '/' and '%' */
    char *output, *latest, *record;
};

/* The labels are video0, video2 and so on. Checks the files against all inputs. *out has
 * options->input_count elements. 0, or an exit status after one line of error; call
 * folders_finish_inputs in both cases. */
int folders_split_inputs(const struct options *options, struct console *console,
                         struct input_options **out);
void folders_finish_inputs(struct input_options **inputs, unsigned count);

/* The output of each chain of a broadcast. */
struct chain_targets {
    struct output_target *targets; /* `count` elements; NULL: all files belong to options->target */
    char **texts;
    unsigned count;
};

/* The labels are chain-1, chain-2 and so on. Checks the files against INPUT and each other. 0, or
 * an exit status after one line of error; call folders_finish_chains in both cases. */
int folders_split_chains(const struct options *options, struct console *console,
                         struct chain_targets *out);
void folders_finish_chains(struct chain_targets *targets);

#endif
