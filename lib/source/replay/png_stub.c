/* SPDX-License-Identifier: MIT */
/* Replaces png.c in builds without libpng: PNG files are recognized and refused. */
#include <string.h>

#include "source/replay/media.h"

static int png_is(const uint8_t *data, size_t bytes)
{
    return bytes >= 8 && memcmp(data, "\x89PNG\r\n\x1a\n", 8) == 0;
}

static zcs_status png_open(struct zci_media *m, int64_t deadline_ns)
{
    (void)deadline_ns;
    return zci_fail(m->log, ZCS_ERR_UNSUPPORTED, "%s: a PNG; this build has no libpng",
                    m->reader.name);
}

const struct zci_media_ops zci_media_png = {.name = "PNG", .is = png_is, .open = png_open};
