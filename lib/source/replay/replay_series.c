/* SPDX-License-Identifier: MIT */
/* Numbered files: the pattern's text, the first number, the last one without a gap. */
#include "source/replay/replay_series.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DIGITS_LIMIT 20 /* of a 64-bit number */

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

/* The number of a file of the series, by its name without folder; 0 if it is none of the series'. */
static int number_of(struct zci_replay_input *input, const char *base, const char *file,
                     uint64_t *number)
{
    const size_t head = strlen(base);
    if (strncmp(file, base, head) != 0)
        return 0;
    char *end = NULL;
    errno = 0;
    *number = strtoull(file + head, &end, 10);
    if (errno != 0 || end == file + head || strcmp(end, input->series_tail) != 0)
        return 0;
    zci_replay_series_name(input, *number - input->series_first);
    const char *slash = strrchr(input->name, '/');
    return strcmp(slash ? slash + 1 : input->name, file) == 0;
}

/* The series' folder, in input->name, and what its files' names begin with. */
static const char *folder_of(struct zci_replay_input *input)
{
    const char *slash = strrchr(input->series, '/');
    const size_t length = slash ? (size_t)(slash - input->series) + 1 : 0;
    snprintf(input->name, input->name_bytes, "%.*s", (int)length, length ? input->series : "");
    if (length == 0)
        snprintf(input->name, input->name_bytes, ".");
    return input->series + length;
}

/* The least and the greatest number that there is; 0 if there is none. */
static int find_ends(struct zci_replay_input *input, uint64_t *min, uint64_t *greatest)
{
    const char *base = folder_of(input);
    DIR *folder = opendir(input->name);
    if (folder == NULL)
        return 0;
    int found = 0;
    uint64_t number;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (!number_of(input, base, entry->d_name, &number))
            continue;
        *min = !found || number < *min ? number : *min;
        *greatest = !found || number > *greatest ? number : *greatest;
        found = 1;
    }
    closedir(folder);
    return found;
}

/* Counts from the first number to the first gap, and says so if there are files beyond it. */
static void count_files(struct zci_replay_input *input, uint64_t greatest,
                        const struct zci_log *log)
{
    input->count = 1;
    while (exists(input, input->count))
        input->count++;
    if (input->series_first + input->count <= greatest)
        zci_log(log, ZCS_LOG_WARNING,
                "%s is missing: the series ends before it, though there are files up to %" PRIu64,
                input->name, greatest);
}

zcs_status zci_replay_series_init(struct zci_replay_input *input, const struct zci_log *log)
{
    const size_t bytes = strlen(input->path) + 2;
    input->series = malloc(bytes);
    if (input->series == NULL)
        return zci_fail(log, ZCS_ERR_NOMEM, "%s: no memory for its name", input->path);
    if (!split(input) || strchr(input->series_tail, '/') != NULL)
        return zci_fail(log, ZCS_ERR_FORMAT,
                        "%s: a numbered name has exactly one %%u, %%d or %%0Nu, in the file's own "
                        "name, and %%%% for %%",
                        input->path);
    input->name_bytes = bytes + DIGITS_LIMIT;
    input->name = malloc(input->name_bytes);
    if (input->name == NULL)
        return zci_fail(log, ZCS_ERR_NOMEM, "%s: no memory for its name", input->path);
    uint64_t greatest = 0;
    if (!find_ends(input, &input->series_first, &greatest))
        return zci_fail(log, ZCS_ERR_IO, "%s: there is no file with such a name", input->path);
    count_files(input, greatest, log);
    return ZCS_OK;
}
