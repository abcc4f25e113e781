/* SPDX-License-Identifier: MIT */
/* The names of output files: patterns with one number, and the parts of a single file. */
#include "app/output/outname.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/cli/number.h"

#define MAX_WIDTH 20 /* digits of the maximum number */

/* `at` points after the '%'. Returns what follows the conversion; NULL: it is not valid. */
static const char *conversion(struct outname *out, const char *at)
{
    uint64_t width = 0;
    out->zeros = *at == '0';
    at += out->zeros;
    if (*at >= '0' && *at <= '9' && number_scan(&at, 1, MAX_WIDTH, &width) != 0)
        return NULL;
    if (*at != 'u' && *at != 'd' && *at != 'i')
        return NULL;
    out->width = (unsigned)width;
    out->numbered = 1;
    return at + 1;
}

static int refuse(char *why, size_t why_bytes, int second)
{
    if (second)
        snprintf(why, why_bytes, "more than one number in the name");
    else
        snprintf(why, why_bytes,
                 "behind %% may stand u, d or i, after 0 and a width up to %d, or %%", MAX_WIDTH);
    return -1;
}

static int parse_pattern(struct outname *out, const char *pattern, char *why, size_t why_bytes)
{
    char *to = out->head;
    for (const char *at = pattern; *at != '\0';) {
        if (at[0] != '%' || at[1] == '%') {
            at += at[0] == '%';
            *to++ = *at++;
            continue;
        }
        const int second = out->numbered;
        at = second ? NULL : conversion(out, at + 1);
        if (at == NULL)
            return refuse(why, why_bytes, second);
        to = out->tail;
    }
    return 0;
}

int outname_parse(struct outname *out, const char *pattern, char *why, size_t why_bytes)
{
    struct outname name = {0};
    name.head = calloc(1, strlen(pattern) + 1);
    name.tail = calloc(1, strlen(pattern) + 1);
    if (name.head == NULL || name.tail == NULL) {
        snprintf(why, why_bytes, "no memory");
        goto fail;
    }
    if (parse_pattern(&name, pattern, why, why_bytes) != 0)
        goto fail;
    *out = name;
    return 0;
fail:
    outname_finish(&name);
    return -1;
}

void outname_finish(struct outname *name)
{
    free(name->head);
    free(name->tail);
    name->head = name->tail = NULL;
}

char *outname_make(const struct outname *name, uint64_t number)
{
    char digits[MAX_WIDTH + 1] = "";
    if (name->numbered)
        snprintf(digits, sizeof digits, name->zeros ? "%0*" PRIu64 : "%*" PRIu64, (int)name->width,
                 number);
    const size_t bytes = strlen(name->head) + strlen(digits) + strlen(name->tail) + 1;
    char *path = malloc(bytes);
    if (path != NULL)
        snprintf(path, bytes, "%s%s%s", name->head, digits, name->tail);
    return path;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

char *outname_folder(const struct outname *name)
{
    const size_t length = (size_t)(base_of(name->head) - name->head);
    if (strchr(name->tail, '/') != NULL)
        return NULL;
    return length > 0 ? strndup(name->head, length) : strdup(".");
}

int outname_number(const struct outname *name, const char *base, uint64_t *number)
{
    uint64_t value = 0;
    if (!name->numbered)
        return -1;
    const char *head = base_of(name->head);
    const size_t length = strlen(head);
    if (strncmp(base, head, length) != 0)
        return -1;
    const char *at = base + length;
    while (*at == ' ' && !name->zeros)
        at++;
    if (number_scan(&at, 0, UINT64_MAX, &value) != 0 || strcmp(at, name->tail) != 0)
        return -1;
    char *made = outname_make(name, value); /* the number of zeros must match */
    const int same = made != NULL && strcmp(base_of(made), base) == 0;
    free(made);
    if (same)
        *number = value;
    return same ? 0 : -1;
}

/* --- parts --- */

int part_init(struct part *part, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    const size_t stem = dot != NULL && dot != base ? (size_t)(dot - path) : strlen(path);
    *part = (struct part){.path = path, .number = 1};
    part->name =
        (struct outname){.head = calloc(1, stem + 2), .tail = strdup(path + stem), .numbered = 1};
    if (part->name.head == NULL || part->name.tail == NULL) {
        part_finish(part);
        return -1;
    }
    memcpy(part->name.head, path, stem);
    part->name.head[stem] = '-';
    return 0;
}

void part_finish(struct part *part)
{
    outname_finish(&part->name);
}

char *part_path(const struct part *part)
{
    return part->number == 1 ? strdup(part->path) : outname_make(&part->name, part->number);
}

int part_next(struct part *part, int anew)
{
    struct stat there;
    uint64_t next = part->number + 1;
    if (anew)
        part->number = 1;
    else
        part->number = next++;
    for (;; part->number = next++) {
        char *path = part_path(part);
        const int failed = path == NULL;
        const int taken = path != NULL && lstat(path, &there) == 0;
        free(path);
        if (failed || !taken)
            return failed ? -1 : 0;
    }
}
