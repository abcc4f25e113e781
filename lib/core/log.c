/* SPDX-License-Identifier: MIT */
/* The log: one formatted line to the application's callback. */
#include "core/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define LINE_BYTES 9000 /* two paths and some words */

/* Names and texts from files may contain control characters: these must not break the line or
 * control a terminal. */
static void make_printable(char *line)
{
    for (; *line != '\0'; line++)
        if ((unsigned char)*line < ' ' || *line == 127)
            *line = '?';
}

static void emit(const struct zci_log *log, enum zcs_log_level level, const char *format,
                 va_list args)
{
    if (log == NULL || log->fn == NULL || level > log->level)
        return;
    const int saved = errno;
    char line[LINE_BYTES];
    if (vsnprintf(line, sizeof line, format, args) >= 0) {
        make_printable(line);
        log->fn(log->user, level, line);
    }
    errno = saved;
}

void zci_log(const struct zci_log *log, enum zcs_log_level level, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    emit(log, level, format, args);
    va_end(args);
}

zcs_status zci_fail(const struct zci_log *log, zcs_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    emit(log, ZCS_LOG_ERROR, format, args);
    va_end(args);
    return status;
}
