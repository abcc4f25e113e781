/* SPDX-License-Identifier: MIT */
/* The files of a replay: what a path means, and how many whole frames lie behind it. */
#include "source/replay_input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source/replay_dir.h"
#include "source/replay_series.h"

char *zci_replay_text(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    return copy != NULL ? memcpy(copy, text, bytes) : NULL;
}

static zcs_status init_stdin(struct zci_replay_input *input, const struct zci_log *log)
{
    struct stat info;
    if (fstat(STDIN_FILENO, &info) != 0)
        return zci_fail(log, ZCS_ERR_IO, "%s: %s", input->path, strerror(errno));
    /* Where it was closed, its number may have become any descriptor, an eventfd for one. */
    if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode) && !S_ISSOCK(info.st_mode) &&
        !S_ISCHR(info.st_mode) && !S_ISBLK(info.st_mode))
        return zci_fail(log, ZCS_ERR_IO, "%s: nothing that can be read", input->path);
    input->is_stdin = 1;
    input->is_pipe = 1;
    input->count = 1;
    return ZCS_OK;
}

static zcs_status init_named(struct zci_replay_input *input, const struct zci_log *log)
{
    struct stat info;
    if (stat(input->path, &info) != 0)
        return zci_replay_series_meant(input->path)
                   ? zci_replay_series_init(input, log)
                   : zci_fail(log, ZCS_ERR_IO, "%s: %s", input->path, strerror(errno));
    if (S_ISDIR(info.st_mode))
        return zci_replay_dir_init(input, log);
    input->is_pipe = !S_ISREG(info.st_mode);
    input->count = 1;
    return ZCS_OK;
}

zcs_status zci_replay_input_init(struct zci_replay_input *input, const char *path,
                                 const struct zci_log *log)
{
    const int is_stdin = strcmp(path, "-") == 0;
    *input = (struct zci_replay_input){.path = zci_replay_text(is_stdin ? "standard input" : path)};
    if (input->path == NULL)
        return zci_fail(log, ZCS_ERR_NOMEM, "%s: no memory for its name", path);
    return is_stdin ? init_stdin(input, log) : init_named(input, log);
}

void zci_replay_input_finish(struct zci_replay_input *input)
{
    for (uint64_t i = 0; input->entries != NULL && i < input->count; i++)
        free(input->entries[i]);
    free(input->entries);
    free(input->series);
    free(input->name);
    free(input->path);
    *input = (struct zci_replay_input){0};
}

const char *zci_replay_input_name(struct zci_replay_input *input, uint64_t index)
{
    if (input->entries != NULL)
        zci_replay_dir_name(input, index);
    else if (input->series != NULL)
        zci_replay_series_name(input, index);
    else
        return input->path;
    return input->name;
}

static zcs_status size_of(const char *name, const struct zci_log *log, uint64_t *bytes)
{
    struct stat info;
    if (stat(name, &info) != 0)
        return zci_fail(log, ZCS_ERR_IO, "%s: %s", name, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return zci_fail(log, ZCS_ERR_FORMAT, "%s: not a regular file", name);
    *bytes = (uint64_t)info.st_size;
    return ZCS_OK;
}

static zcs_status no_frame(struct zci_replay_input *input, uint64_t most, const char *need,
                           const struct zci_log *log)
{
    if (input->count > 1)
        return zci_fail(log, ZCS_ERR_FORMAT,
                        "%s: the largest of its %" PRIu64 " files has %" PRIu64 " bytes; %s",
                        input->path, input->count, most, need);
    const char *name = zci_replay_input_name(input, 0);
    if (most == 0)
        return zci_fail(log, ZCS_ERR_FORMAT, "%s: empty, 0 bytes; %s", name, need);
    return zci_fail(log, ZCS_ERR_FORMAT, "%s: %" PRIu64 " bytes; %s", name, most, need);
}

zcs_status zci_replay_input_count(struct zci_replay_input *input, size_t frame_bytes,
                                  const char *need, const struct zci_log *log, uint64_t *frames)
{
    uint64_t sum = 0, most = 0;
    for (uint64_t i = 0; i < input->count; i++) {
        uint64_t bytes = 0;
        const zcs_status status = size_of(zci_replay_input_name(input, i), log, &bytes);
        if (status != ZCS_OK)
            return status;
        sum += bytes / frame_bytes;
        most = bytes > most ? bytes : most;
    }
    if (sum == 0)
        return no_frame(input, most, need, log);
    *frames = sum;
    return ZCS_OK;
}
