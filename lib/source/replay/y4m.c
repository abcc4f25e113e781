/* SPDX-License-Identifier: MIT */
/* YUV4MPEG2 (Y4M): parsing its stream and frame headers, and its frames as media. */
#include "source/replay/y4m.h"

#include <stdio.h>
#include <string.h>

#include "source/replay/header_walk.h"

static const char sited_left[] = "chroma sited at the left (mpeg2)";
static const char sited_center[] = "chroma sited at the centre (jpeg)";
static const char sited_paldv[] = "chroma sited at the top left, alternating by line (paldv)";

struct colorspace {
    const char *name;
    enum zcs_pixfmt format;
    uint32_t bits;
    const char *siting;
    enum zci_conversion conversion; /* of its planes to those of `format` */
};

// clang-format off
static const struct colorspace colorspaces[] = {
    {"420jpeg",  ZCS_PIXFMT_YUV420,    0, sited_center, ZCI_CONVERT_NONE},
    {"420mpeg2", ZCS_PIXFMT_YUV420,    0, sited_left, ZCI_CONVERT_NONE},
    {"420paldv", ZCS_PIXFMT_YUV420,    0, sited_paldv, ZCI_CONVERT_NONE},
    {"420",      ZCS_PIXFMT_YUV420,    0, sited_center, ZCI_CONVERT_NONE},
    {"422",      ZCS_PIXFMT_YUV422P,   0, NULL, ZCI_CONVERT_NONE},
    {"444",      ZCS_PIXFMT_YUV444M,   0, NULL, ZCI_CONVERT_NONE},
    {"411",      ZCS_PIXFMT_YUV422P,   0, NULL, ZCI_CONVERT_411},
    {"444alpha", ZCS_PIXFMT_YUV444M,   0, NULL, ZCI_CONVERT_DROP_ALPHA},
    {"420p9",    ZCS_PIXFMT_YUV420P10, 0, NULL, ZCI_CONVERT_9_BITS},
    {"422p9",    ZCS_PIXFMT_YUV422P10, 0, NULL, ZCI_CONVERT_9_BITS},
    {"444p9",    ZCS_PIXFMT_YUV444P10, 0, NULL, ZCI_CONVERT_9_BITS},
    {"mono",     ZCS_PIXFMT_GREY,      0, NULL, ZCI_CONVERT_NONE},
    {"420p10",   ZCS_PIXFMT_YUV420P10, 0, NULL, ZCI_CONVERT_NONE},
    {"420p12",   ZCS_PIXFMT_YUV420P12, 0, NULL, ZCI_CONVERT_NONE},
    {"420p14",   ZCS_PIXFMT_YUV420P14, 0, NULL, ZCI_CONVERT_NONE},
    {"420p16",   ZCS_PIXFMT_YUV420P16, 0, NULL, ZCI_CONVERT_NONE},
    {"422p10",   ZCS_PIXFMT_YUV422P10, 0, NULL, ZCI_CONVERT_NONE},
    {"422p12",   ZCS_PIXFMT_YUV422P12, 0, NULL, ZCI_CONVERT_NONE},
    {"422p14",   ZCS_PIXFMT_YUV422P14, 0, NULL, ZCI_CONVERT_NONE},
    {"422p16",   ZCS_PIXFMT_YUV422P16, 0, NULL, ZCI_CONVERT_NONE},
    {"444p10",   ZCS_PIXFMT_YUV444P10, 0, NULL, ZCI_CONVERT_NONE},
    {"444p12",   ZCS_PIXFMT_YUV444P12, 0, NULL, ZCI_CONVERT_NONE},
    {"444p14",   ZCS_PIXFMT_YUV444P14, 0, NULL, ZCI_CONVERT_NONE},
    {"444p16",   ZCS_PIXFMT_YUV444P16, 0, NULL, ZCI_CONVERT_NONE},
    {"mono9",    ZCS_PIXFMT_Y10,       9, NULL, ZCI_CONVERT_NONE},
    {"mono10",   ZCS_PIXFMT_Y10,       0, NULL, ZCI_CONVERT_NONE},
    {"mono12",   ZCS_PIXFMT_Y12,       0, NULL, ZCI_CONVERT_NONE},
    {"mono14",   ZCS_PIXFMT_Y14,       0, NULL, ZCI_CONVERT_NONE},
    {"mono16",   ZCS_PIXFMT_Y16,       0, NULL, ZCI_CONVERT_NONE},
};
// clang-format on

struct word {
    const char *text;
    size_t length;
};

