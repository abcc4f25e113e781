/* SPDX-License-Identifier: MIT */
/* What the fuzz targets share: libFuzzer's entry, input as text and as a file, a context that counts its
 * log lines. State lives as long as the process, as libFuzzer wants it for speed. */
#ifndef ZCS_TESTS_FUZZ_H
#define ZCS_TESTS_FUZZ_H

#include <unistd.h>

#include "check.h"
#include "zcstream/zcstream.h"

/* One target a program. Returns 0; what must not be ends the process. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A terminated copy, for free(), with no byte to spare: sanitizers see a read beyond it. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    CHECK(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

/* Cuts the line at *text off and returns it; NULL after the last. */
static inline char *fuzz_line(char **text)
{
    char *line = *text;
    char *end = line != NULL ? strchr(line, '\n') : NULL;
    *text = end != NULL ? end + 1 : NULL;
    if (end != NULL)
        *end = '\0';
    return line;
}

/* A reason that people can read: one line, not empty, without control characters. */
static inline void fuzz_check_line(const char *line)
{
    CHECK(line[0] != '\0');
    for (; *line != '\0'; line++)
        CHECK((unsigned char)*line >= ' ' && *line != 127);
}

static inline void fuzz_count(void *user, enum zcs_log_level level, const char *line)
{
    fuzz_check_line(line);
    if (level == ZCS_LOG_ERROR)
        ++*(unsigned *)user;
}

#endif
