/* SPDX-License-Identifier: MIT */
/* Reading and replacing the file of notes. */
#include "context/route_cache_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/route.h"
#include "context/context.h"

#define FILE_BYTES (2 * ZCI_ROUTE_CACHE_ENTRIES * ZCI_ROUTE_LINE_BYTES) /* that are looked at */

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

static void take_line(zcs_context *ctx, const char *line, size_t length)
{
    uint64_t key;
    int64_t ns[ZCI_ROUTES];
    struct zci_route_choice choice;
    if (!zci_route_parse(line, length, &key, ns))
        return;
    zci_route_choose(ns, &choice);
    zci_route_cache_add(ctx, key, &choice);
}

void zci_route_cache_read(zcs_context *ctx)
{
    char text[FILE_BYTES];
    const int fd =
        ctx->route_cache ? open(ctx->route_cache, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (fd < 0)
        return;
    const size_t used = read_all(fd, text, sizeof text);
    close(fd);
    for (size_t at = 0; at < used;) {
        const char *end = memchr(text + at, '\n', used - at);
        if (end == NULL)
            return; /* cut off */
        take_line(ctx, text + at, (size_t)(end - text) - at);
        at = (size_t)(end - text) + 1;
    }
}

/* The lines, the oldest first. */
static size_t format_all(zcs_context *ctx, char *out)
{
    size_t used = 0;
    pthread_mutex_lock(&ctx->lock);
    const struct zci_route_cache *routes = &ctx->routes;
    const uint32_t kept =
        routes->count < ZCI_ROUTE_CACHE_ENTRIES ? routes->count : ZCI_ROUTE_CACHE_ENTRIES;
    for (uint32_t i = routes->count - kept; i < routes->count; i++) {
        const struct zci_route_cache_entry *note = &routes->routes[i % ZCI_ROUTE_CACHE_ENTRIES];
        used += zci_route_format(out + used, note->key, note->choice.ns);
    }
    pthread_mutex_unlock(&ctx->lock);
    return used;
}

/* 0 or an errno. */
static int write_beside(const char *beside, const char *path, const char *text, size_t bytes)
{
    const int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
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

void zci_route_cache_write(zcs_context *ctx)
{
    char text[ZCI_ROUTE_CACHE_ENTRIES * ZCI_ROUTE_LINE_BYTES], beside[4096];
    if (ctx->route_cache == NULL)
        return;
    const size_t bytes = format_all(ctx, text);
    const int length =
        snprintf(beside, sizeof beside, "%s.%ld.part", ctx->route_cache, (long)getpid());
    const int error = (size_t)length < sizeof beside
                          ? write_beside(beside, ctx->route_cache, text, bytes)
                          : ENAMETOOLONG;
    if (error != 0)
        zci_log(&ctx->log, ZCS_LOG_WARNING, "%s: measured routes are not kept: %s",
                ctx->route_cache, strerror(error));
}
