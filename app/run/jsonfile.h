/* SPDX-License-Identifier: MIT */
/* A JSON document into a file, whole or not at all, or to standard output. */
#ifndef ZCAPP_RUN_JSONFILE_H
#define ZCAPP_RUN_JSONFILE_H

#include "app/cli/console.h"
#include "app/run/json.h"

/* Whether there is a place for such a file, before any work; NULL: none is wanted. 0, or -1 after one line of error. */
int jsonfile_check(const char *path, struct console *console);

/* `path` "-" is standard output. 0, or -1 after one line of error. */
int jsonfile_write(const char *path, void (*put)(struct json *json, const void *what),
                   const void *what, struct console *console);

#endif
