/* SPDX-License-Identifier: MIT */
/* Writes JSON documents, one member a line, and the files that hold them. */
#include "app/run/json.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
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

static int refuse(struct console *console, const char *path, const char *why)
{
    console_error(console, "--json %s: %s", strcmp(path, "-") != 0 ? path : "- (standard output)",
                  why);
    return -1;
}

/* Checks that the folder of `path` accepts new files, or else that it can be made: the nearest one
 * that exists accepts new folders. Shortens `path` to names of folders. */
static int check_folder(char *path, char *why, size_t why_bytes)
{
    struct stat there;
    char missing[PATH_MAX] = "";
    for (;;) {
        char *slash = strrchr(path, '/');
        if (slash == NULL)
            snprintf(path, 2, ".");
        else
            slash[slash == path] = '\0';
        if (stat(path, &there) == 0 || errno != ENOENT || slash == NULL || slash == path)
            break;
        snprintf(missing, sizeof missing, "%s", path);
    }
    int error = access(path, W_OK | X_OK) == 0 ? 0 : errno;
    if (error == 0 && !S_ISDIR(there.st_mode))
        error = ENOTDIR;
    if (error != 0 && missing[0] != '\0')
        snprintf(why, why_bytes, "the folder %s cannot be made: %s", missing, strerror(error));
    else if (error != 0)
        snprintf(why, why_bytes, "%s", strerror(error));
    return error == 0 ? 0 : -1;
}

int jsonfile_check(const char *path, struct console *console)
{
    struct stat there;
    char why[PATH_MAX + 128];
    if (path == NULL || strcmp(path, "-") == 0)
        return 0;
    const char *slash = strrchr(path, '/');
    if ((stat(path, &there) == 0 && S_ISDIR(there.st_mode)) || (slash != NULL && slash[1] == '\0'))
        return refuse(console, path, strerror(EISDIR));
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        return 0; /* a device is opened and written as it is */
    char *copy = malloc(strlen(path) + 2);
    if (copy == NULL)
        return refuse(console, path, strerror(ENOMEM));
    snprintf(copy, strlen(path) + 2, "%s", path);
    const int result = check_folder(copy, why, sizeof why);
    free(copy);
    return result == 0 ? 0 : refuse(console, path, why);
}

int jsonfile_write(const char *path, void (*put)(struct json *json, const void *what),
                   const void *what, struct console *console)
{
    struct outfile out;
    char why[4600] = "";
    const int standard = strcmp(path, "-") == 0;
    const int opened =
        standard ? outfile_open_standard(&out) : outfile_open(&out, path, 0, why, sizeof why);
    if (opened != 0)
        return refuse(console, path, standard ? strerror(errno) : why);
    struct json json = {.file = out.file};
    put(&json, what);
    return outfile_commit(&out, why, sizeof why) == 0 ? 0 : refuse(console, path, why);
}
