/* SPDX-License-Identifier: MIT */
/* The kinds of output files, a row each: what names they have, what they take, how they are written. */
#include "app/output/output_kind.h"

#include <string.h>
#include <strings.h>

#include "app/output/output_pnm.h"
#include "app/output/output_raw.h"
#include "app/output/output_y4m.h"
#include "app/output/png.h"

// clang-format off
const struct output_kind output_kinds[] = {
    /* name  ending  series channels head      frame */
    {"PNG",  ".png", 0,     0,       NULL,     png_frame},
    {"Y4M",  ".y4m", 1,     0,       y4m_head, y4m_frame},
    {"PPM",  ".ppm", 1,     3,       NULL,     pnm_frame},
    {"PGM",  ".pgm", 1,     1,       NULL,     pnm_frame},
    {"PNM",  ".pnm", 1,     0,       NULL,     pnm_frame},
    {"raw",  ".raw", 1,     0,       NULL,     raw_frame},
};
// clang-format on

const unsigned output_kind_count = sizeof output_kinds / sizeof *output_kinds;

static int has_ending(const char *text, const char *ending)
{
    const size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcasecmp(text + length - tail, ending) == 0;
}

const struct output_kind *output_kind_of(const char *name)
{
    for (unsigned i = 0; i < output_kind_count; i++)
        if (has_ending(name, output_kinds[i].ending))
            return &output_kinds[i];
    return NULL;
}
