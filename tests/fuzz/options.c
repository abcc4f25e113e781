/* SPDX-License-Identifier: MIT */
/* Fuzzes the command line, an argument a line: it is taken, or refused with one line of error. */
#include "fuzz.h"

#include <getopt.h>

#include "app/cli/command_line.h"

#define MAX_ARGS 64

static void check_names(const struct options *options)
{
    const struct output_target *target = &options->target;
    if (target->kind == NULL || target->to_stdout)
        return;
    char *name = outname_make(&target->name, UINT64_MAX);
    CHECK(name != NULL);
    free(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char program[] = "zcapp", *argv[MAX_ARGS + 2] = {program};
    char *text = fuzz_text(data, size), *rest = text;
    struct console console;
    struct options options;
    int argc = 1;
    while (argc <= MAX_ARGS && rest != NULL)
        argv[argc++] = fuzz_line(&rest);
    console_init(&console);
    console.level = ZCS_LOG_NONE;
    optind = 0; /* glibc's way to start anew */
    const int status = command_line_parse(&options, argc, argv, &console);
    CHECK_EQ(console_errors(&console), status != 0);
    if (status == 0)
        check_names(&options);
    command_line_finish(&options);
    console_finish(&console);
    free(text);
    return 0;
}
