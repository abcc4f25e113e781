/* SPDX-License-Identifier: MIT */
/* Telling whether memory of the application's is still the mapping that it was: a mark on the mapping,
 * which goes when that is unmapped. The mark is a memory lock; asking for it is one system call. */
#ifndef ZCI_CORE_MARK_H
#define ZCI_CORE_MARK_H

#include <stddef.h>

enum zci_mark {
    ZCI_MARK_NONE,  /* cannot be had here: a new mapping would not be noticed */
    ZCI_MARK_ENDS,  /* on the first and the last page */
    ZCI_MARK_WHOLE, /* on all pages, which then cannot be given back with madvise either */
};

/* Whose marks besides this range's are on its first and last page: bits. */
enum { ZCI_MARK_FIRST_SHARED = 1, ZCI_MARK_LAST_SHARED = 2 };

/* NONE where the application itself, or all that it maps, is locked (mlockall), where its limit of locked
 * memory is used up, and for huge pages of hugetlb and memory of devices. Whole only without a limit. */
enum zci_mark zci_mark_set(const void *memory, size_t bytes, unsigned shared);

/* 0: the first or the last page is another mapping, or none. Any thread. */
int zci_mark_holds(enum zci_mark mark, const void *memory, size_t bytes);

void zci_mark_clear(enum zci_mark mark, const void *memory, size_t bytes, unsigned shared);

#endif
