/* SPDX-License-Identifier: MIT */
/* Standard error: whole lines from any thread, and the progress line that they must not tear. */
#ifndef ZCAPP_CLI_CONSOLE_H
#define ZCAPP_CLI_CONSOLE_H

#include <pthread.h>

#include "zcstream/base.h"

struct console {
    pthread_mutex_t lock;
    enum zcs_log_level level; /* the most detailed one that is shown */
    int terminal;             /* standard error is one */
    int progress_shown;
    unsigned errors; /* lines of level ERROR so far */
};

void console_init(struct console *console);
void console_finish(struct console *console);

/* All below: any thread. Control characters are shown as '?', so that one call is one line. */
void console_error(struct console *console, const char *format, ...);
void console_warning(struct console *console, const char *format, ...);
/* For the end of a run: shown unless the level is ERROR. */
void console_note(struct console *console, const char *format, ...);

/* A zcs_log_fn; `user` is the console. */
void console_log(void *user, enum zcs_log_level level, const char *line);

/* How many errors were shown: tells whether a failure has had its line. */
unsigned console_errors(struct console *console);

/* Replaces the progress line; NULL takes it away. Only for terminals. */
void console_progress(struct console *console, const char *text);

#endif
