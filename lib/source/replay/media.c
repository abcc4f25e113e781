/* SPDX-License-Identifier: MIT */
/* Which kind a file is, whether what is asked for fits it, and raw frames, which say nothing. */
#include "source/replay/media.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "os/clock.h"
#include "core/format.h"
#include "source/replay/media_fix.h"
#include "source/replay/media_same.h"

#define PROBE_BYTES 64u

static const struct zci_media_ops *const kinds[] = {&zci_media_zcr, &zci_media_y4m,  &zci_media_png,
                                                    &zci_media_pnm, &zci_media_vhdr, NULL};

static zcs_status raw_count(struct zci_media *m)
{
    const uint64_t bytes = m->image.size_bytes;
    m->frames = m->reader.size_bytes / bytes;
    m->rest_bytes = m->reader.size_bytes % bytes;
    zci_replay_choose_way(&m->reader, 0, bytes, m->frames);
    return ZCS_OK;
}

static zcs_status raw_find(struct zci_media *m, uint64_t n, int64_t deadline_ns,
                           struct zci_place *out)
{
    (void)deadline_ns;
    *out = (struct zci_place){.offset = n * m->image.size_bytes, .bytes = m->image.size_bytes};
    return ZCS_OK;
}

const struct zci_media_ops zci_media_raw = {
    .name = "raw", .on_pipes = 1, .count = raw_count, .find = raw_find};

static zcs_status find_kind(struct zci_media *m, int64_t deadline_ns)
{
    const uint8_t *data;
    size_t bytes;
    const zcs_status status =
        zci_replay_peek(&m->reader, 0, PROBE_BYTES, deadline_ns, &data, &bytes);
    if (status != ZCS_OK)
        return status;
    for (size_t i = 0; kinds[i] != NULL; i++)
        if (kinds[i]->is(data, bytes))
            m->ops = kinds[i];
    if (m->ops == &zci_media_raw)
        m->foreign = zci_foreign(data, bytes);
    if (m->reader.is_pipe && !m->ops->on_pipes)
        return zci_fail(m->log, ZCS_ERR_ARG, "%s: a %s is read from a file, not from a pipe",
                        m->reader.name, m->ops->name);
    return m->ops->open != NULL ? m->ops->open(m, deadline_ns) : ZCS_OK;
}

zcs_status zci_media_open(struct zci_media *m, const char *name, int is_pipe, int is_stdin, int raw)
{
    m->ops = &zci_media_raw;
    m->frames = is_pipe ? UINT64_MAX : 0;
    zcs_status status = is_pipe ? zci_replay_open_pipe(&m->reader, name, is_stdin)
                                : zci_replay_open(&m->reader, name, is_stdin);
    if (status != ZCS_OK || (is_pipe && raw))
        return status;
    status = find_kind(m, INT64_MAX);
    if (status == ZCS_AGAIN)
        return zci_fail(m->log, ZCS_ERR_IO, "%s: interrupted before its first bytes came", name);
    return status;
}

void zci_media_close(struct zci_media *m)
{
    zci_replay_close(&m->reader);
    free(m->source);
    free(m->text);
    free(m->records);
    *m = zci_no_media(m->log);
}

static int sized(const struct zci_request *asked)
{
    return asked->width != 0 || asked->height != 0;
}

static zcs_status refuse_size(const struct zci_media *m, const struct zci_request *asked)
{
    return zci_fail(
        m->log, ZCS_ERR_ARG,
        "%s: size %" PRIu32 "x%" PRIu32 " was asked for, the %s has %" PRIu32 "x%" PRIu32,
        m->reader.name, asked->width, asked->height, m->ops->name, m->says.width, m->says.height);
}

static zcs_status refuse_format(const struct zci_media *m, const struct zci_request *asked)
{
    return zci_fail(m->log, ZCS_ERR_ARG, "%s: format %s was asked for, the %s has %s",
                    m->reader.name, zcs_pixfmt_info(asked->format)->name, m->ops->name,
                    zcs_pixfmt_info(m->says.format)->name);
}

