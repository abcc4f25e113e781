/* SPDX-License-Identifier: MIT */
/* A JSON document into a file, whole or not at all, or to standard output. */
#include "app/run/jsonfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/output/outfile.h"

static int refuse(struct console *console, const char *path)
{
    console_error(console, "--json %s: %s", path, strerror(errno));
    return -1;
}

int jsonfile_check(const char *path, struct console *console)
{
    struct stat there;
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    if (path == NULL || strcmp(path, "-") == 0)
        return 0;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) { /* devices are written in place */
        errno = EISDIR;
        return S_ISDIR(there.st_mode) ? refuse(console, path) : 0;
    }
    char *folder = slash != NULL ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    const int fits = folder != NULL && access(folder, W_OK | X_OK) == 0;
    const int error = errno;
    free(folder);
    errno = error;
    return fits ? 0 : refuse(console, path);
}

int jsonfile_write(const char *path, void (*put)(struct json *json, const void *what),
                   const void *what, struct console *console)
{
    struct outfile out;
    const int standard = strcmp(path, "-") == 0;
    if ((standard ? outfile_open_standard(&out) : outfile_open(&out, path)) != 0)
        return refuse(console, standard ? "- (standard output)" : path);
    struct json json = {.file = out.file};
    put(&json, what);
    return outfile_commit(&out) == 0 ? 0 : refuse(console, standard ? "- (standard output)" : path);
}
