/* SPDX-License-Identifier: MIT */
/* Flushing memory out of the CPU's caches. */
#ifndef ZCI_OS_CACHE_FLUSH_H
#define ZCI_OS_CACHE_FLUSH_H

#include <stddef.h>

/* Writes back and forgets every cache line of [memory, memory + bytes), in all caches, under whichever
 * mapping they were filled, and waits for that. 0: this processor has no such instruction. */
int zci_flush(const void *memory, size_t bytes);

#endif
