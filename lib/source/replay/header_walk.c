/* SPDX-License-Identifier: MIT */
/* Files with a header before each frame: counting and finding frames from header to header. */
#include "source/replay/header_walk.h"

#include <inttypes.h>
#include <stdio.h>

#define FIRST_PEEK 128u
#define PROBES 32u /* headers that are read of a file whose frames are not counted one by one */

zcs_status zci_walk_head(struct zci_media *m, uint64_t offset, int64_t deadline_ns,
                         zci_header_fn read, size_t *head, size_t *payload, char *why,
                         size_t why_bytes)
{
    /* A pipe may hold only the header for now, so wait for one byte more at a time. */
    size_t want = m->reader.is_pipe ? 1 : FIRST_PEEK;
    for (;;) {
        const uint8_t *data;
        size_t bytes;
        const zcs_status status =
            zci_reader_peek(&m->reader, offset, want, deadline_ns, &data, &bytes);
        if (status != ZCS_OK)
            return status;
        if (bytes == 0)
            return ZCS_EOF;
        const int got = read(m, data, bytes, payload, why, why_bytes);
        if (got != 0) {
            *head = got > 0 ? (size_t)got : 0;
            return got > 0 ? ZCS_OK : ZCS_ERR_FORMAT;
        }
        if (bytes < want)
            return ZCS_EOF;
        if (bytes == ZCI_PEEK_BYTES) {
            snprintf(why, why_bytes, "the header has more than %u bytes", ZCI_PEEK_BYTES);
            return ZCS_ERR_FORMAT;
        }
        want = m->reader.is_pipe ? bytes + 1 : ZCI_PEEK_BYTES;
    }
}

zcs_status zci_walk_open(struct zci_media *m, int64_t deadline_ns, zci_header_fn read, size_t *head)
{
    size_t payload;
    char why[160] = "";
    const zcs_status status =
        zci_walk_head(m, 0, deadline_ns, read, head, &payload, why, sizeof why);
    if (status == ZCS_EOF)
        return zci_fail(m->log, ZCS_ERR_FORMAT, "%s: ends within the header of a %s",
                        m->reader.name, m->ops->name);
    if (status == ZCS_ERR_FORMAT)
        return zci_fail(m->log, status, "%s: %s", m->reader.name, why);
    return status;
}

/* Reads the header at at_offset. ZCS_EOF: the frame is incomplete. */
static zcs_status read_header(struct zci_media *m, struct zci_media_frame *out, char *why,
                              size_t why_bytes)
{
    size_t head = 0, payload = 0;
    const zcs_status status = zci_walk_head(m, m->at_offset, INT64_MAX, m->ops->frame_head, &head,
                                            &payload, why, why_bytes);
    if (status != ZCS_OK)
        return status;
    const uint64_t left = m->reader.size_bytes - m->at_offset;
    if (head > left || payload > left - head)
        return ZCS_EOF;
    *out = (struct zci_media_frame){.offset = m->at_offset + head, .bytes = payload};
    return ZCS_OK;
}

static void step(struct zci_media *m, const struct zci_media_frame *frame)
{
    m->at_offset = frame->offset + frame->bytes;
    m->at_frame++;
}

/* ZCS_OK: a frame of the expected size, with a header of `head` bytes, is at `offset`. ZCS_EOF or
 * ZCS_ERR_FORMAT: it is not. */
static zcs_status probe_frame(struct zci_media *m, uint64_t offset, size_t head)
{
    char why[160];
    size_t got = 0, payload = 0;
    const zcs_status status =
        zci_walk_head(m, offset, INT64_MAX, m->ops->frame_head, &got, &payload, why, sizeof why);
    if (status != ZCS_OK)
        return status;
    return got == head && payload == zci_media_frame_bytes(m) ? ZCS_OK : ZCS_EOF;
}

/* Sets m->frames to the number of frames of a long file whose headers are equally long, as far as
 * PROBES of them tell: opening such a file takes the same time at any length. ZCS_EOF or
 * ZCS_ERR_FORMAT: the frames must be counted. */
