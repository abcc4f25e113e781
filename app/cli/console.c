/* SPDX-License-Identifier: MIT */
/* Standard error: whole lines from any thread, and the progress line that they must not tear. */
#include "app/cli/console.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/utf8.h"

#define LINE_BYTES 9000 /* two paths and some words */

void console_init(struct console *console)
{
    pthread_mutex_init(&console->lock, NULL);
    console->level = ZCS_LOG_WARNING;
    console->terminal = isatty(STDERR_FILENO);
    console->progress_shown = 0;
    console->errors = 0;
}

void console_finish(struct console *console)
{
    console_progress(console, NULL);
    pthread_mutex_destroy(&console->lock);
}

static void clear_progress(struct console *console)
{
    if (console->progress_shown)
        fputs("\r\033[K", stderr);
    console->progress_shown = 0;
}

static const char *prefix_of(enum zcs_log_level level)
{
    return level == ZCS_LOG_WARNING ? "warning: " : level == ZCS_LOG_DEBUG ? "debug: " : "";
}

/* Terminals obey control characters, those of 8 bits too; and what is no UTF-8 (a name, or a line that was cut) they
 * show as they like. */
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
    if (level == ZCS_LOG_ERROR)
        console->errors++;
    if (level <= console->level) {
        clear_progress(console);
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

void console_progress(struct console *console, const char *text)
{
    if (!console->terminal)
        return;
    pthread_mutex_lock(&console->lock);
    clear_progress(console);
    if (text != NULL) {
        fprintf(stderr, "\r%s", text);
        console->progress_shown = 1;
    }
    fflush(stderr);
    pthread_mutex_unlock(&console->lock);
}
