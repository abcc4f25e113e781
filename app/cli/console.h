/* SPDX-License-Identifier: MIT */
/* Messages and the progress line on standard error; the end of text on standard output. */
#ifndef ZCAPP_CLI_CONSOLE_H
#define ZCAPP_CLI_CONSOLE_H

#include <pthread.h>

#include "zcstream/base.h"

#define CONSOLE_ERROR_BYTES 1024 /* longer lines are cut */

struct console {
    pthread_mutex_t lock;
    enum zcs_log_level level; /* the most detailed level that is shown */
    int terminal;             /* 1: standard error is a terminal */
    int progress_shown;
    unsigned errors; /* number of lines of level ERROR so far */
    char first_error[CONSOLE_ERROR_BYTES], last_error[CONSOLE_ERROR_BYTES]; /* their texts */
};

void console_init(struct console *console);
void console_finish(struct console *console);

/* Any thread may call the functions below. One call prints one line: control characters are shown
 * as '?'. */
void console_error(struct console *console, const char *format, ...);
void console_warning(struct console *console, const char *format, ...);
/* For the results of a run: shown unless the level is ERROR. */
void console_note(struct console *console, const char *format, ...);

/* "LABEL: text" at `level`; only the text if `label` is NULL. */
void console_labelled(struct console *console, enum zcs_log_level level, const char *label,
                      const char *format, ...);

/* A zcs_log_fn; `user` is the console. */
void console_log(void *user, enum zcs_log_level level, const char *line);

/* The number of errors shown so far. A caller compares two values to learn whether a failure was
 * reported. */
unsigned console_errors(struct console *console);

/* Copies the first or the last error line shown; an empty text: none. */
void console_first_error(struct console *console, char out[CONSOLE_ERROR_BYTES]);
void console_last_error(struct console *console, char out[CONSOLE_ERROR_BYTES]);

/* Removes the progress line. */
void console_clear_progress(struct console *console);

/* Flushes standard output after text: help, lists, tables. (The writer does this for frames.)
 * Returns `status`, also when the reader has closed the pipe, as head(1) does; or ZCAPP_FAILED
 * after one line of error. */
int console_end_output(struct console *console, int status);

/* The progress line of one run: drawn a few times a second. */
struct progress {
    struct console *console; /* NULL: no progress line */
    uint64_t total;          /* frames that will come; 0: not known */
    int64_t began_ns;        /* at the first update, when `began_frames` had come */
    uint64_t began_frames;
    int64_t shown_ns;      /* when the line was last drawn */
    uint64_t shown_frames; /* the number of frames at that time */
};

struct progress_state {
    uint64_t frames, lost;
    int64_t latency_ns;
    int to_file; /* 1: `latency_ns` is from the capture to the file, else to the result */
};

/* Draws the line if it is due. `now_ns` is CLOCK_MONOTONIC. */
void progress_update(struct progress *progress, int64_t now_ns, const struct progress_state *state);

#endif
