/* SPDX-License-Identifier: MIT */
/* SIGINT and SIGTERM ask for the end once; a second one ends the process by its default action. */
#include "app/signals.h"

#include <pthread.h>
#include <string.h>

static volatile sig_atomic_t stop_asked; /* a handler can reach nothing but a static */

static void handle(int signal_number, void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler; /* no SA_RESTART: waits must end early */
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

static void ask(int signal_number)
{
    (void)signal_number;
    stop_asked = 1;
    handle(SIGINT, SIG_DFL);
    handle(SIGTERM, SIG_DFL);
}

void signals_install(void)
{
    handle(SIGINT, ask);
    handle(SIGTERM, ask);
    handle(SIGPIPE, SIG_IGN);
}

int signals_stop(void)
{
    return stop_asked;
}

void signals_block(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

void signals_restore(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}
