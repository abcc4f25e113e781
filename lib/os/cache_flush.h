/* SPDX-License-Identifier: MIT */
/* Flushing memory out of the CPU's caches. */
#ifndef ZCI_OS_CACHE_FLUSH_H
#define ZCI_OS_CACHE_FLUSH_H

#include <stddef.h>

/* Writes back and invalidates every cache line of [memory, memory + bytes) in all caches, whichever
 * mapping filled them, and waits until that is done. 0: this processor has no such instruction. */
int zci_flush(const void *memory, size_t bytes);

#endif
