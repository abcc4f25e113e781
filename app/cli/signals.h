/* SPDX-License-Identifier: MIT */
/* Signal handling: the request to end, the request for the next part of the output. */
#ifndef ZCAPP_CLI_SIGNALS_H
#define ZCAPP_CLI_SIGNALS_H

#include <signal.h>

/* Installs the handlers. The first SIGINT or SIGTERM requests the end; a later one ends the process
 * at once, by the default action. SIGHUP requests the next part of the output; with a terminal,
 * which has closed then, it requests the end. SIGPIPE is ignored: writes report the error. */
void signals_install(void);

/* From now on the first request to end prints a line on standard error. `terminal` 1: that is a
 * terminal. */
void signals_announce(int terminal);

/* 1 after a request to end. */
int signals_stop(void);

/* 1 if the next part was requested since the last call. */
int signals_part(void);

/* Threads that are created between these two calls receive no signals. */
void signals_block(sigset_t *before);
void signals_restore(const sigset_t *before);

#endif
