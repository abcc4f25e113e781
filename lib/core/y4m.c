/* SPDX-License-Identifier: MIT */
/* Reading Y4M's two kinds of line: words that begin with a letter for what they tell. */
#include "core/y4m.h"

#include <stdio.h>
#include <string.h>

static const char sited_left[] = "chroma sited at the left (mpeg2)";
static const char sited_center[] = "chroma sited in the middle (jpeg)";
static const char sited_paldv[] = "chroma sited at the top left, by lines in turn (paldv)";

struct space {
    const char *name;
    enum zcs_pixfmt format;
    uint32_t bits;
    const char *siting;
};

// clang-format off
static const struct space spaces[] = {
    {"420jpeg",  ZCS_PIXFMT_YUV420,    0, sited_center},
    {"420mpeg2", ZCS_PIXFMT_YUV420,    0, sited_left},
    {"420paldv", ZCS_PIXFMT_YUV420,    0, sited_paldv},
    {"420",      ZCS_PIXFMT_YUV420,    0, sited_center},
    {"422",      ZCS_PIXFMT_YUV422P,   0, NULL},
    {"444",      ZCS_PIXFMT_YUV444M,   0, NULL},
    {"mono",     ZCS_PIXFMT_GREY,      0, NULL},
    {"420p10",   ZCS_PIXFMT_YUV420P10, 0, NULL},
    {"420p12",   ZCS_PIXFMT_YUV420P12, 0, NULL},
    {"420p14",   ZCS_PIXFMT_YUV420P14, 0, NULL},
    {"420p16",   ZCS_PIXFMT_YUV420P16, 0, NULL},
    {"422p10",   ZCS_PIXFMT_YUV422P10, 0, NULL},
    {"422p12",   ZCS_PIXFMT_YUV422P12, 0, NULL},
    {"422p14",   ZCS_PIXFMT_YUV422P14, 0, NULL},
    {"422p16",   ZCS_PIXFMT_YUV422P16, 0, NULL},
    {"444p10",   ZCS_PIXFMT_YUV444P10, 0, NULL},
    {"444p12",   ZCS_PIXFMT_YUV444P12, 0, NULL},
    {"444p14",   ZCS_PIXFMT_YUV444P14, 0, NULL},
    {"444p16",   ZCS_PIXFMT_YUV444P16, 0, NULL},
    {"mono9",    ZCS_PIXFMT_Y10,       9, NULL},
    {"mono10",   ZCS_PIXFMT_Y10,       0, NULL},
    {"mono12",   ZCS_PIXFMT_Y12,       0, NULL},
    {"mono14",   ZCS_PIXFMT_Y14,       0, NULL},
    {"mono16",   ZCS_PIXFMT_Y16,       0, NULL},
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

/* The decimal number at *text up to `end`, which is moved behind it; 0 where there is none in
 * range. */
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

static int read_side(struct word w, uint32_t *out)
{
    const char *at = w.text + 1, *end = w.text + w.length;
    return take_number(&at, end, ZCS_MAX_DIMENSION, out) && at == end && *out > 0;
}

/* "F0:0" and the like say that there is no rate. */
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

static int read_space(struct word w, struct zci_y4m *out)
{
    const struct word name = {w.text + 1, w.length - 1};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (is_word(name, spaces[i].name)) {
            out->format = spaces[i].format;
            out->bits = spaces[i].bits;
            out->siting = spaces[i].siting;
            return 1;
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

/* 0 where the word cannot be used; `what` then says what it is about. */
static int read_word(struct word w, struct zci_y4m *out, const char **what)
{
    switch (w.text[0]) {
    case 'W':
        *what = "the width";
        return read_side(w, &out->width);
    case 'H':
        *what = "the height";
        return read_side(w, &out->height);
    case 'F':
        *what = "the rate";
        return read_rate(w, out);
    case 'I':
        *what = "interlaced frames are not read";
        return is_word(w, "Ip") || is_word(w, "I?");
    case 'C':
        *what = "the colour space is not known";
        return read_space(w, out);
    case 'X':
        return read_extension(w, out);
    default: /* the aspect, and what later versions may have */
        return 1;
    }
}

/* The length of the line at `data` without its end; `bytes` where there is none. */
static size_t line_length(const uint8_t *data, size_t bytes)
{
    const uint8_t *end = memchr(data, '\n', bytes);
    return end != NULL ? (size_t)(end - data) : bytes;
}

static int shown(size_t length)
{
    return length < 60 ? (int)length : 60;
}

int zci_y4m_head(const uint8_t *data, size_t bytes, struct zci_y4m *out, char *why,
                 size_t why_bytes)
{
    const size_t magic = strlen(ZCI_Y4M_MAGIC), length = line_length(data, bytes);
    struct zci_y4m made = {.format = ZCS_PIXFMT_YUV420};
    if (length == bytes)
        return 0;
    if (length < magic || memcmp(data, ZCI_Y4M_MAGIC, magic) != 0) {
        snprintf(why, why_bytes, "no YUV4MPEG2 header");
        return -1;
    }
    const char *at = (const char *)data + magic, *end = (const char *)data + length;
    while (at < end) {
        const char *space = memchr(at, ' ', (size_t)(end - at)), *what = "";
        const struct word w = {at, (size_t)((space != NULL ? space : end) - at)};
        if (w.length > 0 && !read_word(w, &made, &what)) {
            snprintf(why, why_bytes, "'%.*s' in the YUV4MPEG2 header: %s", shown(w.length), w.text,
                     what);
            return -1;
        }
        at += w.length + 1;
    }
    if (made.width == 0 || made.height == 0) {
        snprintf(why, why_bytes, "the YUV4MPEG2 header has no %s",
                 made.width == 0 ? "width" : "height");
        return -1;
    }
    *out = made;
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
    snprintf(why, why_bytes, "no FRAME where one should begin");
    return -1;
}
