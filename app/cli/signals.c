/* SPDX-License-Identifier: MIT */
/* Signal handling: the request to end, the request for the next part of the output. */
#include "app/cli/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* timeout(1) and others send one request twice: to the process and to its group. */
#define SAME_MS 100u

static volatile sig_atomic_t stop_requested; /* static: a handler has no argument for context */
static volatile sig_atomic_t part_requested;
static volatile sig_atomic_t requested_ms;
static volatile sig_atomic_t answer_kind; /* enum answer */

enum answer { ANSWER_NONE, ANSWER_PLAIN, ANSWER_TERMINAL };

static void handle(int signal_number, void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler; /* no SA_RESTART: a signal must interrupt waits */
    sigfillset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

/* The clock wraps: only differences are meaningful. */
static unsigned now_ms(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return ((unsigned)now.tv_sec * 1000u + (unsigned)(now.tv_nsec / 1000000)) & INT_MAX;
}

/* Runs in the handler, because the main loop may be stuck. Does not wait for a full pipe. On a
 * terminal it first erases the progress line. */
static void answer(void)
{
    static const char line[] = "\r\033[Kzcapp: stopping; send the signal again to stop at once\n";
    const size_t skip = answer_kind == ANSWER_TERMINAL ? 0 : strcspn(line, "z");
    struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (answer_kind != ANSWER_NONE && poll(&out, 1, 0) == 1 && (out.revents & POLLOUT) != 0 &&
        write(STDERR_FILENO, line + skip, sizeof line - 1 - skip) < 0)
        answer_kind = ANSWER_NONE;
}

static void request_stop(int signal_number)
{
    const int error = errno;
    if (!stop_requested) {
        requested_ms = (sig_atomic_t)now_ms();
        stop_requested = 1;
        if (signal_number != SIGHUP)
            answer();
    } else if (signal_number != SIGHUP &&
               ((now_ms() - (unsigned)requested_ms) & INT_MAX) >= SAME_MS) {
        handle(signal_number, SIG_DFL);
        raise(signal_number); /* delivered when this handler has returned */
    }
    errno = error;
}

static void request_part(int signal_number)
{
    (void)signal_number;
    part_requested = 1;
}

static int is_ignored(int signal_number)
{
    struct sigaction action;
    return sigaction(signal_number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static int has_terminal(void)
{
    const int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

void signals_install(void)
{
    handle(SIGINT, request_stop);
    handle(SIGTERM, request_stop);
    handle(SIGPIPE, SIG_IGN);
    handle(SIGXFSZ, SIG_IGN); /* writing beyond the file size limit fails with EFBIG */
    if (!is_ignored(SIGHUP))  /* nohup ignores it */
        handle(SIGHUP, has_terminal() ? request_stop : request_part);
}

void signals_announce(int terminal)
{
    answer_kind = terminal ? ANSWER_TERMINAL : ANSWER_PLAIN;
}

int signals_stop(void)
{
    return stop_requested;
}

int signals_part(void)
{
    if (!part_requested)
        return 0;
    part_requested = 0; /* a request that arrives now gets the same part */
    return 1;
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
