/* SPDX-License-Identifier: MIT */
/* A JSON document, written as it is told, one member a line. */
#ifndef ZCAPP_RUN_JSON_H
#define ZCAPP_RUN_JSON_H

#include <stdint.h>
#include <stdio.h>

/* {.file = f} begins a document. Errors are the file's: ferror. */
struct json {
    FILE *file;
    int depth;
    int members; /* whether the open object or array has one already */
};

/* `key` is NULL in arrays and for the document itself; '{' or '['. */
void json_begin(struct json *json, const char *key, char bracket);
void json_end(struct json *json, char bracket);

/* NULL text is null. Bytes that are not UTF-8 become U+FFFD. */
void json_string(struct json *json, const char *key, const char *text);
void json_uint(struct json *json, const char *key, uint64_t value);
/* Infinities and NaN are null. */
void json_real(struct json *json, const char *key, double value, int decimals);
void json_null(struct json *json, const char *key);

#endif
