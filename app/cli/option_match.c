/* SPDX-License-Identifier: MIT */
/* Which options a misspelt or cut one may have meant. */
#include "app/cli/option_match.h"

#include <stdio.h>
#include <string.h>

#include "app/cli/option_table.h"

/* A letter more, less or other, or two that changed places. */
static int one_edit_away(const char *a, size_t a_bytes, const char *b)
{
    const size_t b_bytes = strlen(b);
    size_t head = 0, tail = 0;
    while (head < a_bytes && head < b_bytes && a[head] == b[head])
        head++;
    while (tail < a_bytes - head && tail < b_bytes - head &&
           a[a_bytes - 1 - tail] == b[b_bytes - 1 - tail])
        tail++;
    const size_t in_a = a_bytes - head - tail, in_b = b_bytes - head - tail;
    if (in_a == 2 && in_b == 2)
        return a[head] == b[head + 1] && a[head + 1] == b[head];
    return in_a <= 1 && in_b <= 1;
}

static int begins(const char *name, size_t bytes, const char *option)
{
    return bytes > 0 && strncmp(name, option, bytes) == 0;
}

static int near(const char *name, size_t bytes, const char *option)
{
    return bytes > 2 && one_edit_away(name, bytes, option);
}

/* Joins the options of this build that `fits` takes behind `out`; returns how many. */
static int join(int (*fits)(const char *, size_t, const char *), const char *name, size_t bytes,
                char *out, size_t out_bytes)
{
    int count = 0;
    for (unsigned i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        if (row->kind == OPTION_HEADING || !fits(name, bytes, row->name))
            continue;
        const size_t used = strlen(out);
        snprintf(out + used, out_bytes - used, "%s--%s", count++ ? ", " : "", row->name);
    }
    return count;
}

void option_match(const char *given, char *out, size_t out_bytes)
{
    static const char cut[] = "is the beginning of ", wrong[] = "no such option; there is ";
    const char *name = given + strspn(given, "-");
    const size_t bytes = strcspn(name, "=");
    snprintf(out, out_bytes, "%s", cut);
    if (join(begins, name, bytes, out, out_bytes) > 0)
        return;
    snprintf(out, out_bytes, "%s", wrong);
    if (join(near, name, bytes, out, out_bytes) > 0)
        return;
    snprintf(out, out_bytes, "no such option (see zcapp --help)");
}
