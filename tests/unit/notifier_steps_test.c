/* SPDX-License-Identifier: MIT */
/* The notifier, instruction by instruction: a child signals or listens and is stopped after each of
 * its instructions in turn, while the other side runs its whole part. In every interleaving nobody
 * sleeps while there is work. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#include "os/notifier.h"

enum { MAX_STEPS = 20000 };

/* Shared by both processes. */
static struct shared {
    struct zci_notifier notifier;
    unsigned char here;   /* 1 in both processes, as the child acts as a thread */
    atomic_int something; /* the work */
    int found, sleeps;    /* by the listener */
} * shared;

static int readable(void)
{
    struct pollfd fd = {.fd = shared->notifier.fd, .events = POLLIN};
    return poll(&fd, 1, 0) == 1;
}

static void signal_work(void)
{
    atomic_store_explicit(&shared->something, 1, memory_order_relaxed);
    zci_notifier_signal(&shared->notifier);
}

static void look(void)
{
    zci_notifier_clear(&shared->notifier);
    shared->found |= atomic_load_explicit(&shared->something, memory_order_relaxed);
}

static void fall_asleep(void)
{
    shared->sleeps = !shared->found && zci_notifier_arm(&shared->notifier);
}

/* Until it would sleep, or has found it. */
static void listen(void)
{
    look();
    fall_asleep();
}

static void in_child(void (*part)(void))
{
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(77);
    raise(SIGSTOP);
    part();
    raise(SIGSTOP);
    _exit(0);
}

/* 1: it stopped with that signal. */
static int stopped(pid_t child, int with)
{
    int status = 0;
    CHECK_EQ(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        SKIP("a child cannot be traced here");
    CHECK(WIFSTOPPED(status));
    return WSTOPSIG(status) == with;
}

/* A child stopped after so many instructions on the way to `part` and in it; *over: it finished. */
static pid_t start(void (*part)(void), int steps, int *over)
{
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0)
        in_child(part);
    CHECK(stopped(child, SIGSTOP));
    *over = 0;
    for (int i = 0; i < steps && !*over; i++) {
        if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0)
            SKIP("a child cannot be stepped here");
        *over = stopped(child, SIGSTOP);
    }
    return child;
}

static void finish(pid_t child, int over)
{
    int status = 0;
    if (!over) {
        CHECK_EQ(ptrace(PTRACE_CONT, child, NULL, NULL), 0);
        CHECK(stopped(child, SIGSTOP));
    }
    CHECK_EQ(ptrace(PTRACE_CONT, child, NULL, NULL), 0);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void begin(int is_watched)
{
    CHECK_EQ(zci_notifier_init(&shared->notifier), 0);
    zci_fork_guard_finish(&shared->notifier.fork_guard);
    shared->here = 1;
    shared->notifier.fork_guard.page = &shared->here;
    shared->something = shared->found = shared->sleeps = 0;
    if (is_watched)
        zci_notifier_watch(&shared->notifier);
    zci_notifier_clear(&shared->notifier);
}

/* A poll now wakes up if there is work, and the listener then finds it; afterwards fd is not
 * readable. */
static void end(int sleeps)
{
    CHECK(shared->found || !sleeps || readable());
    look();
    CHECK(shared->found && !readable());
    shared->notifier.fork_guard.page = NULL;
    zci_notifier_finish(&shared->notifier);
}

static void stop_the_signaller(int is_watched)
{
    int over = 0, steps = 0, slept = 0;
    for (; !over; steps++) {
        CHECK(steps < MAX_STEPS);
        begin(is_watched);
        const pid_t child = start(signal_work, steps, &over);
        listen();
        CHECK(!readable() || shared->sleeps); /* what was written so far was read */
        slept += shared->sleeps;
        finish(child, over);
        end(is_watched ? !shared->found : shared->sleeps);
    }
    printf("%d places of signal, %s: %d times asleep\n", steps,
           is_watched ? "watched" : "not watched", slept);
    CHECK(slept > 0 && slept < steps);
}

/* The signaller starts after the listener has looked. */
static void stop_the_late_signaller(int is_watched)
{
    int over = 0, steps = 0, slept = 0;
    for (; !over; steps++) {
        CHECK(steps < MAX_STEPS);
        begin(is_watched);
        look();
        const pid_t child = start(signal_work, steps, &over);
        fall_asleep();
        finish(child, over);
        slept += shared->sleeps;
        end(is_watched || shared->sleeps);
    }
    printf("%d places of signal after a look, %s: %d times asleep\n", steps,
           is_watched ? "watched" : "not watched", slept);
    CHECK(slept > 0 && slept < steps);
}

static void stop_the_listener(int is_watched)
{
    int over = 0, steps = 0, slept = 0;
    for (; !over; steps++) {
        CHECK(steps < MAX_STEPS);
        begin(is_watched);
        const pid_t child = start(listen, steps, &over);
        signal_work();
        finish(child, over);
        slept += shared->sleeps;
        end(is_watched ? !shared->found : shared->sleeps);
    }
    printf("%d places of listening, %s: %d times asleep\n", steps,
           is_watched ? "watched" : "not watched", slept);
    CHECK(slept > 0 && slept < steps);
}

int main(void)
{
    if (SANITIZED)
        SKIP("what a sanitizer adds is too much to be stepped through");
    alarm(60);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    for (int is_watched = 0; is_watched < 2; is_watched++) {
        stop_the_signaller(is_watched);
        stop_the_late_signaller(is_watched);
        stop_the_listener(is_watched);
    }
    CHECK_EQ(munmap(shared, sizeof *shared), 0);
    return 0;
}
