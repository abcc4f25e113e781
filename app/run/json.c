/* SPDX-License-Identifier: MIT */
/* Writes JSON documents, one member a line, and the files that hold them. */
#include "app/run/json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/utf8.h"
#include "app/output/outfile.h"

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
    if (stat(path, &there) == 0 &&
        !S_ISREG(there.st_mode)) { /* a device is opened and written as it is */
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
