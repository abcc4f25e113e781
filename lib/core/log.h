/* SPDX-License-Identifier: MIT */
/* The log: formats one line and hands it to the application's callback. A failure is logged once,
 * where it happens. */
#ifndef ZCI_CORE_LOG_H
#define ZCI_CORE_LOG_H

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

#endif
