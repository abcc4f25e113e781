/* SPDX-License-Identifier: MIT */
/* Numbered files: the pattern's text, the first number, the last one without a gap. */
#include "source/replay_series.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FIRST_LIMIT 10000 /* numbers that are tried for the first file */
#define DIGITS_LIMIT 20   /* of a 64-bit number */

int zci_replay_series_meant(const char *path)
{
    return strchr(path, '%') != NULL;
}

/* Reads [0]N and u or d behind a per cent sign; returns what follows, NULL if it is none of these. */
static const char *take_number(struct zci_replay_input *input, const char *text)
{
    input->series_zeros = *text == '0';
    while (*text >= '0' && *text <= '9' && input->series_digits <= DIGITS_LIMIT)
        input->series_digits = input->series_digits * 10 + (*text++ - '0');
    const int fits = input->series_digits <= DIGITS_LIMIT && (*text == 'u' || *text == 'd');
    return fits ? text + 1 : NULL;
}

/* Splits the pattern at its number into input->series, "%%" becoming "%". 0 where it has not one. */
static int split(struct zci_replay_input *input)
{
    char *to = input->series;
    for (const char *from = input->path; *from;) {
        if (*from != '%') {
            *to++ = *from++;
        } else if (from[1] == '%') {
            *to++ = '%';
            from += 2;
        } else {
            from = input->series_tail == NULL ? take_number(input, from + 1) : NULL;
            if (from == NULL)
                return 0;
            *to++ = '\0';
            input->series_tail = to;
        }
    }
    *to = '\0';
    return input->series_tail != NULL;
}

void zci_replay_series_name(struct zci_replay_input *input, uint64_t index)
{
    const uint64_t number = input->series_first + index;
    snprintf(input->name, input->name_bytes,
             input->series_zeros ? "%s%0*" PRIu64 "%s" : "%s%*" PRIu64 "%s", input->series,
             input->series_digits, number, input->series_tail);
}

static int exists(struct zci_replay_input *input, uint64_t index)
{
    struct stat info;
    zci_replay_series_name(input, index);
    return stat(input->name, &info) == 0;
}

zcs_status zci_replay_series_init(struct zci_replay_input *input, const struct zci_log *log)
{
    const size_t bytes = strlen(input->path) + 2;
    input->series = malloc(bytes);
    if (input->series == NULL)
        return zci_fail(log, ZCS_ERR_NOMEM, "%s: no memory for its name", input->path);
    if (!split(input))
        return zci_fail(log, ZCS_ERR_FORMAT,
                        "%s: a numbered name has exactly one %%u, %%d or %%0Nu, and %%%% for %%",
                        input->path);
    input->name_bytes = bytes + DIGITS_LIMIT;
    input->name = malloc(input->name_bytes);
    if (input->name == NULL)
        return zci_fail(log, ZCS_ERR_NOMEM, "%s: no memory for its name", input->path);
    uint64_t first = 0;
    while (first < FIRST_LIMIT && !exists(input, first))
        first++;
    if (first == FIRST_LIMIT)
        return zci_fail(log, ZCS_ERR_IO, "%s: no such file with a number from 0 to %d", input->path,
                        FIRST_LIMIT - 1);
    input->series_first = first;
    input->count = 1;
    while (exists(input, input->count))
        input->count++;
    return ZCS_OK;
}