static zcs_status calculate_count(struct zci_media *m)
{
    struct zci_media_frame frame;
    char why[160] = "";
    m->at_offset = m->first;
    m->at_frame = 0;
    zcs_status status = read_header(m, &frame, why, sizeof why);
    if (status != ZCS_OK || frame.bytes == 0)
        return status == ZCS_OK ? ZCS_EOF : status;
    const size_t head = (size_t)(frame.offset - m->first);
    const uint64_t step = head + frame.bytes, count = (m->reader.size_bytes - m->first) / step;
    if (count <= PROBES)
        return ZCS_EOF;
    for (uint64_t i = 0; i < PROBES && status == ZCS_OK; i++)
        status = probe_frame(m, m->first + (count - 1 - i * (count / PROBES)) * step, head);
    if (status == ZCS_OK) {
        m->frames = count;
        m->trailing_bytes = m->reader.size_bytes - m->first - count * step;
    }
    return status;
}

/* The file ends at an invalid header. If that is the first one, it is an error. */
zcs_status zci_walk_count(struct zci_media *m)
{
    struct zci_media_frame frame;
    char why[160] = "";
    zcs_status status = calculate_count(m);
    m->is_calculated = status == ZCS_OK;
    m->at_offset = m->first;
    m->at_frame = 0;
    if (status != ZCS_EOF && status != ZCS_ERR_FORMAT)
        return status;
    status = ZCS_OK;
    while (status == ZCS_OK) {
        status = read_header(m, &frame, why, sizeof why);
        if (status == ZCS_OK)
            step(m, &frame);
    }
    if (status == ZCS_ERR_FORMAT && m->at_frame == 0)
        return zci_fail(m->log, status, "%s: %s", m->reader.name, why);
    if (status == ZCS_ERR_FORMAT)
        zci_log(m->log, ZCS_LOG_WARNING, "%s: after %" PRIu64 " frames: %s", m->reader.name,
                m->at_frame, why);
    m->frames = m->at_frame;
    m->trailing_bytes = m->reader.size_bytes - m->at_offset;
    m->at_offset = m->first;
    m->at_frame = 0;
    return status == ZCS_EOF || status == ZCS_ERR_FORMAT ? ZCS_OK : status;
}

/* The calculated count was too high: the file ends at this header, as if it had been counted. */
static zcs_status end_early(struct zci_media *m, const char *why)
{
    zci_log(m->log, ZCS_LOG_WARNING, "%s: after %" PRIu64 " frames: %s", m->reader.name,
            m->at_frame, why);
    m->frames = m->at_frame;
    m->trailing_bytes = m->reader.size_bytes - m->at_offset;
    return ZCS_EOF;
}

static zcs_status find_in_file(struct zci_media *m, uint64_t n, struct zci_media_frame *out)
{
    char why[160];
    if (n < m->at_frame) {
        m->at_offset = m->first;
        m->at_frame = 0;
    }
    for (;;) {
        const zcs_status status = read_header(m, out, why, sizeof why);
        if (status == ZCS_ERR_FORMAT && m->is_calculated)
            return end_early(m, why);
        if (status == ZCS_ERR_FORMAT)
            return zci_fail(m->log, status, "%s: frame %" PRIu64 ": %s", m->reader.name,
                            m->at_frame, why);
        if (status != ZCS_OK || m->at_frame == n)
            return status;
        step(m, out);
    }
}

static zcs_status find_in_pipe(struct zci_media *m, uint64_t n, int64_t deadline_ns,
                               struct zci_media_frame *out)
{
    char why[160];
    size_t head = 0, payload = 0;
    if (!m->has_pipe_frame) {
        const zcs_status status =
            zci_walk_head(m, 0, deadline_ns, m->ops->frame_head, &head, &payload, why, sizeof why);
        if (status == ZCS_ERR_FORMAT)
            return zci_fail(m->log, status, "%s: after %" PRIu64 " frames: %s", m->reader.name, n,
                            why);
        if (status != ZCS_OK)
            return status;
        zci_reader_take(&m->reader, head);
        m->pipe_frame = (struct zci_media_frame){.offset = head, .bytes = payload};
        m->has_pipe_frame = 1;
    }
    *out = m->pipe_frame;
    return ZCS_OK;
}

zcs_status zci_walk_find(struct zci_media *m, uint64_t n, int64_t deadline_ns,
                         struct zci_media_frame *out)
{
    return m->reader.is_pipe ? find_in_pipe(m, n, deadline_ns, out) : find_in_file(m, n, out);
}