static int is_word(struct word w, const char *text)
{
    return strlen(text) == w.length && memcmp(w.text, text, w.length) == 0;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* `text` is in small letters. */
static int is_word_in_any_case(struct word w, const char *text)
{
    size_t i = 0;
    while (i < w.length && text[i] != '\0' && lower(w.text[i]) == text[i])
        i++;
    return i == w.length && text[i] == '\0';
}

/* Parses a decimal number up to `end` and moves *text past it. 0: none, or above `max`. */
static int take_number(const char **text, const char *end, uint32_t max, uint32_t *out)
{
    const char *at = *text;
    uint64_t value = 0;
    while (at < end && *at >= '0' && *at <= '9' && value <= max)
        value = value * 10 + (uint64_t)(*at++ - '0');
    if (at == *text || value > max)
        return 0;
    *text = at;
    *out = (uint32_t)value;
    return 1;
}

static int read_dimension(struct word w, uint32_t *out)
{
    const char *at = w.text + 1, *end = w.text + w.length;
    return take_number(&at, end, ZCS_MAX_DIMENSION, out) && at == end && *out > 0;
}

/* A 0 in the rate, as in "F0:0", means unknown. */
static int read_rate(struct word w, struct zci_y4m *out)
{
    const char *at = w.text + 1, *end = w.text + w.length;
    uint32_t num, den;
    if (!take_number(&at, end, UINT32_MAX, &num) || at == end || *at++ != ':' ||
        !take_number(&at, end, UINT32_MAX, &den) || at != end)
        return 0;
    out->fps_num = den != 0 ? num : 0;
    out->fps_den = num != 0 ? den : 0;
    return 1;
}

static int read_interlacing(struct word w, struct zci_y4m *out)
{
    static const struct {
        const char *word, *order;
    } known[] = {{"Ip", NULL},
                 {"I?", NULL},
                 {"It", "the top field first"},
                 {"Ib", "the bottom field first"},
                 {"Im", "each frame in its own way"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is_word(w, known[i].word)) {
            out->interlaced = known[i].order;
            return 1;
        }
    return 0;
}

/* `ignore_case`: XYSCSS has the names in capitals. */
static int read_colorspace(struct word name, int ignore_case, struct zci_y4m *out)
{
    for (size_t i = 0; i < sizeof colorspaces / sizeof *colorspaces; i++) {
        const char *known = colorspaces[i].name;
        if (is_word(name, known) || (ignore_case && is_word_in_any_case(name, known))) {
            out->format = colorspaces[i].format;
            out->bits = colorspaces[i].bits;
            out->siting = colorspaces[i].siting;
            out->conversion = colorspaces[i].conversion;
            return 1;
        }
    }
    return 0;
}

static int read_extension(struct word w, struct zci_y4m *out)
{
    if (is_word(w, "XCOLORRANGE=FULL"))
        out->range = ZCS_RANGE_FULL;
    if (is_word(w, "XCOLORRANGE=LIMITED"))
        out->range = ZCS_RANGE_LIMITED;
    return 1;
}

/* 0: the word is invalid or not supported; `what` names the field. */
static int read_word(struct word w, struct zci_y4m *out, const char **what)
{
    switch (w.text[0]) {
    case 'W':
        *what = "the width";
        return read_dimension(w, &out->width);
    case 'H':
        *what = "the height";
        return read_dimension(w, &out->height);
    case 'F':
        *what = "the rate";
        return read_rate(w, out);
    case 'I':
        *what = "the order of the fields is unknown";
        return read_interlacing(w, out);
    case 'C':
        *what = "the colour space is unknown";
        return read_colorspace((struct word){w.text + 1, w.length - 1}, 0, out);
    case 'X':
        return read_extension(w, out);
    default: /* the pixel aspect, and fields of later versions */
        return 1;
    }
}

/* The length of the line at `data` without its newline; `bytes` if there is no newline. */
static size_t line_length(const uint8_t *data, size_t bytes)
{
    const uint8_t *end = memchr(data, '\n', bytes);
    return end != NULL ? (size_t)(end - data) : bytes;
}

static int shown_length(size_t length)
{
    return length < 60 ? (int)length : 60;
}

/* Reads the words up to `end`. XYSCSS is the colour space of a header without C, wherever it
 * stands. 0: `bad` is invalid or not supported; `what` names the field. */
static int read_words(const char *at, const char *end, struct zci_y4m *out, struct word *bad,
                      const char **what)
{
    static const char older[] = "XYSCSS=";
    const size_t skip = sizeof older - 1;
    struct word subsampling = {0};
    int has_colorspace = 0;
    while (at < end) {
        const char *space = memchr(at, ' ', (size_t)(end - at));
        const struct word w = {at, (size_t)((space != NULL ? space : end) - at)};
        *bad = w;
        if (w.length > 0 && !read_word(w, out, what))
            return 0;
        has_colorspace |= w.length > 0 && w.text[0] == 'C';
        if (w.length >= skip && memcmp(w.text, older, skip) == 0)
            subsampling = w;
        at += w.length + 1;
    }
    if (has_colorspace || subsampling.length == 0)
        return 1;
    *bad = subsampling;
    *what = "the colour space is unknown";
    return read_colorspace((struct word){subsampling.text + skip, subsampling.length - skip}, 1,
                           out);
}

int zci_y4m_head(const uint8_t *data, size_t bytes, struct zci_y4m *out, char *why,
                 size_t why_bytes)
{
    const size_t magic = strlen(ZCI_Y4M_MAGIC), length = line_length(data, bytes);
    struct zci_y4m header = {.format = ZCS_PIXFMT_YUV420};
    if (length == bytes)
        return 0;
    if (length < magic || memcmp(data, ZCI_Y4M_MAGIC, magic) != 0) {
        snprintf(why, why_bytes, "no YUV4MPEG2 header");
        return -1;
    }
    const char *at = (const char *)data + magic, *end = (const char *)data + length;
    struct word bad = {0};
    const char *what = "";
    if (!read_words(at, end, &header, &bad, &what)) {
        snprintf(why, why_bytes, "'%.*s' in the YUV4MPEG2 header: %s", shown_length(bad.length),
                 bad.text, what);
        return -1;
    }
    if (header.width == 0 || header.height == 0) {
        snprintf(why, why_bytes, "the YUV4MPEG2 header has no %s",
                 header.width == 0 ? "width" : "height");
        return -1;
    }
    *out = header;
    return (int)length + 1;
}

int zci_y4m_frame(const uint8_t *data, size_t bytes, char *why, size_t why_bytes)
{
    static const char magic[] = "FRAME";
    const size_t length = line_length(data, bytes), known = sizeof magic - 1;
    if (memcmp(data, magic, length < known ? length : known) == 0) {
        if (length == bytes)
            return 0;
        if (length == known || (length > known && data[known] == ' '))
            return (int)length + 1;
    }
    snprintf(why, why_bytes, "expected FRAME before the frame");
    return -1;
}

static int y4m_is(const uint8_t *data, size_t bytes)
{
    const size_t magic = strlen(ZCI_Y4M_MAGIC);
    return bytes >= magic && memcmp(data, ZCI_Y4M_MAGIC, magic) == 0;
}

static int y4m_read(struct zci_media *m, const uint8_t *data, size_t bytes, size_t *payload,
                    char *why, size_t why_bytes)
{
    struct zci_y4m y4m;
    const int head = zci_y4m_head(data, bytes, &y4m, why, why_bytes);
    *payload = 0;
    if (head <= 0)
        return head;
    m->declared = (struct zci_request){.format = y4m.format,
                                       .width = y4m.width,
                                       .height = y4m.height,
                                       .bits = y4m.bits,
                                       .color.range = y4m.range};
    m->fps_num = y4m.fps_num;
    m->fps_den = y4m.fps_den;
    m->note = y4m.siting;
    m->interlaced = y4m.interlaced;
    m->conversion = y4m.conversion;
    return head;
}

static zcs_status y4m_open(struct zci_media *m, int64_t deadline_ns)
{
    size_t head = 0;
    const zcs_status status = zci_walk_open(m, deadline_ns, y4m_read, &head);
    if (status != ZCS_OK)
        return status;
    m->first = head;
    if (m->reader.is_pipe)
        zci_reader_take(&m->reader, head);
    if (m->note != NULL)
        zci_log(m->log, ZCS_LOG_INFO, "%s: %s: ignored, each sample is used for its pixels",
                m->reader.name, m->note);
    if (m->interlaced != NULL)
        zci_log(m->log, ZCS_LOG_WARNING,
                "%s: interlaced, %s: each frame is used whole, with the rows of both fields",
                m->reader.name, m->interlaced);
    if (m->conversion == ZCI_CONVERT_DROP_ALPHA)
        zci_log(m->log, ZCS_LOG_WARNING, "%s: its alpha plane is not used", m->reader.name);
    return ZCS_OK;
}

static int y4m_frame_head(struct zci_media *m, const uint8_t *data, size_t bytes, size_t *payload,
                          char *why, size_t why_bytes)
{
    *payload = zci_media_frame_bytes(m);
    return zci_y4m_frame(data, bytes, why, why_bytes);
}

const struct zci_media_ops zci_media_y4m = {.name = "Y4M",
                                            .on_pipes = 1,
                                            .is = y4m_is,
                                            .open = y4m_open,
                                            .count = zci_walk_count,
                                            .find = zci_walk_find,
                                            .frame_head = y4m_frame_head};
