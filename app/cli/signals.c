/* SPDX-License-Identifier: MIT */
/* SIGINT and SIGTERM ask for the end once; a later one ends the process by its default action.
 * SIGHUP asks for the next part of the output, or, in a terminal that goes away, for the end. */
#include "app/cli/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SAME_MS                                                                                    \
    100u /* timeout(1) and others send one request twice: to the process, and to its group */

static volatile sig_atomic_t stop_asked; /* a handler can reach nothing but a static */
static volatile sig_atomic_t part_asked;
static volatile sig_atomic_t asked_ms;
static volatile sig_atomic_t answer_kind; /* enum answer */

enum answer { ANSWER_NONE, ANSWER_PLAIN, ANSWER_TERMINAL };

static void handle(int signal_number, void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler; /* no SA_RESTART: waits must end early */
    sigfillset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

/* Of a clock that wraps: only differences count. */
static unsigned now_ms(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return ((unsigned)now.tv_sec * 1000u + (unsigned)(now.tv_nsec / 1000000)) & INT_MAX;
}

/* From the handler, since what would notice the request may be what is stuck. A full pipe is not
 * waited for. On a terminal the progress line makes room. */
static void answer(void)
{
    static const char line[] = "\r\033[Kzcapp: finishing; again to end at once\n";
    const size_t skip = answer_kind == ANSWER_TERMINAL ? 0 : strcspn(line, "z");
    struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (answer_kind != ANSWER_NONE && poll(&out, 1, 0) == 1 && (out.revents & POLLOUT) != 0 &&
        write(STDERR_FILENO, line + skip, sizeof line - 1 - skip) < 0)
        answer_kind = ANSWER_NONE;
}

static void ask(int signal_number)
{
    const int error = errno;
    if (!stop_asked) {
        asked_ms = (sig_atomic_t)now_ms();
        stop_asked = 1;
        if (signal_number != SIGHUP)
            answer();
    } else if (signal_number != SIGHUP && ((now_ms() - (unsigned)asked_ms) & INT_MAX) >= SAME_MS) {
        handle(signal_number, SIG_DFL);
        raise(signal_number); /* comes when this handler has returned */
    }
    errno = error;
}

static void ask_part(int signal_number)
{
    (void)signal_number;
    part_asked = 1;
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
    handle(SIGINT, ask);
    handle(SIGTERM, ask);
    handle(SIGPIPE, SIG_IGN);
    handle(SIGXFSZ, SIG_IGN); /* a file beyond the limit fails with EFBIG */
    if (!is_ignored(SIGHUP))  /* as nohup wants it */
        handle(SIGHUP, has_terminal() ? ask : ask_part);
}

void signals_announce(int terminal)
{
    answer_kind = terminal ? ANSWER_TERMINAL : ANSWER_PLAIN;
}

int signals_stop(void)
{
    return stop_asked;
}

int signals_part(void)
{
    if (!part_asked)
        return 0;
    part_asked = 0; /* one that comes now is met by the same part */
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
