/* SPDX-License-Identifier: MIT */
/* Reads a JSON document strictly, for the shell tests.
 *
 *   jsonget FILE               nothing; status 1 if the document is not well-formed
 *   jsonget FILE KEY.KEY       the value under that path: a string's raw text, a number, true ...;
 *                              "{" or "[" for objects and arrays; array members are 0, 1 ...
 * Status 1 also where there is no such key. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES 1024

static const char *at;        /* what is still to be read */
static char path[PATH_BYTES]; /* of the value being read */
static const char *wanted;
static int found;

static void die(const char *why)
{
    fprintf(stderr, "jsonget: %s before '%.20s'\n", why, at);
    exit(1);
}

static void space(void)
{
    at += strspn(at, " \t\r\n");
}

static void need(char c)
{
    space();
    if (*at++ != c) {
        at--;
        die("a character is missing");
    }
}

static void show(const char *from, const char *to)
{
    if (wanted == NULL || strcmp(path, wanted) != 0)
        return;
    printf("%.*s\n", (int)(to - from), from);
    found++;
}

/* Leaves `at` behind the closing quote; *end is the quote. */
static const char *string(const char **end)
{
    need('"');
    const char *from = at;
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < ' ')
            die("a control character in a string");
        if (*at != '\\')
            continue;
        at++;
        if (*at == 'u' && strspn(at + 1, "0123456789abcdefABCDEF") >= 4)
            at += 4;
        else if (*at == '\0' || strchr("\"\\/bfnrt", *at) == NULL)
            die("a bad escape");
    }
    *end = at++;
    return from;
}

static void number(void)
{
    const char *from = at;
    char *end = NULL;
    strtod(at, &end);
    const size_t bytes = strspn(at, "-+.0123456789eE");
    if (bytes == 0 || end != at + bytes || (at[0] == '0' && bytes > 1 && at[1] != '.'))
        die("no number");
    at += bytes;
    show(from, at);
}

static void value(void);

static void members(char open, char close)
{
    const size_t length = strlen(path);
    int count = 0;
    show(at, at + 1);
    need(open);
    space();
    if (*at == close) {
        at++;
        return;
    }
    for (;; need(',')) {
        char index[16];
        const char *end = NULL, *key = index;
        snprintf(index, sizeof index, "%d", count++);
        if (open == '{') {
            key = string(&end);
            need(':');
        }
        snprintf(path + length, sizeof path - length, "%s%.*s", length > 0 ? "." : "",
                 end != NULL ? (int)(end - key) : (int)strlen(key), key);
        value();
        path[length] = '\0';
        space();
        if (*at == close)
            break;
    }
    at++;
}

static int word(const char *text)
{
    if (strncmp(at, text, strlen(text)) != 0)
        return 0;
    show(at, at + strlen(text));
    at += strlen(text);
    return 1;
}

static void value(void)
{
    space();
    if (*at == '{') {
        members('{', '}');
    } else if (*at == '[') {
        members('[', ']');
    } else if (*at == '"') {
        const char *end = NULL, *from = string(&end);
        show(from, end);
    } else if (!word("true") && !word("false") && !word("null")) {
        number();
    }
}

int main(int argc, char **argv)
{
    static char text[1 << 20];
    FILE *file = argc >= 2 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL)
        return 2;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    wanted = argc > 2 ? argv[2] : NULL;
    at = text;
    value();
    space();
    if (*at != '\0')
        die("something is behind the document");
    if (wanted != NULL && found != 1)
        fprintf(stderr, "jsonget: %s: %d times\n", wanted, found);
    return wanted == NULL || found == 1 ? 0 : 1;
}
