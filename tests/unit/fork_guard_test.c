/* SPDX-License-Identifier: MIT */
/* Which process made something: told in parent, child and grandchild, without asking for the process's number, and
 * with that where the kernel cannot empty pages in children, or only says that it does. */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#include "os/fork_guard.h"

enum { ASKED = 1000 };

static enum { REAL, REFUSES, GRANTS_ANYTHING } advice;
static int pids; /* calls of getpid */

int __real_madvise(void *memory, size_t bytes, int what);
int __wrap_madvise(void *memory, size_t bytes, int what);
pid_t __real_getpid(void);
pid_t __wrap_getpid(void);

int __wrap_madvise(void *memory, size_t bytes, int what)
{
    if (advice == REAL)
        return __real_madvise(memory, bytes, what);
    errno = EINVAL;
    return advice == REFUSES ? -1 : 0;
}

pid_t __wrap_getpid(void)
{
    pids++;
    return __real_getpid();
}

/* The child's status, which is that of `inside`. */
static int fork_with(int (*inside)(struct zci_fork_guard *fork_guard),
                     struct zci_fork_guard *fork_guard)
{
    int status = 0;
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0)
        _exit(inside(fork_guard));
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int elsewhere(struct zci_fork_guard *fork_guard)
{
    const int here = zci_fork_guard_same_process(fork_guard);
    zci_fork_guard_finish(fork_guard);
    return here;
}

/* A child makes its own, and so does its child. */
static int in_child(struct zci_fork_guard *fork_guard)
{
    struct zci_fork_guard own;
    if (zci_fork_guard_same_process(fork_guard) || fork_with(elsewhere, fork_guard) != 0)
        return 1;
    zci_fork_guard_init(&own);
    if (!zci_fork_guard_same_process(&own) || zci_fork_guard_same_process(fork_guard) ||
        fork_with(elsewhere, &own) != 0)
        return 2;
    zci_fork_guard_finish(&own);
    zci_fork_guard_finish(fork_guard);
    return 0;
}

static void tell(void)
{
    struct zci_fork_guard fork_guard;
    zci_fork_guard_init(&fork_guard);
    CHECK_EQ(fork_guard.pid, __real_getpid());
    CHECK(zci_fork_guard_same_process(&fork_guard));
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(fork_with(in_child, &fork_guard), 0);
        CHECK(zci_fork_guard_same_process(&fork_guard));
    }
    pids = 0;
    for (int i = 0; i < ASKED; i++)
        CHECK(zci_fork_guard_same_process(&fork_guard));
    CHECK_EQ(pids, fork_guard.page != NULL ? 0 : ASKED);
    CHECK(advice == REAL || fork_guard.page == NULL);
    printf("%s: %d calls of getpid for %d questions\n", fork_guard.page ? "a page" : "no page",
           pids, ASKED);
    zci_fork_guard_finish(&fork_guard);
    zci_fork_guard_finish(&fork_guard);
}

int main(void)
{
    struct zci_fork_guard none = {.page = NULL};
    zci_fork_guard_finish(&none);
    tell();
    advice = REFUSES;
    tell();
    advice = GRANTS_ANYTHING;
    tell();
    return 0;
}
