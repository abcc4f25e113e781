/* SPDX-License-Identifier: MIT */
/* Mlock tags: mlock sets them; an msync that has no effect but to fail on locked pages checks them.
 * */
#include "os/mlock_tag.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

struct pages {
    uint8_t *first;
    size_t bytes; /* of all pages */
    size_t page;
};

static struct pages pages_of(const void *memory, size_t bytes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)memory;
    const uintptr_t lead = at % page;
    return (struct pages){.first = (uint8_t *)(at - lead),
                          .bytes = (lead + bytes + page - 1) / page * page,
                          .page = page};
}

static uint8_t *last_of(const struct pages *pages)
{
    return pages->first + pages->bytes - pages->page;
}

/* MS_INVALIDATE alone writes nothing back and drops nothing; on locked pages it fails. */
static int is_locked(const struct pages *pages, void *page)
{
    return msync(page, pages->page, MS_INVALIDATE) != 0 && errno == EBUSY;
}

static int are_locked(const struct pages *pages)
{
    return is_locked(pages, pages->first) &&
           (pages->bytes == pages->page || is_locked(pages, last_of(pages)));
}

static int lock_ends(const struct pages *pages)
{
    if (mlock(pages->first, pages->page) != 0)
        return -1;
    return mlock(last_of(pages), pages->page);
}

static int has_no_limit(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
}

enum zci_mlock_tag zci_mlock_tag_set(const void *memory, size_t bytes, unsigned shared)
{
    const struct pages pages = pages_of(memory, bytes);
    enum zci_mlock_tag tag = has_no_limit() ? ZCI_MLOCK_TAG_WHOLE : ZCI_MLOCK_TAG_ENDS;
    if (!(shared & ZCI_MLOCK_TAG_FIRST_SHARED) && is_locked(&pages, pages.first))
        return ZCI_MLOCK_TAG_NONE;
    if (!(shared & ZCI_MLOCK_TAG_LAST_SHARED) && is_locked(&pages, last_of(&pages)))
        return ZCI_MLOCK_TAG_NONE;
    if (tag == ZCI_MLOCK_TAG_WHOLE && mlock(pages.first, pages.bytes) != 0)
        tag = ZCI_MLOCK_TAG_ENDS;
    if (tag == ZCI_MLOCK_TAG_ENDS && lock_ends(&pages) != 0)
        tag = ZCI_MLOCK_TAG_NONE;
    if (tag != ZCI_MLOCK_TAG_NONE && are_locked(&pages))
        return tag;
    zci_mlock_tag_clear(ZCI_MLOCK_TAG_ENDS, memory, bytes, shared);
    return ZCI_MLOCK_TAG_NONE;
}

int zci_mlock_tag_holds(enum zci_mlock_tag tag, const void *memory, size_t bytes)
{
    const struct pages pages = pages_of(memory, bytes);
    return tag == ZCI_MLOCK_TAG_NONE || are_locked(&pages);
}

/* The pages may be unmapped already, which is harmless. Pages shared with other ranges stay locked.
 * */
void zci_mlock_tag_clear(enum zci_mlock_tag tag, const void *memory, size_t bytes, unsigned shared)
{
    const struct pages pages = pages_of(memory, bytes);
    uint8_t *begin = pages.first, *last = last_of(&pages);
    if (tag == ZCI_MLOCK_TAG_NONE)
        return;
    if (!(shared & ZCI_MLOCK_TAG_FIRST_SHARED))
        (void)munlock(begin, pages.page);
    if (!(shared & ZCI_MLOCK_TAG_LAST_SHARED) &&
        (last != begin || !(shared & ZCI_MLOCK_TAG_FIRST_SHARED)))
        (void)munlock(last, pages.page);
    if (tag == ZCI_MLOCK_TAG_WHOLE && pages.bytes > 2 * pages.page)
        (void)munlock(begin + pages.page, pages.bytes - 2 * pages.page);
}
