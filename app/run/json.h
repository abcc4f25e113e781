/* SPDX-License-Identifier: MIT */
/* Writes JSON documents, one member a line, and the files that hold them. */
#ifndef ZCAPP_RUN_JSON_H
#define ZCAPP_RUN_JSON_H

#include <stdint.h>
#include <stdio.h>

#include "app/cli/console.h"

/* {.file = f} begins a document. ferror(file) tells whether a write failed. */
struct json {
    FILE *file;
    int depth;
    int members; /* 1: the open object or array already has a member */
};

/* `key` is NULL for elements of an array and for the document itself. `bracket` is '{' or '['. */
void json_begin(struct json *json, const char *key, char bracket);
void json_end(struct json *json, char bracket);

/* A NULL text is written as null. Bytes that are not UTF-8 become U+FFFD. */
void json_string(struct json *json, const char *key, const char *text);
void json_uint(struct json *json, const char *key, uint64_t value);
/* Infinities and NaN are written as null. */
void json_real(struct json *json, const char *key, double value, int decimals);
void json_null(struct json *json, const char *key);

/* Checks before a run that a file can be created at `path`. NULL: no file is wanted. 0, or -1 after
 * one line of error. */
int jsonfile_check(const char *path, struct console *console);

/* Writes a document to `path`, as a whole or not at all; "-" is standard output. `put` writes the
 * content from `what`. 0, or -1 after one line of error. */
int jsonfile_write(const char *path, void (*put)(struct json *json, const void *what),
                   const void *what, struct console *console);

#endif
