/* SPDX-License-Identifier: MIT */
/* PGM and PPM: parsing their headers, and their images as media. */
#include "source/replay/pnm.h"

#include <inttypes.h>
#include <stdio.h>

#include "source/replay/header_walk.h"

struct cursor {
    const uint8_t *data;
    size_t bytes, at;
};

static int is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Moves to the line feed or carriage return that ends the comment at c->at, or to the end. */
static void skip_comment(struct cursor *c)
{
    while (c->at < c->bytes && c->data[c->at] != '\n' && c->data[c->at] != '\r')
        c->at++;
}

/* Skips white space and comments, at least one byte. 1: a number may follow; 0: the data ended; -1:
 * there is no white space. */
static int skip_space(struct cursor *c)
{
    const size_t from = c->at;
    while (c->at < c->bytes) {
        if (c->data[c->at] == '#') {
            skip_comment(c);
            continue;
        }
        if (!is_space(c->data[c->at]))
            return c->at > from ? 1 : -1;
        c->at++;
    }
    return 0;
}

/* Returns as skip_space does. A number ends with a byte that is not a digit. */
static int take_number(struct cursor *c, uint32_t max, uint32_t *out)
{
    const int found = skip_space(c);
    uint64_t value = 0;
    if (found != 1)
        return found;
    const size_t from = c->at;
    while (c->at < c->bytes && c->data[c->at] >= '0' && c->data[c->at] <= '9' && value <= max)
        value = value * 10 + (uint64_t)(c->data[c->at++] - '0');
    if (value > max || (c->at == from && c->at < c->bytes))
        return -1;
    *out = (uint32_t)value;
    return c->at < c->bytes;
}

static int refuse(const char *what, char *why, size_t why_bytes)
{
    snprintf(why, why_bytes, "the PGM or PPM header: %s", what);
    return -1;
}

int zci_pnm_head(const uint8_t *data, size_t bytes, struct zci_pnm *out, char *why,
                 size_t why_bytes)
{
    static const char *const parts[] = {"the width is not a number from 1 to 262144",
                                        "the height is not a number from 1 to 262144",
                                        "the maximum value is not a number from 1 to 65535"};
    struct cursor c = {.data = data, .bytes = bytes, .at = 2};
    uint32_t value[3] = {0};
    if (bytes < 2)
        return 0;
    if (data[0] != 'P' || (data[1] != '5' && data[1] != '6'))
        return refuse("it begins with neither P5 nor P6", why, why_bytes);
    for (int i = 0; i < 3; i++) {
        const int got = take_number(&c, i < 2 ? ZCS_MAX_DIMENSION : 65535, &value[i]);
        if (got == 0)
            return 0;
        if (got < 0 || value[i] == 0)
            return refuse(parts[i], why, why_bytes);
    }
    /* The end of a comment behind the last number is the white space, as libnetpbm reads it. */
    if (data[c.at] == '#')
        skip_comment(&c);
    if (c.at == bytes)
        return 0;
    if (!is_space(data[c.at]))
        return refuse("no white space before the samples", why, why_bytes);
    *out = (struct zci_pnm){
        .channels = data[1] == '5' ? 1 : 3, .width = value[0], .height = value[1], .max = value[2]};
    return (int)c.at + 1;
}

static int pnm_is(const uint8_t *data, size_t bytes)
{
    return bytes >= 3 && data[0] == 'P' && (data[1] == '5' || data[1] == '6') &&
           (data[2] == '#' || data[2] == ' ' || (data[2] >= '\t' && data[2] <= '\r'));
}

static uint32_t bits_for(uint32_t max)
{
    uint32_t bits = 1;
    while (max >> bits != 0)
        bits++;
    return bits;
}

static int pnm_read(struct zci_media *m, const uint8_t *data, size_t bytes, size_t *payload,
                    char *why, size_t why_bytes)
{
    struct zci_pnm pnm;
    const int head = zci_pnm_head(data, bytes, &pnm, why, why_bytes);
    *payload = 0;
    if (head <= 0)
        return head;
    const int deep = pnm.max > 255, grey = pnm.channels == 1;
    m->max = pnm.max;
    m->code_bytes = !grey ? 0 : deep ? 2 : 1;
    /* Grey up to 2^n - 1 stays as codes of n bits. Other ranges are scaled, as no bit depth has
     * their white. */
    const int codes = grey && (pnm.max & (pnm.max + 1)) == 0;
    m->conversion = codes || pnm.max == 255 ? ZCI_CONVERT_NONE
                    : deep                  ? ZCI_CONVERT_SCALE16
                                            : ZCI_CONVERT_SCALE8;
    if (!grey && deep)
        m->conversion = ZCI_CONVERT_EXPAND;
    m->declared = (struct zci_request){.width = pnm.width, .height = pnm.height};
    m->declared.format = grey   ? deep ? ZCS_PIXFMT_Y16_BE : ZCS_PIXFMT_GREY
                         : deep ? ZCS_PIXFMT_RGBA64
                                : ZCS_PIXFMT_RGB24;
    if (codes)
        m->declared.bits = bits_for(pnm.max);
    if (!grey)
        m->declared.color.transfer = ZCS_TRANSFER_SRGB;
    return head;
}

static zcs_status pnm_open(struct zci_media *m, int64_t deadline_ns)
{
    size_t head;
    return zci_walk_open(m, deadline_ns, pnm_read, &head);
}

/* Each image of a file has its own header, which must match the first one. */
static int pnm_frame_head(struct zci_media *m, const uint8_t *data, size_t bytes, size_t *payload,
                          char *why, size_t why_bytes)
{
    struct zci_pnm pnm;
    const int head = zci_pnm_head(data, bytes, &pnm, why, why_bytes);
    *payload = zci_media_frame_bytes(m);
    if (head <= 0)
        return head;
    const uint32_t channels = m->code_bytes != 0 ? 1 : 3;
    if (pnm.width == m->image.width && pnm.height == m->image.height && pnm.max == m->max &&
        pnm.channels == channels)
        return head;
    snprintf(why, why_bytes,
             "a picture of %" PRIu32 "x%" PRIu32 " in %" PRIu32 " channels up to %" PRIu32
             ", the first one %" PRIu32 "x%" PRIu32 " in %" PRIu32 " up to %" PRIu32,
             pnm.width, pnm.height, pnm.channels, pnm.max, m->image.width, m->image.height,
             channels, m->max);
    return -1;
}

const struct zci_media_ops zci_media_pnm = {.name = "PNM",
                                            .on_pipes = 1,
                                            .is = pnm_is,
                                            .open = pnm_open,
                                            .count = zci_walk_count,
                                            .find = zci_walk_find,
                                            .frame_head = pnm_frame_head};
