/* SPDX-License-Identifier: MIT */
/* Messages and the progress line on standard error; the end of text on standard output. */
#include "app/cli/console.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/status.h"
#include "app/cli/utf8.h"

#define LINE_BYTES 9000 /* two paths and some words */
#define PROGRESS_INTERVAL_NS 250000000

void console_init(struct console *console)
{
    pthread_mutex_init(&console->lock, NULL);
    console->level = ZCS_LOG_WARNING;
    console->terminal = isatty(STDERR_FILENO);
    console->progress_shown = 0;
    console->errors = 0;
    console->first_error[0] = console->last_error[0] = '\0';
}

void console_finish(struct console *console)
{
    console_clear_progress(console);
    pthread_mutex_destroy(&console->lock);
}

static void erase_progress(struct console *console)
{
    if (console->progress_shown)
        fputs("\r\033[K", stderr);
    console->progress_shown = 0;
}

static const char *prefix_of(enum zcs_log_level level)
{
    return level == ZCS_LOG_WARNING ? "warning: " : level == ZCS_LOG_DEBUG ? "debug: " : "";
}

/* Replaces control characters, which a terminal would execute (8-bit ones too), and bytes that are
 * not UTF-8: they come from file names and from lines that were cut. */
static void make_visible(char *line)
{
    for (size_t bytes; *line != '\0'; line += bytes > 0 ? bytes : 1) {
        const unsigned char *c = (const unsigned char *)line;
        bytes = utf8_bytes(line);
        if (bytes == 2 && c[0] == 0xC2 && c[1] < 0xA0)
            memcpy(line, "??", 2);
        else if (bytes == 0 || c[0] < ' ' || c[0] == 127)
            *line = '?';
    }
}

static void show(struct console *console, enum zcs_log_level level, char *line)
{
    make_visible(line);
    pthread_mutex_lock(&console->lock);
    if (level == ZCS_LOG_ERROR) {
        snprintf(console->last_error, sizeof console->last_error, "%s", line);
        if (console->errors++ == 0)
            memcpy(console->first_error, console->last_error, sizeof console->first_error);
    }
    if (level <= console->level) {
        erase_progress(console);
        fprintf(stderr, "zcapp: %s%s\n", prefix_of(level), line);
    }
    pthread_mutex_unlock(&console->lock);
}

static void say(struct console *console, enum zcs_log_level level, const char *format, va_list args)
{
    char line[LINE_BYTES];
    vsnprintf(line, sizeof line, format, args);
    show(console, level, line);
}

void console_error(struct console *console, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(console, ZCS_LOG_ERROR, format, args);
    va_end(args);
}

void console_warning(struct console *console, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(console, ZCS_LOG_WARNING, format, args);
    va_end(args);
}

void console_note(struct console *console, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (console->level > ZCS_LOG_ERROR)
        say(console, ZCS_LOG_NONE, format, args);
    va_end(args);
}

void console_labelled(struct console *console, enum zcs_log_level level, const char *label,
                      const char *format, ...)
{
    char line[LINE_BYTES];
    va_list args;
    const int used = label != NULL ? snprintf(line, sizeof line / 2, "%s: ", label) : 0;
    const size_t start = used < 0                         ? 0
                         : (size_t)used < sizeof line / 2 ? (size_t)used
                                                          : sizeof line / 2;
    va_start(args, format);
    vsnprintf(line + start, sizeof line - start, format, args);
    va_end(args);
    show(console, level, line);
}

void console_log(void *user, enum zcs_log_level level, const char *line)
{
    char copy[LINE_BYTES];
    snprintf(copy, sizeof copy, "%s", line);
    show(user, level, copy);
}

unsigned console_errors(struct console *console)
{
    pthread_mutex_lock(&console->lock);
    const unsigned errors = console->errors;
    pthread_mutex_unlock(&console->lock);
    return errors;
}

void console_first_error(struct console *console, char out[CONSOLE_ERROR_BYTES])
{
    pthread_mutex_lock(&console->lock);
    memcpy(out, console->first_error, CONSOLE_ERROR_BYTES);
    pthread_mutex_unlock(&console->lock);
}

void console_last_error(struct console *console, char out[CONSOLE_ERROR_BYTES])
{
    pthread_mutex_lock(&console->lock);
    memcpy(out, console->last_error, CONSOLE_ERROR_BYTES);
    pthread_mutex_unlock(&console->lock);
}

/* NULL: no line. Only on a terminal. */
static void show_progress(struct console *console, const char *text)
{
    if (!console->terminal)
        return;
    pthread_mutex_lock(&console->lock);
    erase_progress(console);
    if (text != NULL) {
        fprintf(stderr, "\r%s", text);
        console->progress_shown = 1;
    }
    fflush(stderr);
    pthread_mutex_unlock(&console->lock);
}

void console_clear_progress(struct console *console)
{
    show_progress(console, NULL);
}

/* True for a pipe or socket without a reader. errno does not tell: an earlier write may have
 * failed. */
static int is_reader_closed(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP)) != 0;
}

int console_end_output(struct console *console, int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    const int error = errno;
    if (error == EPIPE || is_reader_closed())
        return status;
    console_error(console, "standard output: %s", strerror(error));
    return ZCAPP_FAILED;
}

/* Adds ", 17 s left" from the mean rate. */
static void add_left(char *line, size_t bytes, const struct progress *progress, int64_t now_ns,
                     uint64_t frames)
{
    const double seconds = (double)(now_ns - progress->began_ns) / 1e9;
    if (progress->total <= frames || frames <= progress->began_frames || seconds <= 0)
        return;
    const double rate = (double)(frames - progress->began_frames) / seconds;
    const double left = (double)(progress->total - frames) / rate;
    const size_t used = strlen(line);
    if (left < 120)
        snprintf(line + used, bytes - used, ", %.0f s left", left);
    else if (left < 7200)
        snprintf(line + used, bytes - used, ", %.0f min left", left / 60);
    else
        snprintf(line + used, bytes - used, ", %.1f h left", left / 3600);
}

/* "106/600 frames, 29.0/s, 16.3 ms capture to file, 2 lost, 17 s left" */
static void draw(const struct progress *progress, int64_t now_ns,
                 const struct progress_state *state)
{
    char line[240], total[32] = "", lost[40] = "";
    const double seconds = (double)(now_ns - progress->shown_ns) / 1e9;
    if (progress->total > 0)
        snprintf(total, sizeof total, "/%" PRIu64, progress->total);
    if (state->lost > 0)
        snprintf(lost, sizeof lost, ", %" PRIu64 " lost", state->lost);
    snprintf(line, sizeof line, "%" PRIu64 "%s frames, %.1f/s, %.1f ms capture to %s%s",
             state->frames, total, (double)(state->frames - progress->shown_frames) / seconds,
             (double)state->latency_ns / 1e6, state->to_file ? "file" : "result", lost);
    add_left(line, sizeof line, progress, now_ns, state->frames);
    show_progress(progress->console, line);
}

void progress_update(struct progress *progress, int64_t now_ns, const struct progress_state *state)
{
    if (progress->console == NULL || now_ns - progress->shown_ns < PROGRESS_INTERVAL_NS)
        return;
    if (progress->shown_ns != 0) {
        draw(progress, now_ns, state);
    } else {
        progress->began_ns = now_ns;
        progress->began_frames = state->frames;
    }
    progress->shown_ns = now_ns;
    progress->shown_frames = state->frames;
}
