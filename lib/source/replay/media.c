/* SPDX-License-Identifier: MIT */
/* Finding the type of a file, checking the requested image against it, and conversions. */
#include "source/replay/media.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/format.h"

static const struct zci_media_ops *const types[] = {&zci_media_zcr, &zci_media_y4m,  &zci_media_png,
                                                    &zci_media_pnm, &zci_media_vhdr, NULL};

/* File types that cannot be decoded, named in errors. */
struct signature {
    const char *name;
    size_t offset, bytes;
    const char *data;
};

static const struct signature signatures[] = {
    {"a JPEG", 0, 3, "\xff\xd8\xff"},
    {"a TIFF", 0, 4, "II*\0"},
    {"a TIFF", 0, 4, "MM\0*"},
    {"a GIF", 0, 4, "GIF8"},
    {"an AVI", 8, 4, "AVI "},
    {"a WebP", 8, 4, "WEBP"},
    {"an MP4", 4, 4, "ftyp"},
    {"a Matroska", 0, 4, "\x1a\x45\xdf\xa3"},
    {"a PBM of bits (P4)", 0, 3, "P4\n"},
    {"a PAM (P7)", 0, 3, "P7\n"},
    {"a gzip", 0, 3, "\x1f\x8b\x08"},
};

static int is_space(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* Printable bytes with white space among them: equal bytes, as of a grey image, are not text. */
static int is_text(const uint8_t *data, size_t bytes)
{
    size_t spaces = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (!is_space(data[i]) && (data[i] < ' ' || data[i] > '~'))
            return 0;
        spaces += is_space(data[i]) != 0;
    }
    return spaces > 0 && spaces < bytes;
}

static struct zci_file_type guess_type(const uint8_t *data, size_t bytes)
{
    static const char *const ascii_types[] = {"a PBM in text (P1)", "a PGM in text (P2)",
                                              "a PPM in text (P3)"};
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        const struct signature *s = &signatures[i];
        if (s->offset + s->bytes <= bytes && memcmp(data + s->offset, s->data, s->bytes) == 0)
            return (struct zci_file_type){s->name, 0};
    }
    if (bytes >= 3 && data[0] == 'P' && data[1] >= '1' && data[1] <= '3' && is_space(data[2]))
        return (struct zci_file_type){ascii_types[data[1] - '1'], 0};
    return (struct zci_file_type){is_text(data, bytes) ? "a text" : NULL, 1};
}

int zci_media_is_known(const uint8_t *data, size_t bytes)
{
    for (size_t i = 0; types[i] != NULL; i++)
        if (types[i]->is(data, bytes))
            return 1;
    return 0;
}

static zcs_status find_type(struct zci_media *m, int64_t deadline_ns)
{
    const uint8_t *data;
    size_t bytes;
    const zcs_status status =
        zci_reader_peek(&m->reader, 0, ZCI_PROBE_BYTES, deadline_ns, &data, &bytes);
    if (status != ZCS_OK)
        return status;
    for (size_t i = 0; types[i] != NULL; i++)
        if (types[i]->is(data, bytes))
            m->ops = types[i];
    if (m->ops == &zci_media_raw)
        m->type = guess_type(data, bytes);
    if (m->reader.is_pipe && !m->ops->on_pipes)
        return zci_fail(m->log, ZCS_ERR_ARG, "%s: a %s is read from a file, not from a pipe",
                        m->reader.name, m->ops->name);
    return m->ops->open != NULL ? m->ops->open(m, deadline_ns) : ZCS_OK;
}

zcs_status zci_media_open(struct zci_media *m, const char *name, int is_pipe, int is_stdin, int raw)
{
    m->ops = &zci_media_raw;
    m->frames = is_pipe ? UINT64_MAX : 0;
    zcs_status status = is_pipe ? zci_reader_open_pipe(&m->reader, name, is_stdin)
                                : zci_reader_open_file(&m->reader, name, is_stdin);
    if (status != ZCS_OK || (is_pipe && raw) || zci_framing_is_set(&m->framing))
        return status;
    status = find_type(m, INT64_MAX);
    if (status == ZCS_AGAIN)
        return zci_fail(m->log, ZCS_ERR_IO, "%s: interrupted before its first bytes arrived", name);
    return status;
}

void zci_media_close(struct zci_media *m)
{
    zci_reader_close(&m->reader);
    free(m->source);
    free(m->text);
    free(m->records);
    const struct zci_framing framing = m->framing;
    *m = zci_no_media(m->log, &framing);
}

