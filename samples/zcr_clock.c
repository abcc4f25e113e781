/* SPDX-License-Identifier: MIT */
/* Removes the time of recording from a .zcr file, so that the same frames make the same file. */
#include "samples/zcr_clock.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { AT_BYTES = 12, AT_CHECKSUM = 16, AT_CLOCKS = 144, CLOCK_BYTES = 16, FIXED_BYTES = 256 };

static uint32_t get32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void put32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* The whole header; free() it. NULL: errno is set. */
static uint8_t *read_header(FILE *file, size_t *bytes)
{
    uint8_t fixed[FIXED_BYTES];
    errno = EINVAL; /* used if the file is not a recording */
    if (fread(fixed, 1, sizeof fixed, file) != sizeof fixed)
        return NULL;
    *bytes = get32(fixed + AT_BYTES);
    uint8_t *header = *bytes >= sizeof fixed ? malloc(*bytes) : NULL;
    if (header == NULL)
        return NULL;
    rewind(file);
    if (fread(header, 1, *bytes, file) == *bytes)
        return header;
    free(header);
    return NULL;
}

int zcr_clock_clear(const char *path)
{
    size_t bytes = 0;
    FILE *file = fopen(path, "r+b");
    uint8_t *header = file != NULL ? read_header(file, &bytes) : NULL;
    int done = header != NULL;
    if (done) {
        memset(header + AT_CLOCKS, 0, CLOCK_BYTES);
        put32(header + AT_CHECKSUM, 0);
        put32(header + AT_CHECKSUM, (uint32_t)crc32(0, header, (uInt)bytes));
        done = fseek(file, 0, SEEK_SET) == 0 && fwrite(header, 1, bytes, file) == bytes;
    }
    free(header);
    if (file != NULL && fclose(file) != 0)
        done = 0;
    return done ? 0 : -1;
}
