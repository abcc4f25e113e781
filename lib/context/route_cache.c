/* SPDX-License-Identifier: MIT */
/* The route cache: a small ring of entries under a lock, and its file. */
#include "context/route_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/route.h"

/* of the file that are read */
#define FILE_BYTES (2 * ZCI_ROUTE_CACHE_ENTRIES * ZCI_ROUTE_LINE_BYTES)

static uint32_t kept(const struct zci_route_cache *cache)
{
    return cache->count < ZCI_ROUTE_CACHE_ENTRIES ? cache->count : ZCI_ROUTE_CACHE_ENTRIES;
}

/* The index of the entry with that key; kept(): there is none. */
static uint32_t place_of(const struct zci_route_cache *cache, uint64_t key)
{
    uint32_t at = 0;
    while (at < kept(cache) && cache->entries[at].key != key)
        at++;
    return at;
}

int zci_route_cache_find(struct zci_route_cache *cache, uint64_t key, struct zci_route_choice *out)
{
    pthread_mutex_lock(&cache->lock);
    const uint32_t at = place_of(cache, key);
    const int found = at < kept(cache);
    if (found)
        *out = cache->entries[at].choice;
    pthread_mutex_unlock(&cache->lock);
    return found;
}

void zci_route_cache_add(struct zci_route_cache *cache, uint64_t key,
                         const struct zci_route_choice *choice)
{
    pthread_mutex_lock(&cache->lock);
    uint32_t at = place_of(cache, key);
    if (at == kept(cache))
        at = cache->count++ % ZCI_ROUTE_CACHE_ENTRIES;
    cache->entries[at] = (struct zci_route_cache_entry){key, *choice};
    pthread_mutex_unlock(&cache->lock);
}

static size_t read_all(int fd, char *out, size_t bytes)
{
    size_t used = 0;
    ssize_t got = 1;
    while (used < bytes && got > 0) {
        got = read(fd, out + used, bytes - used);
        used += got > 0 ? (size_t)got : 0;
    }
    return used;
}

static void take_line(struct zci_route_cache *cache, const char *line, size_t length)
{
    uint64_t key;
    int64_t ns[ZCI_ROUTES];
    struct zci_route_choice choice;
    if (!zci_route_parse(line, length, &key, ns))
        return;
    zci_route_choose(ns, &choice);
    zci_route_cache_add(cache, key, &choice);
}

static void read_file(struct zci_route_cache *cache)
{
    char text[FILE_BYTES];
    const int fd = cache->path ? open(cache->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (fd < 0)
        return;
    const size_t used = read_all(fd, text, sizeof text);
    close(fd);
    for (size_t at = 0; at < used;) {
        const char *end = memchr(text + at, '\n', used - at);
        if (end == NULL)
            return; /* the line is cut off */
        take_line(cache, text + at, (size_t)(end - text) - at);
        at = (size_t)(end - text) + 1;
    }
}

/* Formats the entries as lines, the oldest first. */
static size_t format_all(struct zci_route_cache *cache, char *out)
{
    size_t used = 0;
    pthread_mutex_lock(&cache->lock);
    for (uint32_t i = cache->count - kept(cache); i < cache->count; i++) {
        const struct zci_route_cache_entry *entry = &cache->entries[i % ZCI_ROUTE_CACHE_ENTRIES];
        used += zci_route_format(out + used, entry->key, entry->choice.ns);
    }
    pthread_mutex_unlock(&cache->lock);
    return used;
}

/* A new file, never one that a link leads to; a file of a process that died is removed. */
static int create_beside(const char *beside)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    const int fd = open(beside, flags, 0666);
    if (fd >= 0 || errno != EEXIST || unlink(beside) != 0)
        return fd;
    return open(beside, flags, 0666);
}

/* 0 or an errno. */
static int write_beside(const char *beside, const char *path, const char *text, size_t bytes)
{
    struct stat there;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) /* a device must not be replaced */
        return EINVAL;
    const int fd = create_beside(beside);
    if (fd < 0)
        return errno;
    const ssize_t wrote = write(fd, text, bytes);
    int error = wrote < 0 ? errno : (size_t)wrote != bytes ? ENOSPC : 0;
    if (close(fd) != 0 && error == 0)
        error = errno;
    if (error == 0 && rename(beside, path) != 0)
        error = errno;
    if (error != 0)
        unlink(beside);
    return error;
}

void zci_route_cache_write(struct zci_route_cache *cache, const struct zci_log *log)
{
    char text[ZCI_ROUTE_CACHE_ENTRIES * ZCI_ROUTE_LINE_BYTES], beside[4096];
    if (cache->path == NULL)
        return;
    const size_t bytes = format_all(cache, text);
    const int length = snprintf(beside, sizeof beside, "%s.%ld.part", cache->path, (long)getpid());
    const int error = (size_t)length < sizeof beside
                          ? write_beside(beside, cache->path, text, bytes)
                          : ENAMETOOLONG;
    if (error != 0)
        zci_log(log, ZCS_LOG_WARNING, "%s: measured routes are not kept: %s", cache->path,
                strerror(error));
}

zcs_status zci_route_cache_init(struct zci_route_cache *cache, const char *path)
{
    *cache = (struct zci_route_cache){0};
    pthread_mutex_init(&cache->lock, NULL);
    if (path != NULL && (cache->path = strdup(path)) == NULL)
        return ZCS_ERR_NOMEM;
    read_file(cache);
    return ZCS_OK;
}

void zci_route_cache_finish(struct zci_route_cache *cache)
{
    pthread_mutex_destroy(&cache->lock);
    free(cache->path);
}