static int has_size(const struct zci_request *requested)
{
    return requested->width != 0 || requested->height != 0;
}

static zcs_status refuse_size(const struct zci_media *m, const struct zci_request *requested)
{
    return zci_fail(m->log, ZCS_ERR_ARG,
                    "%s: size %" PRIu32 "x%" PRIu32 " was requested, the %s has %" PRIu32
                    "x%" PRIu32,
                    m->reader.name, requested->width, requested->height, m->ops->name,
                    m->declared.width, m->declared.height);
}

static zcs_status refuse_format(const struct zci_media *m, const struct zci_request *requested)
{
    return zci_fail(m->log, ZCS_ERR_ARG, "%s: format %s was requested, the %s has %s",
                    m->reader.name, zcs_pixfmt_info(requested->format)->name, m->ops->name,
                    zcs_pixfmt_info(m->declared.format)->name);
}

static zcs_status refuse_number(const struct zci_media *m, const char *what, size_t requested,
                                size_t has)
{
    return zci_fail(m->log, ZCS_ERR_ARG, "%s: a %s of %zu was requested, the %s has %zu",
                    m->reader.name, what, requested, m->ops->name, has);
}

/* Whether the samples can be reinterpreted as `format`, of the same sample size. */
static int can_reinterpret(const struct zci_media *m, enum zcs_pixfmt format)
{
    const struct zci_format *row = zci_format(format);
    if (m->code_bytes == 1)
        return row->unpack == ZCI_UNPACK_U8;
    return m->code_bytes == 2 && (row->unpack == ZCI_UNPACK_U16 || row->unpack == ZCI_UNPACK_U16BE);
}

static struct zcs_color merge_color(struct zcs_color requested, struct zcs_color declared)
{
    if (requested.matrix == ZCS_MATRIX_AUTO)
        requested.matrix = declared.matrix;
    if (requested.range == ZCS_RANGE_AUTO)
        requested.range = declared.range;
    if (requested.transfer == ZCS_TRANSFER_AUTO) {
        requested.transfer = declared.transfer;
        requested.gamma_milli = declared.gamma_milli;
    }
    return requested;
}

/* Grey words of a file are big-endian. Only Y16_BE takes them as they are. */
static void choose_swap(struct zci_media *m)
{
    const struct zci_format *row = zci_format(m->image.format);
    if (m->code_bytes == 2 && row->unpack == ZCI_UNPACK_U16)
        m->conversion = ZCI_CONVERT_SWAP;
}

/* A request must agree with the layout of the recording, but may override its colour. */
static zcs_status set_recorded_image(struct zci_media *m, const struct zci_request *requested)
{
    const struct zcs_image *layout = &m->layout;
    if (requested->stride_bytes != 0 && requested->stride_bytes != layout->stride_bytes[0])
        return refuse_number(m, "stride", requested->stride_bytes, layout->stride_bytes[0]);
    if (requested->shift != 0 && requested->shift != layout->shift)
        return refuse_number(m, "shift", requested->shift, layout->shift);
    if (requested->bits != 0 && requested->bits != layout->bits)
        return refuse_number(m, "number of significant bits", requested->bits, layout->bits);
    m->image = *layout;
    m->image.color = merge_color(requested->color, layout->color);
    return ZCS_OK;
}

static zcs_status set_declared_image(struct zci_media *m, const struct zci_request *requested)
{
    struct zci_request request = *requested;
    if (has_size(requested) &&
        (requested->width != m->declared.width || requested->height != m->declared.height))
        return refuse_size(m, requested);
    if (requested->format != ZCS_PIXFMT_NONE && requested->format != m->declared.format &&
        !can_reinterpret(m, requested->format))
        return refuse_format(m, requested);
    if (zci_request_has_planes(requested))
        return zci_fail(m->log, ZCS_ERR_ARG,
                        "%s: a layout of planes was requested, the %s has its own", m->reader.name,
                        m->ops->name);
    if (m->layout.format != ZCS_PIXFMT_NONE)
        return set_recorded_image(m, requested);
    const int reinterpreted =
        requested->format != ZCS_PIXFMT_NONE && requested->format != m->declared.format;
    request.format = reinterpreted ? requested->format : m->declared.format;
    request.width = m->declared.width;
    request.height = m->declared.height;
    request.color =
        merge_color(requested->color, reinterpreted ? (struct zcs_color){0} : m->declared.color);
    if (request.bits == 0 && !reinterpreted && request.shift == 0)
        request.bits = m->declared.bits;
    /* A request that defines the codes gets them unconverted. */
    if (m->code_bytes != 0 && (reinterpreted || request.shift != 0 || request.bits != 0))
        m->conversion = ZCI_CONVERT_NONE;
    const size_t stride = zcs_image_min_stride(request.format, request.width, 0);
    if (requested->stride_bytes != 0 && requested->stride_bytes != stride)
        return refuse_number(m, "stride", requested->stride_bytes, stride);
    return zci_request_image(&request, m->reader.name, m->log, &m->image);
}

