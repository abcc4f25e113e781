/* SPDX-License-Identifier: MIT */
/* What two files say of their frames, side by side. */
#include "source/replay/media_same.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct media_text {
    char text[64];
};

/* The kind of `m`, and what is known of its pictures: of raw frames what was asked for. */
static struct media_text tell(const struct zci_media *m)
{
    const int says = m->says.format != ZCS_PIXFMT_NONE;
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(says ? m->says.format : m->image.format);
    struct media_text out;
    if (info == NULL)
        snprintf(out.text, sizeof out.text, "%s frames", m->ops->name);
    else
        snprintf(out.text, sizeof out.text, "%s %s %" PRIu32 "x%" PRIu32, m->ops->name, info->name,
                 says ? m->says.width : m->image.width, says ? m->says.height : m->image.height);
    return out;
}

static int same_pictures(const struct zci_media *a, const struct zci_media *b)
{
    return a->ops == b->ops && a->says.format == b->says.format && a->says.width == b->says.width &&
           a->says.height == b->says.height;
}

static zcs_status refuse_number(const struct zci_media *m, const char *what, uint64_t number,
                                uint64_t first)
{
    return zci_fail(m->log, ZCS_ERR_FORMAT,
                    "%s: %s is %" PRIu64 ", but that of the first file is %" PRIu64, m->reader.name,
                    what, number, first);
}

static zcs_status check_layout(const struct zci_media *m, const struct zcs_image *a,
                               const struct zcs_image *b)
{
    if (a->bits != b->bits)
        return refuse_number(m, "its number of significant bits", a->bits, b->bits);
    if (a->shift != b->shift)
        return refuse_number(m, "its shift", a->shift, b->shift);
    for (int p = 0; p < ZCS_MAX_PLANES; p++) {
        if (a->stride_bytes[p] != b->stride_bytes[p])
            return refuse_number(m, "its stride", a->stride_bytes[p], b->stride_bytes[p]);
        if (a->offset_bytes[p] != b->offset_bytes[p])
            return refuse_number(m, "the place of its planes", a->offset_bytes[p],
                                 b->offset_bytes[p]);
    }
    if (a->size_bytes != b->size_bytes)
        return refuse_number(m, "the size of its frames", a->size_bytes, b->size_bytes);
    return ZCS_OK;
}

zcs_status zci_media_check_same(const struct zci_media *m, const struct zci_media *first)
{
    if (!same_pictures(m, first))
        return zci_fail(m->log, ZCS_ERR_FORMAT, "%s: %s, but the first file is %s", m->reader.name,
                        m->foreign.name != NULL ? m->foreign.name : tell(m).text, tell(first).text);
    if (m->max != first->max)
        return refuse_number(m, "its greatest value", m->max, first->max);
    if (m->says.bits != first->says.bits)
        return refuse_number(m, "its number of significant bits", m->says.bits, first->says.bits);
    return check_layout(m, &m->layout, &first->layout);
}
