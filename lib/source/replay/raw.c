/* SPDX-License-Identifier: MIT */
/* Raw frames: where they are in a file or a pipe, with the bytes around them that are skipped. */
#include "source/replay/media.h"

#include "source/replay/stride_guess.h"

static uint64_t step_of(const struct zci_media *m)
{
    return (uint64_t)m->framing.header + m->image.size_bytes + m->framing.footer;
}

/* The offset of the pixels of frame `n`. */
static uint64_t offset_of(const struct zci_media *m, uint64_t n)
{
    return m->framing.offset + m->framing.header + n * step_of(m);
}

/* The last frame may lack its footer, or a part of it. */
static zcs_status raw_count(struct zci_media *m)
{
    const uint64_t bytes = m->reader.size_bytes, offset = m->framing.offset;
    const uint64_t available = bytes > offset ? bytes - offset : 0;
    m->frames = (available + m->framing.footer) / step_of(m);
    const uint64_t used = m->frames * step_of(m);
    m->trailing_bytes = available > used ? available - used : 0;
    zci_reader_choose_path(&m->reader, offset_of(m, 0), step_of(m), m->frames);
    return ZCS_OK;
}

static void raw_check_rows(struct zci_media *m)
{
    const uint64_t footer = m->framing.footer, bytes = m->reader.size_bytes;
    const struct zci_raw_span span = {.first = offset_of(m, 0),
                                      .end = bytes > footer ? bytes - footer : 0,
                                      .between = m->framing.header + footer};
    const size_t stride = zci_stride_guess(&m->reader, &m->image, &span);
    if (stride != 0)
        zci_log(m->log, ZCS_LOG_WARNING,
                "%s: rows look %zu bytes apart, not %zu: is it --stride %zu?", m->reader.name,
                stride, m->image.stride_bytes[0], stride);
}

/* Takes m->pipe_skip bytes from the pipe; `*taken` grows by what was taken. */
static zcs_status skip(struct zci_media *m, int64_t deadline_ns, uint64_t *taken)
{
    while (m->pipe_skip > 0) {
        const size_t want = m->pipe_skip < ZCI_PEEK_BYTES ? (size_t)m->pipe_skip : ZCI_PEEK_BYTES;
        const uint8_t *data;
        size_t got;
        const zcs_status status = zci_reader_peek(&m->reader, 0, want, deadline_ns, &data, &got);
        if (status != ZCS_OK)
            return status;
        if (got == 0)
            return ZCS_EOF;
        const size_t now = got < want ? got : want;
        zci_reader_take(&m->reader, now);
        m->pipe_skip -= now;
        *taken += now;
    }
    return ZCS_OK;
}

/* The footer of the frame before is skipped first: a pipe may end within it. `offset` of the result
 * counts the bytes that belong to this frame. */
static zcs_status pipe_find(struct zci_media *m, uint64_t n, int64_t deadline_ns)
{
    uint64_t other = 0;
    if (!m->has_pipe_frame) {
        m->pipe_frame = (struct zci_media_frame){.bytes = 0};
        m->pipe_skip = n == 0 ? m->framing.offset : m->framing.footer;
        m->has_pipe_frame = 1;
    }
    if (m->pipe_frame.bytes == 0) {
        const zcs_status status = skip(m, deadline_ns, n == 0 ? &m->pipe_frame.offset : &other);
        if (status != ZCS_OK)
            return status;
        m->pipe_frame.bytes = m->image.size_bytes;
        m->pipe_skip = m->framing.header;
    }
    return skip(m, deadline_ns, &m->pipe_frame.offset);
}

static zcs_status raw_find(struct zci_media *m, uint64_t n, int64_t deadline_ns,
                           struct zci_media_frame *out)
{
    zcs_status status = ZCS_OK;
    if (m->reader.is_pipe && zci_framing_is_set(&m->framing)) {
        status = pipe_find(m, n, deadline_ns);
        *out = m->pipe_frame;
    } else {
        *out = (struct zci_media_frame){.offset = offset_of(m, n), .bytes = m->image.size_bytes};
    }
    return status;
}

const struct zci_media_ops zci_media_raw = {.name = "raw",
                                            .on_pipes = 1,
                                            .check_rows = raw_check_rows,
                                            .count = raw_count,
                                            .find = raw_find};
