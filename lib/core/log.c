/* SPDX-License-Identifier: MIT */
/* The log: one formatted line to the application's callback. */
#include "core/log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define LINE_BYTES 9000 /* two paths and some words */
#define SHOWN 10u       /* lines of a kind that are shown before only powers of ten are */

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

/* FNV-1a of the line without its digits; never 0. */
static uint64_t kind_of(const char *line)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *line != '\0'; line++)
        if (*line < '0' || *line > '9')
            hash = (hash ^ (unsigned char)*line) * UINT64_C(0x100000001b3);
    return hash | 1;
}

/* The index of the kind's count. */
static uint32_t find_kind(struct zci_log_limiter *limiter, uint64_t kind)
{
    for (uint32_t i = 0; i < ZCI_LOG_KINDS; i++) {
        unsigned long long there = 0;
        const uint32_t at = (uint32_t)((kind >> 8) + i) % ZCI_LOG_KINDS;
        if (atomic_compare_exchange_strong(&limiter->kinds[at], &there, kind) || there == kind)
            return at;
    }
    return ZCI_LOG_KINDS;
}

static int is_shown(uint64_t count)
{
    uint64_t digits = count;
    while (digits % 10 == 0)
        digits /= 10;
    return count <= SHOWN || digits == 1;
}

static void log_limited(void *user, enum zcs_log_level level, const char *line)
{
    struct zci_log_limiter *limiter = user;
    const struct zci_log *to = &limiter->to;
    if (level > ZCS_LOG_WARNING) {
        to->fn(to->user, level, line);
        return;
    }
    char text[LINE_BYTES + 100];
    const uint64_t count =
        atomic_fetch_add(&limiter->counts[find_kind(limiter, kind_of(line))], 1) + 1;
    if (!is_shown(count))
        return;
    if (count >= SHOWN)
        snprintf(text, sizeof text, "%s; %" PRIu64 " messages like this so far%s", line, count,
                 count == SHOWN ? ": not each of the others is shown" : "");
    to->fn(to->user, level, count >= SHOWN ? text : line);
}

struct zci_log zci_log_limit(struct zci_log_limiter *limiter, const struct zci_log *to)
{
    limiter->to = *to;
    return (struct zci_log){
        .fn = to->fn != NULL ? log_limited : NULL, .user = limiter, .level = to->level};
}
