/* SPDX-License-Identifier: MIT */
/* The files of a replay: what a path means, and how many whole frames lie behind it. */
#include "source/replay/replay_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source/replay/replay_dir.h"
#include "source/replay/replay_read.h"
#include "source/replay/replay_series.h"

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
    const int flags = fcntl(STDIN_FILENO, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) == O_WRONLY)
        return zci_fail(log, ZCS_ERR_IO, "%s: open for writing only", input->path);
    /* Where it was closed, its number may have become any descriptor, an eventfd for one. */
    if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode) && !S_ISSOCK(info.st_mode) &&
        !S_ISCHR(info.st_mode) && !S_ISBLK(info.st_mode))
        return zci_fail(log, ZCS_ERR_IO, "%s: nothing that can be read", input->path);
    input->is_stdin = 1;
    input->is_pipe = 1;
    input->count = 1;
    return ZCS_OK;
}

void zci_replay_input_use_file(struct zci_replay_input *input)
{
    struct stat info;
    if (input->is_stdin && fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode) &&
        lseek(STDIN_FILENO, 0, SEEK_CUR) == 0 && access(ZCI_STDIN_NAME, R_OK) == 0)
        input->is_pipe = 0;
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
