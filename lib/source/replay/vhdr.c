/* SPDX-License-Identifier: MIT */
/* Files of `v4l2-ctl --stream-to-hdr`: raw frames, each buffer preceded by its length. */
#include "source/replay/media.h"

#include <inttypes.h>
#include <stdio.h>

#include "source/replay/header_walk.h"

/* Big-endian: a magic word and the length of the first buffer. Each further buffer has its length
 * (ZCI_PLANE_HEADER_BYTES) before it. */
#define FRAME_HEADER_BYTES 8u

static uint32_t big_endian(const uint8_t *data)
{
    return (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 | data[3];
}

/* `data` has at least FRAME_HEADER_BYTES. */
static int begins_frame(const uint8_t *data)
{
    return big_endian(data) == 0x72646856; /* "rdhV" */
}

static int vhdr_is(const uint8_t *data, size_t bytes)
{
    return bytes >= FRAME_HEADER_BYTES && begins_frame(data);
}

static int read_first(struct zci_media *m, const uint8_t *data, size_t bytes, size_t *payload,
                      char *why, size_t why_bytes)
{
    (void)m;
    if (bytes < FRAME_HEADER_BYTES)
        return 0;
    *payload = big_endian(data + 4);
    if (begins_frame(data))
        return FRAME_HEADER_BYTES;
    snprintf(why, why_bytes, "expected a header of v4l2-ctl");
    return -1;
}

static int read_next(struct zci_media *m, const uint8_t *data, size_t bytes, size_t *payload,
                     char *why, size_t why_bytes)
{
    (void)m;
    (void)why;
    (void)why_bytes;
    if (bytes < ZCI_PLANE_HEADER_BYTES)
        return 0;
    *payload = big_endian(data);
    return ZCI_PLANE_HEADER_BYTES;
}

/* The offset in the image where plane `p`, a buffer of its own, ends. */
static size_t plane_end(const struct zcs_image *image, uint32_t p)
{
    return p + 1 < image->planes ? image->offset_bytes[p + 1] : image->size_bytes;
}

/* Finds the frame whose header is at `offset`, and in *end its end. A frame whose buffers have
 * other lengths than the planes of the image is incomplete: its `bytes` are 0. */
static zcs_status read_headers(struct zci_media *m, uint64_t offset, struct zci_media_frame *out,
                               uint64_t *end, char *why, size_t why_bytes)
{
    const struct zcs_image *image = &m->image;
    const uint32_t buffers = zcs_pixfmt_info(image->format)->buffers;
    size_t head, got;
    int whole = 1;
    zcs_status status =
        zci_walk_head(m, offset, INT64_MAX, read_first, &head, &got, why, why_bytes);
    uint64_t at = offset + FRAME_HEADER_BYTES;
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
        at += ZCI_PLANE_HEADER_BYTES;
    }
    *end = at;
    *out = (struct zci_media_frame){.offset = offset + FRAME_HEADER_BYTES,
                                    .bytes = whole ? image->size_bytes : 0};
    return status;
}

static zcs_status vhdr_count(struct zci_media *m)
{
    struct zci_media_frame frame;
    char why[160] = "";
    zcs_status status = ZCS_OK;
    uint64_t end = 0;
    m->conversion =
        zcs_pixfmt_info(m->image.format)->buffers > 1 ? ZCI_CONVERT_GAPS : ZCI_CONVERT_NONE;
    for (m->frames = 0, m->trailing_bytes = 0; status == ZCS_OK; m->frames++) {
        m->trailing_bytes = m->reader.size_bytes - end;
        status = read_headers(m, end, &frame, &end, why, sizeof why);
    }
    m->frames--;
    if (status == ZCS_ERR_FORMAT)
        zci_log(m->log, ZCS_LOG_WARNING, "%s: after %" PRIu64 " frames: %s", m->reader.name,
                m->frames, why);
    return status == ZCS_EOF || status == ZCS_ERR_FORMAT ? ZCS_OK : status;
}

static zcs_status vhdr_find(struct zci_media *m, uint64_t n, int64_t deadline_ns,
                            struct zci_media_frame *out)
{
    char why[160] = "";
    (void)deadline_ns;
    if (n < m->at_frame)
        m->at_offset = m->at_frame = 0;
    for (;;) {
        uint64_t end;
        const zcs_status status = read_headers(m, m->at_offset, out, &end, why, sizeof why);
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