static zcs_status refuse_number(const struct zci_media *m, const char *what, size_t asked,
                                size_t has)
{
    return zci_fail(m->log, ZCS_ERR_ARG, "%s: a %s of %zu was asked for, the %s has %zu",
                    m->reader.name, what, asked, m->ops->name, has);
}

/* Whether samples of the file's size may be codes of `format`. */
static int may_be(const struct zci_media *m, enum zcs_pixfmt format)
{
    const struct zci_format *row = zci_format(format);
    if (m->code_bytes == 1)
        return row->unpack == ZCI_UNPACK_U8;
    return m->code_bytes == 2 && (row->unpack == ZCI_UNPACK_U16 || row->unpack == ZCI_UNPACK_U16BE);
}

static struct zcs_color merge_color(struct zcs_color asked, struct zcs_color said)
{
    if (asked.matrix == ZCS_MATRIX_AUTO)
        asked.matrix = said.matrix;
    if (asked.range == ZCS_RANGE_AUTO)
        asked.range = said.range;
    if (asked.transfer == ZCS_TRANSFER_AUTO) {
        asked.transfer = said.transfer;
        asked.gamma_milli = said.gamma_milli;
    }
    return asked;
}

/* Big-endian words are a format of their own, and no other. */
static void choose_fix(struct zci_media *m)
{
    const struct zci_format *row = zci_format(m->image.format);
    if (m->code_bytes == 2 && row->unpack == ZCI_UNPACK_U16)
        m->fix = ZCI_FIX_SWAP;
}

/* A recording has its layout; what is asked for may only agree, or override its colour. */
static zcs_status settle_layout(struct zci_media *m, const struct zci_request *asked)
{
    const struct zcs_image *layout = &m->layout;
    if (asked->stride_bytes != 0 && asked->stride_bytes != layout->stride_bytes[0])
        return refuse_number(m, "stride", asked->stride_bytes, layout->stride_bytes[0]);
    if (asked->shift != 0 && asked->shift != layout->shift)
        return refuse_number(m, "shift", asked->shift, layout->shift);
    if (asked->bits != 0 && asked->bits != layout->bits)
        return refuse_number(m, "number of significant bits", asked->bits, layout->bits);
    m->image = *layout;
    m->image.color = merge_color(asked->color, layout->color);
    return ZCS_OK;
}

static zcs_status settle_said(struct zci_media *m, const struct zci_request *asked)
{
    struct zci_request request = *asked;
    if (sized(asked) && (asked->width != m->says.width || asked->height != m->says.height))
        return refuse_size(m, asked);
    if (asked->format != ZCS_PIXFMT_NONE && asked->format != m->says.format &&
        !may_be(m, asked->format))
        return refuse_format(m, asked);
    if (m->layout.format != ZCS_PIXFMT_NONE)
        return settle_layout(m, asked);
    const int told = asked->format != ZCS_PIXFMT_NONE && asked->format != m->says.format;
    request.format = told ? asked->format : m->says.format;
    request.width = m->says.width;
    request.height = m->says.height;
    request.color = merge_color(asked->color, told ? (struct zcs_color){0} : m->says.color);
    if (request.bits == 0 && !told && request.shift == 0)
        request.bits = m->says.bits;
    /* Who says what the codes are gets them as they are. */
    if (m->code_bytes != 0 && (told || request.shift != 0 || request.bits != 0))
        m->fix = ZCI_FIX_NONE;
    const size_t stride = zcs_image_min_stride(request.format, request.width, 0);
    if (asked->stride_bytes != 0 && asked->stride_bytes != stride)
        return refuse_number(m, "stride", asked->stride_bytes, stride);
    return zci_request_image(&request, m->reader.name, m->log, &m->image);
}

