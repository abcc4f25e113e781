/* SPDX-License-Identifier: MIT */
/* Files of `v4l2-ctl --stream-to-hdr`: raw frames, each buffer of which has its length before it. */
#include "source/replay/media.h"

#include <inttypes.h>
#include <stdio.h>

#include "os/clock.h"
#include "core/vhdr.h"
#include "source/replay/media_walk.h"

static int vhdr_is(const uint8_t *data, size_t bytes)
{
    return bytes >= ZCI_VHDR_BYTES && zci_vhdr_is(data);
}

static int read_first(struct zci_media *m, const uint8_t *data, size_t bytes, size_t *payload,
                      char *why, size_t why_bytes)
{
    (void)m;
    if (bytes < ZCI_VHDR_BYTES)
        return 0;
    *payload = zci_vhdr_word(data + 4);
    if (zci_vhdr_is(data))
        return ZCI_VHDR_BYTES;
    snprintf(why, why_bytes, "no header of v4l2-ctl's where one should begin");
    return -1;
}

static int read_next(struct zci_media *m, const uint8_t *data, size_t bytes, size_t *payload,
                     char *why, size_t why_bytes)
{
    (void)m;
    (void)why;
    (void)why_bytes;
    if (bytes < ZCI_VHDR_NEXT_BYTES)
        return 0;
    *payload = zci_vhdr_word(data);
    return ZCI_VHDR_NEXT_BYTES;
}

/* Where the bytes of plane `p` end that are a buffer of their own. */
static size_t plane_end(const struct zcs_image *image, uint32_t p)
{
    return p + 1 < image->planes ? image->offset_bytes[p + 1] : image->size_bytes;
}

/* The frame at `offset`, and in *end where it ends. A frame whose buffers have other lengths than the
 * layout's planes is short. */
static zcs_status look(struct zci_media *m, uint64_t offset, struct zci_place *out, uint64_t *end,
                       char *why, size_t why_bytes)
{
    const struct zcs_image *image = &m->image;
    const uint32_t buffers = zcs_pixfmt_info(image->format)->buffers;
    size_t head, got;
    int whole = 1;
    zcs_status status =
        zci_walk_head(m, offset, INT64_MAX, read_first, &head, &got, why, why_bytes);
    uint64_t at = offset + ZCI_VHDR_BYTES;
    for (uint32_t b = 0; status == ZCS_OK && b < buffers; b++) {
        const size_t wanted =
            buffers == 1 ? image->size_bytes : plane_end(image, b) - image->offset_bytes[b];
        whole &= buffers == 1 ? got >= wanted : got == wanted;
        if (at > m->reader.size_bytes || got > m->reader.size_bytes - at)
            return ZCS_EOF;
        at += got;
        if (b + 1 == buffers)
            break;
        status = zci_walk_head(m, at, INT64_MAX, read_next, &head, &got, why, why_bytes);
        at += ZCI_VHDR_NEXT_BYTES;
    }
    *end = at;
    *out = (struct zci_place){.offset = offset + ZCI_VHDR_BYTES,
                              .bytes = whole ? image->size_bytes : 0};
    return status;
}

static zcs_status vhdr_count(struct zci_media *m)
{
    struct zci_place place;
    char why[160] = "";
    zcs_status status = ZCS_OK;
    uint64_t end = 0;
    m->fix = zcs_pixfmt_info(m->image.format)->buffers > 1 ? ZCI_FIX_GAPS : ZCI_FIX_NONE;
    for (m->frames = 0, m->rest_bytes = 0; status == ZCS_OK; m->frames++) {
        m->rest_bytes = m->reader.size_bytes - end;
        status = look(m, end, &place, &end, why, sizeof why);
    }
    m->frames--;
    if (status == ZCS_ERR_FORMAT)
        zci_log(m->log, ZCS_LOG_WARNING, "%s: after %" PRIu64 " frames: %s", m->reader.name,
                m->frames, why);
    return status == ZCS_EOF || status == ZCS_ERR_FORMAT ? ZCS_OK : status;
}

static zcs_status vhdr_find(struct zci_media *m, uint64_t n, int64_t deadline_ns,
                            struct zci_place *out)
{
    char why[160] = "";
    (void)deadline_ns;
    if (n < m->at_frame)
        m->at_offset = m->at_frame = 0;
    for (;;) {
        uint64_t end;
        const zcs_status status = look(m, m->at_offset, out, &end, why, sizeof why);
        if (status == ZCS_ERR_FORMAT)
            return zci_fail(m->log, status, "%s: %s", m->reader.name, why);
        if (status != ZCS_OK || m->at_frame == n)
            return status;
        m->at_offset = end;
        m->at_frame++;
    }
}

const struct zci_media_ops zci_media_vhdr = {
    .name = "v4l2-ctl", .is = vhdr_is, .count = vhdr_count, .find = vhdr_find};
