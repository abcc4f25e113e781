/* SPDX-License-Identifier: MIT */
/* The log: formats one line and hands it to the application's callback. A failure is logged once,
 * where it happens. */
#ifndef ZCI_CORE_LOG_H
#define ZCI_CORE_LOG_H

#include <stdatomic.h>

#include "zcstream/base.h"

struct zci_log {
    zcs_log_fn fn; /* NULL: silent */
    void *user;
    enum zcs_log_level level;
};

/* Any thread. Keeps errno. */
#if defined(__GNUC__) || defined(__clang__)
__attribute__((format(printf, 3, 4)))
#endif
void zci_log(const struct zci_log *log, enum zcs_log_level level, const char *format, ...);

/* The same at ZCS_LOG_ERROR; returns `status`, so that a failure is one line: return zci_fail(...).
 * */
#if defined(__GNUC__) || defined(__clang__)
__attribute__((format(printf, 3, 4)))
#endif
zcs_status
zci_fail(const struct zci_log *log, zcs_status status, const char *format, ...);

/* Limits repeated warnings and errors of one object, such as one for each damaged frame of an
 * endless input. Lines that differ in digits only are of one kind. Of each kind the first ten are
 * shown, and then the 100th, the 1000th and so on, with their number. Further kinds than
 * ZCI_LOG_KINDS count as one. */
#define ZCI_LOG_KINDS 64u
struct zci_log_limiter {
    struct zci_log to;
    atomic_ullong kinds[ZCI_LOG_KINDS], counts[ZCI_LOG_KINDS + 1];
};

/* A log that writes to `to` through the limiter, which must outlive it. */
struct zci_log zci_log_limit(struct zci_log_limiter *limiter, const struct zci_log *to);

#endif
