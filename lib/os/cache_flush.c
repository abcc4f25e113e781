/* SPDX-License-Identifier: MIT */
/* Flushes cache lines one by one, on processors where user code may do so. */
#include "os/cache_flush.h"

#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>

#define LINE_BYTES 64u

int zci_flush(const void *memory, size_t bytes)
{
    const uint8_t *line = (const uint8_t *)memory - (uintptr_t)memory % LINE_BYTES;
    const uint8_t *const end = (const uint8_t *)memory + bytes;
    for (; line < end; line += LINE_BYTES)
        _mm_clflush(line);
    _mm_mfence();
    return 1;
}
#else
int zci_flush(const void *memory, size_t bytes)
{
    (void)memory, (void)bytes;
    return 0;
}
#endif