/* Frames of a kind that says nothing of them, and not enough is said in its place. */
static zcs_status refuse_untold(const struct zci_media *m, const struct zci_request *asked)
{
    if (zci_replay_is_empty(&m->reader))
        return zci_fail(m->log, ZCS_ERR_FORMAT, "%s: empty, 0 bytes", m->reader.name);
    if (m->foreign.name != NULL && !m->foreign.text)
        return zci_fail(
            m->log, ZCS_ERR_UNSUPPORTED,
            "%s: %s, which cannot be replayed; PNG, PGM and PPM in bytes (P5, P6), Y4M, "
            "recordings, v4l2-ctl's files and raw frames can",
            m->reader.name, m->foreign.name);
    return zci_fail(m->log, ZCS_ERR_ARG, "%s: %s%s frames need %s", m->reader.name,
                    m->foreign.name != NULL ? "reads like text; " : "", m->ops->name,
                    sized(asked) ? "a format, such as YUYV"
                    : asked->format != ZCS_PIXFMT_NONE
                        ? "a size, such as 640x480"
                        : "a format and a size, such as YUYV and 640x480");
}

void zci_media_doubt(const struct zci_media *m)
{
    const struct zcs_image *image = &m->image;
    if (m->foreign.name != NULL)
        zci_log(m->log, ZCS_LOG_WARNING,
                "%s: begins like %s; taken for raw frames of %s %" PRIu32 "x%" PRIu32
                ", as asked for",
                m->reader.name, m->foreign.name, zcs_pixfmt_info(image->format)->name, image->width,
                image->height);
}

zcs_status zci_media_settle(struct zci_media *m, const struct zci_request *asked)
{
    zcs_status status;
    if (m->says.format != ZCS_PIXFMT_NONE)
        status = settle_said(m, asked);
    else if (asked->format == ZCS_PIXFMT_NONE || !sized(asked))
        status = refuse_untold(m, asked);
    else
        status = zci_request_image(asked, m->reader.name, m->log, &m->image);
    if (status == ZCS_OK)
        choose_fix(m);
    if (status == ZCS_OK && !m->reader.is_pipe)
        status = m->ops->count(m);
    return status;
}

/* An empty file is whatever the others are: a frame that was never written. */
static void take_after(struct zci_media *m, const struct zci_media *first)
{
    m->ops = first->ops;
    m->says = first->says;
    m->layout = first->layout;
    m->code_bytes = first->code_bytes;
    m->max = first->max;
    m->fps_num = first->fps_num;
    m->fps_den = first->fps_den;
    m->reader.reason = first->reader.reason;
    m->image = first->image;
    m->fix = first->fix;
}

zcs_status zci_media_follow(struct zci_media *m, const struct zci_media *first)
{
    if (zci_replay_is_empty(&m->reader)) {
        take_after(m, first);
        return ZCS_OK;
    }
    const zcs_status status = zci_media_check_same(m, first);
    if (status != ZCS_OK)
        return status;
    m->image = first->image;
    m->fix = first->fix;
    return m->ops->count(m);
}

size_t zci_media_frame_bytes(const struct zci_media *m)
{
    return zci_fix_file_bytes(m->fix, &m->image);
}

int zci_media_touches(const struct zci_media *m)
{
    return m->fix != ZCI_FIX_NONE || m->ops->read != NULL;
}

zcs_status zci_media_read(struct zci_media *m, const struct zci_place *place, int64_t deadline_ns,
                          struct zci_slot *slot)
{
    if (m->ops->read != NULL)
        return m->ops->read(m, slot);
    const zcs_status status =
        zci_replay_read(&m->reader, place->offset, zci_media_frame_bytes(m), deadline_ns, slot);
    if (status != ZCS_OK || m->fix == ZCI_FIX_NONE)
        return status;
    zci_fix_apply(m->fix, &m->image, m->max, slot->memory.host);
    slot->frame.cpu_bytes_copied += m->image.size_bytes;
    return ZCS_OK;
}
