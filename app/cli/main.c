/* SPDX-License-Identifier: MIT */
/* zcapp: processes camera frames with libzcstream and writes pictures or video. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/bench/bench.h"
#include "app/cli/command_line.h"
#include "app/cli/lists.h"
#include "app/cli/option_table.h"
#include "app/cli/signals.h"
#include "app/doctor/doctor.h"
#include "app/run/input_run.h"
#include "app/run/multi_camera.h"

/* If a standard descriptor is closed, the next file that is opened would get its number, and
 * messages would go into that file. So /dev/null is opened instead, in the wrong direction: reads
 * and writes still fail. */
static void occupy_standard_files(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return;
}

static int act(const struct options *options, struct console *console)
{
    int status = 0;
    switch (options->action) {
    case ACTION_RUN:
        return options->input_count > 1 ? multi_camera_main(options, console)
                                        : input_run_main(options, console);
    case ACTION_DOCTOR:
        return doctor_main(options, console);
    case ACTION_HELP:
        option_table_help(stdout);
        break;
    case ACTION_DOCTOR_HELP:
        doctor_help(stdout);
        break;
    case ACTION_VERSION:
        printf("zcapp %s\n", zcs_version());
        break;
    case ACTION_LIST_DEVICES:
        status = list_devices(options, console);
        break;
    case ACTION_LIST_FORMATS:
        if (options->input != NULL)
            status = list_camera_formats(options, console);
        else
            list_formats();
        break;
    case ACTION_LIST_CONTROLS:
        status = list_camera_controls(options, console);
        break;
    case ACTION_LIST_STAGES:
        list_stages();
        break;
    }
    return console_end_output(console, status);
}

/* Enables the line about the first signal: on a terminal, or with -v. */
static void announce(const struct console *console)
{
    if (console->level > ZCS_LOG_ERROR && (console->terminal || console->level > ZCS_LOG_WARNING))
        signals_announce(console->terminal);
}

int main(int argc, char **argv)
{
    struct console console;
    struct options options;
    occupy_standard_files();
    console_init(&console);
    signals_install();
    if (argc > 1 && strcmp(argv[1], "bench") == 0) {
        announce(&console);
        const int status = bench_main(argc - 1, argv + 1, &console);
        console_finish(&console);
        return status;
    }
    int status = command_line_parse(&options, argc, argv, &console);
    announce(&console);
    if (status == 0)
        status = act(&options, &console);
    command_line_finish(&options);
    console_finish(&console);
    return status;
}
