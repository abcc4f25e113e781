/* SPDX-License-Identifier: MIT */
/* Telling whether memory of the application's is still the mapping that it was: a mark on the mapping,
 * which goes when that is unmapped. The mark is a memory lock; asking for it is one system call. */
#ifndef ZCI_OS_MLOCK_TAG_H
#define ZCI_OS_MLOCK_TAG_H

#include <stddef.h>

enum zci_mlock_tag {
    ZCI_MLOCK_TAG_NONE,  /* cannot be had here: a new mapping would not be noticed */
    ZCI_MLOCK_TAG_ENDS,  /* on the first and the last page */
    ZCI_MLOCK_TAG_WHOLE, /* on all pages, which then cannot be given back with madvise either */
};

/* Whose marks besides this range's are on its first and last page: bits. */
enum { ZCI_MLOCK_TAG_FIRST_SHARED = 1, ZCI_MLOCK_TAG_LAST_SHARED = 2 };

/* NONE where the application itself, or all that it maps, is locked (mlockall), where its limit of locked
 * memory is used up, and for huge pages of hugetlb and memory of devices. Whole only without a limit. */
enum zci_mlock_tag zci_mlock_tag_set(const void *memory, size_t bytes, unsigned shared);

/* 0: the first or the last page is another mapping, or none. Any thread. */
int zci_mlock_tag_holds(enum zci_mlock_tag tag, const void *memory, size_t bytes);

void zci_mlock_tag_clear(enum zci_mlock_tag tag, const void *memory, size_t bytes, unsigned shared);

#endif
