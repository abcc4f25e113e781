/* SPDX-License-Identifier: MIT */
/* Reading the header of a PGM or PPM: three numbers among blanks and comments. */
#include "core/pnm.h"

#include <inttypes.h>
#include <stdio.h>

struct cursor {
    const uint8_t *data;
    size_t bytes, at;
};

static int is_sentinel(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Passes over blanks and comments, of which there must be one. 1: a number may follow; 0: the data
 * ended; -1: neither. */
static int pass_blanks(struct cursor *c)
{
    const size_t from = c->at;
    while (c->at < c->bytes) {
        if (c->data[c->at] == '#') {
            while (c->at < c->bytes && c->data[c->at] != '\n')
                c->at++;
            continue;
        }
        if (!is_sentinel(c->data[c->at]))
            return c->at > from ? 1 : -1;
        c->at++;
    }
    return 0;
}

/* As pass_blanks. A number ends with a byte that is none of its digits. */
static int take_number(struct cursor *c, uint32_t max, uint32_t *out)
{
    const int found = pass_blanks(c);
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
    static const char *const parts[] = {"the width is no number from 1 to 262144",
                                        "the height is no number from 1 to 262144",
                                        "the greatest value is no number from 1 to 65535"};
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
    if (!is_sentinel(data[c.at]))
        return refuse("no blank before the samples", why, why_bytes);
    *out = (struct zci_pnm){
        .channels = data[1] == '5' ? 1 : 3, .width = value[0], .height = value[1], .max = value[2]};
    return (int)c.at + 1;
}
