/* SPDX-License-Identifier: MIT */
/* Remap detection: whether application memory is still the same mapping. The tag is a memory lock,
 * which goes away when the mapping is unmapped. Checking it takes one or two system calls. */
#ifndef ZCI_OS_MLOCK_TAG_H
#define ZCI_OS_MLOCK_TAG_H

#include <stddef.h>

enum zci_mlock_tag {
    ZCI_MLOCK_TAG_NONE,  /* not possible here: a new mapping is not detected */
    ZCI_MLOCK_TAG_ENDS,  /* the first and the last page are locked */
    ZCI_MLOCK_TAG_WHOLE, /* all pages are locked, which also prevents madvise from dropping them */
};

/* Bits: the first or the last page also carries the tag of another range. */
enum { ZCI_MLOCK_TAG_FIRST_SHARED = 1, ZCI_MLOCK_TAG_LAST_SHARED = 2 };

/* NONE where the application locked the memory itself, or everything (mlockall), where the limit of
 * locked memory is reached, and for hugetlb pages and device memory. WHOLE only where there is no
 * limit. */
enum zci_mlock_tag zci_mlock_tag_set(const void *memory, size_t bytes, unsigned shared);

/* 0: the first or the last page was unmapped or mapped anew. Any thread. */
int zci_mlock_tag_holds(enum zci_mlock_tag tag, const void *memory, size_t bytes);

void zci_mlock_tag_clear(enum zci_mlock_tag tag, const void *memory, size_t bytes, unsigned shared);

#endif