/* The file does not declare an image, and the request is incomplete. */
static zcs_status refuse_undeclared(const struct zci_media *m, const struct zci_request *requested)
{
    if (zci_reader_is_empty(&m->reader))
        return zci_fail(m->log, ZCS_ERR_FORMAT, "%s: empty, 0 bytes", m->reader.name);
    if (m->type.name != NULL && !m->type.is_text)
        return zci_fail(
            m->log, ZCS_ERR_UNSUPPORTED,
            "%s: %s, which cannot be replayed; PNG, PGM and PPM in bytes (P5, P6), Y4M, "
            "recordings, v4l2-ctl's files and raw frames can",
            m->reader.name, m->type.name);
    return zci_fail(m->log, ZCS_ERR_ARG, "%s: %s%s frames need %s", m->reader.name,
                    m->type.name != NULL ? "looks like text; " : "", m->ops->name,
                    has_size(requested) ? "a format, such as YUYV"
                    : requested->format != ZCS_PIXFMT_NONE
                        ? "a size, such as 640x480"
                        : "a format and a size, such as YUYV and 640x480");
}

void zci_media_warn_type(const struct zci_media *m)
{
    const struct zcs_image *image = &m->image;
    if (m->type.name != NULL)
        zci_log(m->log, ZCS_LOG_WARNING,
                "%s: looks like %s; read as raw frames of %s %" PRIu32 "x%" PRIu32 ", as requested",
                m->reader.name, m->type.name, zcs_pixfmt_info(image->format)->name, image->width,
                image->height);
    if (m->unread_pictures != 0)
        zci_log(m->log, ZCS_LOG_WARNING,
                "%s: has %" PRIu64 " pictures, as an animation or one behind another: only the "
                "first is read, %" PRIu64 " left",
                m->reader.name, m->unread_pictures + 1, m->unread_pictures);
    else if (m->unused_bytes != 0)
        zci_log(m->log, ZCS_LOG_WARNING,
                "%s: %" PRIu64 " bytes after the end of its picture: not used", m->reader.name,
                m->unused_bytes);
}

void zci_media_log_texts(const struct zci_media *m)
{
    const char *text = m->text != NULL ? m->text : "";
    if (m->source != NULL && m->source[0] != '\0')
        zci_log(m->log, ZCS_LOG_INFO, "%s: recorded from %s", m->reader.name, m->source);
    while (*text != '\0') {
        const size_t bytes = strcspn(text, "\n");
        zci_log(m->log, ZCS_LOG_INFO, "%s: recorded with %.*s", m->reader.name, (int)bytes, text);
        text += bytes + (text[bytes] == '\n');
    }
}

zcs_status zci_media_set_image(struct zci_media *m, const struct zci_request *requested)
{
    zcs_status status;
    if (m->declared.format != ZCS_PIXFMT_NONE)
        status = set_declared_image(m, requested);
    else if (requested->format == ZCS_PIXFMT_NONE || !has_size(requested))
        status = refuse_undeclared(m, requested);
    else
        status = zci_request_image(requested, m->reader.name, m->log, &m->image);
    if (status == ZCS_OK)
        choose_swap(m);
    if (status == ZCS_OK && m->ops->check_rows != NULL && !m->reader.is_pipe &&
        requested->stride_bytes == 0 && !zci_request_has_planes(requested))
        m->ops->check_rows(m);
    if (status == ZCS_OK && !m->reader.is_pipe)
        status = m->ops->count(m);
    return status;
}

struct description {
    char text[64];
};

