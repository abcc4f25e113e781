/* SPDX-License-Identifier: MIT */
/* The page that children find empty: MADV_WIPEONFORK, Linux 4.14. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, madvise */
#include "core/origin.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef MADV_WIPEONFORK
/* Emulators that grant any advice and follow none must not be believed: they grant one that there is not, too. */
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

void zci_origin_init(struct zci_origin *origin)
{
    const size_t bytes = page_bytes();
    *origin = (struct zci_origin){.pid = getpid()};
    unsigned char *page =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return;
    if (!is_wiped(page, bytes)) {
        munmap(page, bytes);
        return;
    }
    page[0] = 1;
    origin->page = page;
}

void zci_origin_finish(struct zci_origin *origin)
{
    if (origin->page != NULL)
        munmap(origin->page, page_bytes());
    origin->page = NULL;
}

int zci_origin_here(const struct zci_origin *origin)
{
    return origin->page != NULL ? origin->page[0] : getpid() == origin->pid;
}
