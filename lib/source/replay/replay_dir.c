/* SPDX-License-Identifier: MIT */
/* A directory as a recording: its list of names, read once and sorted. */
#include "source/replay/replay_dir.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "source/replay/replay_order.h"

#define NAME_LIMIT 255 /* of one component, in bytes */

static void join(struct zci_replay_input *input, const char *entry)
{
    snprintf(input->name, input->name_bytes, "%s/%s", input->path, entry);
}

void zci_replay_dir_name(struct zci_replay_input *input, uint64_t index)
{
    join(input, input->entries[index]);
}

static int is_wanted(struct zci_replay_input *input, const char *entry)
{
    struct stat info;
    join(input, entry);
    return entry[0] != '.' && stat(input->name, &info) == 0 && S_ISREG(info.st_mode);
}

static zcs_status add(struct zci_replay_input *input, size_t *room, const char *entry)
{
    if (input->count == *room) {
        const size_t more = *room ? *room * 2 : 64;
        char **entries = realloc(input->entries, more * sizeof *entries);
        if (entries == NULL)
            return ZCS_ERR_NOMEM;
        input->entries = entries;
        *room = more;
    }
    input->entries[input->count] = zci_replay_text(entry);
    if (input->entries[input->count] == NULL)
        return ZCS_ERR_NOMEM;
    input->count++;
    return ZCS_OK;
}

/* ZCS_ERR_IO: errno says why. */
static zcs_status read_entries(struct zci_replay_input *input, DIR *dir)
{
    zcs_status status = ZCS_OK;
    size_t room = 0;
    while (status == ZCS_OK) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (entry == NULL)
            return errno == 0 ? ZCS_OK : ZCS_ERR_IO;
        if (is_wanted(input, entry->d_name))
            status = add(input, &room, entry->d_name);
    }
    return status;
}

static int by_name(const void *a, const void *b)
{
    return zci_replay_order(*(char *const *)a, *(char *const *)b);
}

zcs_status zci_replay_dir_init(struct zci_replay_input *input, const struct zci_log *log)
{
    input->name_bytes = strlen(input->path) + NAME_LIMIT + 2;
    input->name = malloc(input->name_bytes);
    if (input->name == NULL)
        return zci_fail(log, ZCS_ERR_NOMEM, "%s: no memory for its names", input->path);
    DIR *dir = opendir(input->path);
    if (dir == NULL)
        return zci_fail(log, ZCS_ERR_IO, "%s: %s", input->path, strerror(errno));
    const zcs_status status = read_entries(input, dir);
    if (status == ZCS_ERR_NOMEM)
        zci_fail(log, status, "%s: no memory for its names", input->path);
    else if (status != ZCS_OK)
        zci_fail(log, status, "%s: %s", input->path, strerror(errno));
    closedir(dir);
    if (status == ZCS_OK && input->count == 0)
        return zci_fail(log, ZCS_ERR_FORMAT, "%s: a directory without a file", input->path);
    if (input->count > 0)
        qsort(input->entries, input->count, sizeof *input->entries, by_name);
    return status;
}