/* The type of `m` with its image: the declared one, of raw frames the requested one. */
static struct description describe(const struct zci_media *m)
{
    const int has_declared = m->declared.format != ZCS_PIXFMT_NONE;
    const struct zcs_pixfmt_info *info =
        zcs_pixfmt_info(has_declared ? m->declared.format : m->image.format);
    struct description out;
    if (info == NULL)
        snprintf(out.text, sizeof out.text, "%s frames", m->ops->name);
    else
        snprintf(out.text, sizeof out.text, "%s %s %" PRIu32 "x%" PRIu32, m->ops->name, info->name,
                 has_declared ? m->declared.width : m->image.width,
                 has_declared ? m->declared.height : m->image.height);
    return out;
}

static int same_image(const struct zci_media *a, const struct zci_media *b)
{
    return a->ops == b->ops && a->declared.format == b->declared.format &&
           a->declared.width == b->declared.width && a->declared.height == b->declared.height;
}

static zcs_status refuse_difference(const struct zci_media *m, const char *what, uint64_t number,
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
        return refuse_difference(m, "its number of significant bits", a->bits, b->bits);
    if (a->shift != b->shift)
        return refuse_difference(m, "its shift", a->shift, b->shift);
    for (int p = 0; p < ZCS_MAX_PLANES; p++) {
        if (a->stride_bytes[p] != b->stride_bytes[p])
            return refuse_difference(m, "its stride", a->stride_bytes[p], b->stride_bytes[p]);
        if (a->offset_bytes[p] != b->offset_bytes[p])
            return refuse_difference(m, "the offset of its planes", a->offset_bytes[p],
                                     b->offset_bytes[p]);
    }
    if (a->size_bytes != b->size_bytes)
        return refuse_difference(m, "the size of its frames", a->size_bytes, b->size_bytes);
    return ZCS_OK;
}

static zcs_status check_same(const struct zci_media *m, const struct zci_media *first)
{
    if (!same_image(m, first))
        return zci_fail(m->log, ZCS_ERR_FORMAT, "%s: %s, but the first file is %s", m->reader.name,
                        m->type.name != NULL ? m->type.name : describe(m).text,
                        describe(first).text);
    if (m->max != first->max)
        return refuse_difference(m, "its maximum value", m->max, first->max);
    if (m->declared.bits != first->declared.bits)
        return refuse_difference(m, "its number of significant bits", m->declared.bits,
                                 first->declared.bits);
    /* The planes of Y4M frames differ in the file, though the images that they become do not. */
    if (m->ops == &zci_media_y4m && m->conversion != first->conversion)
        return zci_fail(m->log, ZCS_ERR_FORMAT,
                        "%s: its colour space C411, C444alpha or of 9 bits is not that of the "
                        "first file, or is that of the first file only",
                        m->reader.name);
    return check_layout(m, &m->layout, &first->layout);
}

/* An empty file is of the same type as the others: one frame of it was never written. */
static void copy_type(struct zci_media *m, const struct zci_media *first)
{
    m->ops = first->ops;
    m->declared = first->declared;
    m->layout = first->layout;
    m->code_bytes = first->code_bytes;
    m->max = first->max;
    m->fps_num = first->fps_num;
    m->fps_den = first->fps_den;
    m->reader.reason = first->reader.reason;
    m->image = first->image;
    m->conversion = first->conversion;
}

zcs_status zci_media_match(struct zci_media *m, const struct zci_media *first)
{
    if (zci_reader_is_empty(&m->reader)) {
        copy_type(m, first);
        return ZCS_OK;
    }
    const zcs_status status = check_same(m, first);
    if (status != ZCS_OK)
        return status;
    m->image = first->image;
    m->conversion = first->conversion;
    return m->ops->count(m);
}

size_t zci_media_frame_bytes(const struct zci_media *m)
{
    return zci_conversion_file_bytes(m->conversion, &m->image);
}

int zci_media_converts(const struct zci_media *m)
{
    return m->conversion != ZCI_CONVERT_NONE || m->ops->read != NULL;
}

zcs_status zci_media_read(struct zci_media *m, const struct zci_media_frame *frame,
                          int64_t deadline_ns, struct zci_slot *slot)
{
    if (m->ops->read != NULL)
        return m->ops->read(m, slot);
    const zcs_status status =
        zci_reader_read(&m->reader, frame->offset, zci_media_frame_bytes(m), deadline_ns, slot);
    if (status != ZCS_OK || m->conversion == ZCI_CONVERT_NONE)
        return status;
    zci_convert(m->conversion, &m->image, m->max, slot->memory.host);
    slot->frame.cpu_bytes_copied += m->image.size_bytes;
    return ZCS_OK;
}
