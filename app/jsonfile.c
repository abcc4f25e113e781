/* SPDX-License-Identifier: MIT */
/* A JSON document into a file, whole or not at all, or to standard output. */
#include "app/jsonfile.h"

#include <errno.h>
#include <string.h>

#include "app/outfile.h"

static int refuse(struct console *console, const char *path)
{
    console_error(console, "--json %s: %s", path, strerror(errno));
    return -1;
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
