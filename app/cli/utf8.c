/* SPDX-License-Identifier: MIT */
/* Checks UTF-8, for file names in messages, JSON and PNG. */
#include "app/cli/utf8.h"

static int between(unsigned char c, unsigned min, unsigned max)
{
    return c >= min && c <= max;
}

/* The table of well-formed byte sequences in the Unicode standard. Only the range of the second
 * byte depends on the first. This excludes overlong forms, surrogates, and values above U+10FFFF.
 * */
size_t utf8_bytes(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80)
        return c[0] != 0;
    if (between(c[0], 0xC2, 0xDF))
        return between(c[1], 0x80, 0xBF) ? 2 : 0;
    const unsigned min = c[0] == 0xE0 ? 0xA0 : c[0] == 0xF0 ? 0x90 : 0x80;
    const unsigned max = c[0] == 0xED ? 0x9F : c[0] == 0xF4 ? 0x8F : 0xBF;
    if (!between(c[0], 0xE0, 0xF4) || !between(c[1], min, max) || !between(c[2], 0x80, 0xBF))
        return 0;
    if (c[0] < 0xF0)
        return 3;
    return between(c[3], 0x80, 0xBF) ? 4 : 0;
}
