/* SPDX-License-Identifier: MIT */
/* Numbers, words, lists and rectangles; no locale, no allocation, nothing beyond the slice is read. */
#include "core/stage_value.h"

#include <string.h>

#define MAX_DIGITS 15u /* a double holds all whole numbers of so many digits */

int zci_slice_is(struct zci_slice slice, const char *word)
{
    return strlen(word) == slice.length && memcmp(slice.at, word, slice.length) == 0;
}

struct zci_slice zci_slice_cut(struct zci_slice *slice, const char *separators)
{
    struct zci_slice front = {slice->at, 0};
    while (front.length < slice->length && !strchr(separators, front.at[front.length]))
        front.length++;
    slice->at += front.length;
    slice->length -= front.length;
    return front;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits at the slice's front; returns how many. */
static uint32_t take_digits(struct zci_slice *text, double *mantissa)
{
    uint32_t digits = 0;
    for (; text->length > 0 && is_digit(*text->at); text->at++, text->length--, digits++)
        *mantissa = *mantissa * 10 + (*text->at - '0');
    return digits;
}

/* Takes a sign; returns whether it is a minus. */
static int take_sign(struct zci_slice *text)
{
    const int negative = text->length > 0 && *text->at == '-';
    const int any = negative || (text->length > 0 && *text->at == '+');
    text->at += any;
    text->length -= (size_t)any;
    return negative;
}

/* [+-][digits][.digits], the point only where `decimal`. */
static int number(struct zci_slice text, int decimal, double low, double high, double *out)
{
    const int negative = take_sign(&text);
    double v = 0, scale = 1;
    const uint32_t whole = take_digits(&text, &v);
    uint32_t part = 0;
    if (decimal && text.length > 0 && *text.at == '.') {
        text.at++;
        text.length--;
        part = take_digits(&text, &v);
        if (part == 0)
            return 0;
    }
    if (whole + part == 0 || whole + part > MAX_DIGITS || text.length > 0)
        return 0;
    for (uint32_t i = 0; i < part; i++)
        scale *= 10;
    *out = negative ? -(v / scale) : v / scale;
    return *out >= low && *out <= high;
}

/* Which of `words` it is; -1: none. */
static int word(const char *words, struct zci_slice text)
{
    struct zci_slice rest = {words, strlen(words)};
    for (int i = 0;; i++) {
        const struct zci_slice one = zci_slice_cut(&rest, "|");
        if (one.length == text.length && memcmp(one.at, text.at, one.length) == 0)
            return i;
        if (rest.length == 0)
            return -1;
        rest.at++;
        rest.length--;
    }
}

static int nine(const struct zci_key *key, struct zci_slice text, double out[9])
{
    for (int i = 0; i < 9; i++) {
        const struct zci_slice one = zci_slice_cut(&text, "/");
        const int more = text.length > 0;
        if (more != (i < 8) || !number(one, 1, key->low, key->high, &out[i]))
            return 0;
        text.at += more;
        text.length -= (size_t)more;
    }
    return 1;
}

/* Takes a number in front of which `mark` must stand. */
static int marked(struct zci_slice *text, char mark, double low, double high, double *out)
{
    if (text->length == 0 || *text->at != mark)
        return 0;
    text->at++;
    text->length--;
    return number(zci_slice_cut(text, "x+"), 0, low, high, out);
}

/* WxH or WxH+X+Y into x, y, width and height, which lie one behind the other. */
static int rect(struct zci_slice text, double max, double out[4])
{
    out[0] = out[1] = 0;
    if (!number(zci_slice_cut(&text, "x+"), 0, 1, max, &out[2]) ||
        !marked(&text, 'x', 1, max, &out[3]))
        return 0;
    if (text.length == 0)
        return 1;
    return marked(&text, '+', 0, max - 1, &out[0]) && marked(&text, '+', 0, max - 1, &out[1]) &&
           text.length == 0;
}

int zci_value_parse(const struct zci_key *key, uint32_t index, struct zci_slice text,
                    struct zci_stage *stage)
{
    const int named = key->words ? word(key->words, text) : -1;
    stage->word[index] = (int8_t)named;
    switch (key->type) {
    case ZCI_KEY_INTEGER:
        return number(text, 0, key->low, key->high, &stage->number[index]);
    case ZCI_KEY_DECIMAL:
        return number(text, 1, key->low, key->high, &stage->number[index]);
    case ZCI_KEY_WORD:
        return named >= 0;
    case ZCI_KEY_WORD_DECIMAL:
        return named >= 0 || number(text, 1, key->low, key->high, &stage->number[index]);
    case ZCI_KEY_NINE:
        return nine(key, text, stage->number);
    case ZCI_KEY_RECT:
        return rect(text, key->high, &stage->number[index + 1]);
    }
    return 0;
}
