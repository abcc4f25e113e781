/* SPDX-License-Identifier: MIT */
/* Which process made something: told in parent, child and grandchild, without asking for the process's number, and
 * with that where the kernel cannot empty pages in children, or only says that it does. */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#include "core/origin.h"

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
static int fork_with(int (*inside)(struct zci_origin *origin), struct zci_origin *origin)
{
    int status = 0;
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0)
        _exit(inside(origin));
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int elsewhere(struct zci_origin *origin)
{
    const int here = zci_origin_here(origin);
    zci_origin_finish(origin);
    return here;
}

/* A child makes its own, and so does its child. */
static int in_child(struct zci_origin *origin)
{
    struct zci_origin own;
    if (zci_origin_here(origin) || fork_with(elsewhere, origin) != 0)
        return 1;
    zci_origin_init(&own);
    if (!zci_origin_here(&own) || zci_origin_here(origin) || fork_with(elsewhere, &own) != 0)
        return 2;
    zci_origin_finish(&own);
    zci_origin_finish(origin);
    return 0;
}

static void tell(void)
{
    struct zci_origin origin;
    zci_origin_init(&origin);
    CHECK_EQ(origin.pid, __real_getpid());
    CHECK(zci_origin_here(&origin));
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(fork_with(in_child, &origin), 0);
        CHECK(zci_origin_here(&origin));
    }
    pids = 0;
    for (int i = 0; i < ASKED; i++)
        CHECK(zci_origin_here(&origin));
    CHECK_EQ(pids, origin.page != NULL ? 0 : ASKED);
    CHECK(advice == REAL || origin.page == NULL);
    printf("%s: %d calls of getpid for %d questions\n", origin.page ? "a page" : "no page", pids,
           ASKED);
    zci_origin_finish(&origin);
    zci_origin_finish(&origin);
}

int main(void)
{
    struct zci_origin none = {.page = NULL};
    zci_origin_finish(&none);
    tell();
    advice = REFUSES;
    tell();
    advice = GRANTS_ANYTHING;
    tell();
    return 0;
}
