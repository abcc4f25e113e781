/* SPDX-License-Identifier: MIT */
/* A JSON document, written as it is told, one member a line. */
#include "app/run/json.h"

#include <inttypes.h>
#include <math.h>

#include "app/cli/utf8.h"

static void escape(FILE *file, unsigned char c)
{
    if (c == '"' || c == '\\')
        fprintf(file, "\\%c", c);
    else if (c < ' ' || c == 127)
        fprintf(file, "\\u%04x", c);
    else
        fputc(c, file);
}

static void quoted(FILE *file, const char *text)
{
    fputc('"', file);
    while (*text != '\0') {
        const size_t bytes = utf8_bytes(text);
        if (bytes == 0)
            fputs("\\ufffd", file);
        else if (bytes == 1)
            escape(file, (unsigned char)*text);
        else
            fwrite(text, 1, bytes, file);
        text += bytes > 0 ? bytes : 1;
    }
    fputc('"', file);
}

static void newline(struct json *json)
{
    fprintf(json->file, "\n%*s", 2 * json->depth, "");
}

static void member(struct json *json, const char *key)
{
    if (json->members)
        fputc(',', json->file);
    if (json->depth > 0)
        newline(json);
    json->members = 1;
    if (key != NULL) {
        quoted(json->file, key);
        fputs(": ", json->file);
    }
}

void json_begin(struct json *json, const char *key, char bracket)
{
    member(json, key);
    fputc(bracket, json->file);
    json->depth++;
    json->members = 0;
}

void json_end(struct json *json, char bracket)
{
    json->depth--;
    if (json->members)
        newline(json);
    fputc(bracket, json->file);
    json->members = 1;
    if (json->depth == 0)
        fputc('\n', json->file);
}

void json_string(struct json *json, const char *key, const char *text)
{
    member(json, key);
    if (text == NULL)
        fputs("null", json->file);
    else
        quoted(json->file, text);
}

void json_uint(struct json *json, const char *key, uint64_t value)
{
    member(json, key);
    fprintf(json->file, "%" PRIu64, value);
}

void json_real(struct json *json, const char *key, double value, int decimals)
{
    member(json, key);
    if (isfinite(value))
        fprintf(json->file, "%.*f", decimals, value);
    else
        fputs("null", json->file);
}

void json_null(struct json *json, const char *key)
{
    member(json, key);
    fputs("null", json->file);
}
