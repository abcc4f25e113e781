/* SPDX-License-Identifier: MIT */
/* A page that is zero in forked children: MADV_WIPEONFORK, Linux 4.14. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, madvise */
#include "os/fork_guard.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef MADV_WIPEONFORK
/* Some emulators accept any advice and ignore it. They are detected by an invalid advice, which
 * must fail. */
static int is_wiped(void *page, size_t bytes)
{
    return madvise(page, bytes, -1) != 0 && madvise(page, bytes, MADV_WIPEONFORK) == 0;
}
#else
static int is_wiped(void *page, size_t bytes)
{
    (void)page, (void)bytes;
    return 0;
}
#endif

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

void zci_fork_guard_init(struct zci_fork_guard *fork_guard)
{
    const size_t bytes = page_bytes();
    *fork_guard = (struct zci_fork_guard){.pid = getpid()};
    unsigned char *page =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return;
    if (!is_wiped(page, bytes)) {
        munmap(page, bytes);
        return;
    }
    page[0] = 1;
    fork_guard->page = page;
}

void zci_fork_guard_finish(struct zci_fork_guard *fork_guard)
{
    if (fork_guard->page != NULL)
        munmap(fork_guard->page, page_bytes());
    fork_guard->page = NULL;
}

int zci_fork_guard_same_process(const struct zci_fork_guard *fork_guard)
{
    return fork_guard->page != NULL ? fork_guard->page[0] : getpid() == fork_guard->pid;
}
