/* SPDX-License-Identifier: MIT */
/* --keep: retention of the newest files of a name; older ones are removed. */
#include "app/output/retention.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/number.h"

#define MAX_LATE 1024u /* numbers; a file further behind is from a source that restarted */

struct kept {
    uint64_t number, bytes;
    struct timespec time; /* of files from earlier runs */
};

struct retention {
    const struct outname *name;
    const char *first;
    struct retention_limit limit;
    struct console *console;
    pthread_mutex_t lock;
    struct kept *files; /* a queue: the oldest at `begin` */
    size_t begin, end, room;
    size_t found; /* the first ones are from earlier runs, and may be overwritten */
    uint64_t bytes;
    int failed; /* a removal failed, and a warning was shown */
};

int retention_limit_parse(struct retention_limit *out, const char *text)
{
    static const char units[] = "KMGT";
    uint64_t number = 0;
    if (number_scan(&text, 1, UINT32_MAX, &number) != 0)
        return -1;
    if (*text == '\0') {
        *out = (struct retention_limit){.files = number};
        return 0;
    }
    const char *unit = strchr(units, *text);
    if (unit == NULL || text[1] != '\0')
        return -1;
    const unsigned shift = 10 * (unsigned)(unit - units + 1);
    if (number > UINT64_MAX >> shift)
        return -1;
    *out = (struct retention_limit){.bytes = number << shift};
    return 0;
}

static char *path_of(const struct retention *k, uint64_t number)
{
    return k->first != NULL && number == 1 ? strdup(k->first) : outname_make(k->name, number);
}

static int append(struct retention *k, struct kept file)
{
    if (k->end == k->room) {
        if (k->begin > k->room / 2) { /* enough room in front */
            memmove(k->files, k->files + k->begin, (k->end - k->begin) * sizeof *k->files);
        } else {
            const size_t room = k->room > 0 ? 2 * k->room : 256;
            struct kept *files = calloc(room, sizeof *files);
            if (files == NULL)
                return -1;
            if (k->end > k->begin)
                memcpy(files, k->files + k->begin, (k->end - k->begin) * sizeof *files);
            free(k->files);
            k->files = files;
            k->room = room;
        }
        k->end -= k->begin;
        k->begin = 0;
    }
    k->files[k->end++] = file;
    k->bytes += file.bytes;
    return 0;
}

/* Sorts the last file into the queue: parallel threads may finish out of order. */
static void put_in_order(struct retention *k)
{
    const size_t first = k->begin + k->found;
    for (size_t i = k->end - 1; i > first; i--) {
        const struct kept file = k->files[i], before = k->files[i - 1];
        if (before.number <= file.number || before.number - file.number > MAX_LATE)
            return;
        k->files[i] = before;
        k->files[i - 1] = file;
    }
}

static void warn_once(struct retention *k, const char *path, int error)
{
    if (!k->failed)
        console_warning(k->console, "--keep: %s cannot be removed: %s", path, strerror(error));
    k->failed = 1;
}

static void remove_oldest(struct retention *k)
{
    const struct kept file = k->files[k->begin++];
    char *path = path_of(k, file.number);
    k->bytes -= file.bytes;
    k->found -= k->found > 0;
    if (path == NULL)
        warn_once(k, "a file", ENOMEM);
    else if (unlink(path) != 0 && errno != ENOENT)
        warn_once(k, path, errno);
    free(path);
}

static void remove_surplus(struct retention *k)
{
    const struct retention_limit *limit = &k->limit;
    while (k->end - k->begin > 1 && ((limit->files != 0 && k->end - k->begin > limit->files) ||
                                     (limit->bytes != 0 && k->bytes > limit->bytes)))
        remove_oldest(k);
}

/* Removes a file of an earlier run from the queue, since it was overwritten. */
static void forget_found(struct retention *k, uint64_t number)
{
    for (size_t i = k->begin; i < k->begin + k->found; i++) {
        if (k->files[i].number != number)
            continue;
        k->bytes -= k->files[i].bytes;
        memmove(k->files + i, k->files + i + 1, (k->end - i - 1) * sizeof *k->files);
        k->end--;
        k->found--;
        return;
    }
}

/* Gets a file's state. 1: it is a regular file, not a link to a file of somebody else. */
static int stat_file(const struct retention *k, uint64_t number, struct kept *out)
{
    struct stat there;
    char *path = path_of(k, number);
    const int found = path != NULL && lstat(path, &there) == 0 && S_ISREG(there.st_mode);
    free(path);
    if (found)
        *out = (struct kept){
            .number = number, .bytes = (uint64_t)there.st_size, .time = there.st_mtim};
    return found;
}

void retention_add(retention *k, uint64_t number)
{
    struct kept file;
    pthread_mutex_lock(&k->lock);
    if (stat_file(k, number, &file)) {
        forget_found(k, number);
        if (append(k, file) == 0)
            put_in_order(k);
        else
            warn_once(k, "a file", ENOMEM);
        remove_surplus(k);
    }
    pthread_mutex_unlock(&k->lock);
}

struct retention_left retention_left(retention *k)
{
    struct retention_left left = {.min = UINT64_MAX};
    pthread_mutex_lock(&k->lock);
    for (size_t i = k->begin + k->found; i < k->end; i++) {
        const uint64_t number = k->files[i].number;
        left.min = number < left.min ? number : left.min;
        left.max = number > left.max ? number : left.max;
        left.files++;
    }
    pthread_mutex_unlock(&k->lock);
    return left;
}

static int older(const void *a, const void *b)
{
    const struct kept *first = a, *second = b;
    if (first->time.tv_sec != second->time.tv_sec)
        return first->time.tv_sec < second->time.tv_sec ? -1 : 1;
    if (first->time.tv_nsec != second->time.tv_nsec)
        return first->time.tv_nsec < second->time.tv_nsec ? -1 : 1;
    return first->number < second->number ? -1 : first->number > second->number;
}

/* Fills the queue with the files of earlier runs. A missing folder has no files. */
static int find_files(struct retention *k)
{
    struct kept file;
    int status = 0;
    char *folder = outname_folder(k->name);
    DIR *dir = folder != NULL ? opendir(folder) : NULL;
    free(folder);
    for (const struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        uint64_t number = 0;
        if (outname_number(k->name, entry->d_name, &number) == 0 && stat_file(k, number, &file))
            status |= append(k, file);
    }
    if (dir != NULL)
        closedir(dir);
    if (k->first != NULL && stat_file(k, 1, &file))
        status |= append(k, file);
    if (k->end > k->begin)
        qsort(k->files + k->begin, k->end - k->begin, sizeof *k->files, older);
    k->found = k->end - k->begin;
    return status;
}

retention *retention_create(const struct outname *name, const char *first,
                            struct retention_limit limit, struct console *console)
{
    retention *k = calloc(1, sizeof *k);
    if (k != NULL) {
        *k = (struct retention){.name = name, .first = first, .limit = limit, .console = console};
        pthread_mutex_init(&k->lock, NULL);
        if (find_files(k) == 0)
            return k;
    }
    console_error(console, "--keep: no memory for the names of files");
    retention_destroy(&k);
    return NULL;
}

void retention_destroy(retention **k)
{
    if (*k == NULL)
        return;
    pthread_mutex_destroy(&(*k)->lock);
    free((*k)->files);
    free(*k);
    *k = NULL;
}
