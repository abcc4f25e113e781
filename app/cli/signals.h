/* SPDX-License-Identifier: MIT */
/* SIGINT and SIGTERM ask for the end once; a later one ends the process by its default action.
 * SIGHUP asks for the next part of the output, or, in a terminal that goes away, for the end. */
#ifndef ZCAPP_CLI_SIGNALS_H
#define ZCAPP_CLI_SIGNALS_H

#include <signal.h>

/* Installs the handlers and ignores SIGPIPE, whose error writes report anyway. */
void signals_install(void);

/* From now on the first request for the end is answered by a line on standard error, with
 * `terminal` on one. */
void signals_announce(int terminal);

/* 1 once the end was asked for. */
int signals_stop(void);

/* 1 if the next part was asked for since the last call. */
int signals_part(void);

/* Threads made between these two leave all signals to the others. */
void signals_block(sigset_t *before);
void signals_restore(const sigset_t *before);

#endif
