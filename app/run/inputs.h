/* SPDX-License-Identifier: MIT */
/* Several inputs in one run: what each is called, where its files go, and that nothing is read or written twice. */
#ifndef ZCAPP_RUN_INPUTS_H
#define ZCAPP_RUN_INPUTS_H

#include "app/cli/options.h"

/* One of several: the command line as if it had this input alone, its files in a folder of its own. */
struct input {
    struct options options;
    char *label; /* the folder's name: unique, no '/' and no '%' */
    char *output, *latest, *record;
};

/* As `read` of struct option_row: "5ms", "500us", "1s"; a bare number is milliseconds. */
int inputs_read_sync(struct options *options, const char *text, char *why, size_t why_bytes);

/* options->inputs as they were given: each fits the options, none is there twice. 0, or an exit status after one
 * line of error. */
int inputs_check(const struct options *options, struct console *console);

/* options->input_count of them; files are checked against all inputs. 0, or an exit status after one line of
 * error; *out is to be finished in either case. */
int inputs_split(const struct options *options, struct console *console, struct input **out);
void inputs_finish(struct input **inputs, unsigned count);

/* LABEL's folder for a recording at `path`: those are not made with their folders, as other files are. */
void inputs_make_folder(const char *path);

/* FOLDER/NAME becomes FOLDER/LABEL/NAME, for free(); NULL: no memory. */
char *inputs_with_label(const char *path, const char *label);

#endif
