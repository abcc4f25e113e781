/* SPDX-License-Identifier: MIT */
/* Names of the parts of a single output file: take.y4m, take-2.y4m, take-3.y4m. SIGHUP starts a
 * part. */
#include "app/output/part.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
