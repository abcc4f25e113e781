/* SPDX-License-Identifier: MIT */
/* A check of the first frames of a replay: samples in 16-bit words that have more bits than the
 * format says. */
#include "source/replay/code_check.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/format.h"

/* At most so many words are read, because reading write-combined memory is slow. */
#define MAX_ROWS 64u
#define MAX_COLUMNS 32u

struct words {
    uint32_t max; /* the largest */
    uint32_t any; /* bits that are set in any of them */
};

static uint32_t at_most(uint32_t value, uint32_t limit)
{
    return value < limit ? value : limit;
}

/* Words at even distances in the rows of plane 0. */
static struct words read_words(const struct zcs_image *image, const uint8_t *pixels, int big_endian)
{
    const uint32_t rows = at_most(image->height, MAX_ROWS);
    const uint32_t columns = at_most(image->width, MAX_COLUMNS);
    struct words out = {0, 0};
    for (uint32_t r = 0; r < rows; r++) {
        const size_t y = (size_t)r * image->height / rows;
        const uint8_t *row = pixels + image->offset_bytes[0] + y * image->stride_bytes[0];
        for (uint32_t c = 0; c < columns; c++) {
            const uint8_t *at = row + (size_t)c * image->width / columns * 2;
            const uint32_t word =
                big_endian ? (uint32_t)at[0] << 8 | at[1] : (uint32_t)at[1] << 8 | at[0];
            out.max = word > out.max ? word : out.max;
            out.any |= word;
        }
    }
    return out;
}

/* The number of the highest set bit, counted from 1; 0: none. */
static uint32_t bit_length(uint32_t word)
{
    uint32_t bits = 0;
    for (; word != 0; word >>= 1)
        bits++;
    return bits;
}

/* A format with the same samples, but of at least `bits`; NULL: none. */
static const struct zcs_pixfmt_info *wider(const struct zci_format *row, uint32_t bits)
{
    for (int i = 1; i < ZCS_PIXFMT_COUNT; i++) {
        const struct zci_format *other = zci_format((enum zcs_pixfmt)i);
        if (other->unpack == row->unpack && other->info.model == row->info.model &&
            other->arg == row->arg && other->info.hsub == row->info.hsub &&
            other->info.vsub == row->info.vsub && other->info.bits >= bits)
            return &other->info;
    }
    return NULL;
}

/* Writes the options that would fit: a shift if the low bits are unused, or a wider format. Bits up
 * to the highest are ambiguous, because some cameras repeat the high bits in the low ones. */
static void suggest(const struct zcs_image *image, struct words words, int can_shift, char *out,
                    size_t bytes)
{
    const struct zci_format *row = zci_format(image->format);
    const uint32_t length = bit_length(words.any), room = 16 - image->bits;
    const uint32_t unused = bit_length(words.any & (~words.any + 1)) - 1;
    const struct zcs_pixfmt_info *info = wider(row, length);
    if (can_shift && length - at_most(unused, length) <= image->bits)
        snprintf(out, bytes, "is it --shift %" PRIu32 "?", at_most(unused, room));
    else if (can_shift && length == 16 && info != NULL)
        snprintf(out, bytes, "is it --shift %" PRIu32 ", or -f %s?", room, info->name);
    else if (can_shift && length == 16)
        snprintf(out, bytes, "is it --shift %" PRIu32 "?", room);
    else if (info != NULL)
        snprintf(out, bytes, "is it -f %s?", info->name);
    else
        snprintf(out, bytes, "is the format right?");
}

int zci_code_check(const struct zci_media *m, const uint8_t *pixels)
{
    const struct zcs_image *image = &m->image;
    const int fixed = m->declared.format != ZCS_PIXFMT_NONE && m->code_bytes == 0;
    const struct zci_format *row = zci_format(image->format);
    const int big_endian = row->unpack == ZCI_UNPACK_U16BE;
    const int shifted = row->unpack == ZCI_UNPACK_U16 || big_endian;
    char hint[64] = "the input has the wrong format or shift.";
    if (!shifted && row->unpack != ZCI_UNPACK_PLANAR16)
        return 0;
    const struct words words = read_words(image, pixels, big_endian);
    if (words.max >> image->shift < 1u << image->bits)
        return 0;
    if (!fixed)
        suggest(image, words, shifted, hint, sizeof hint);
    zci_log(m->log, ZCS_LOG_WARNING,
            "%s: codes exceed %" PRIu32 " bits: %s The largest is %" PRIu32
            "; codes above %u become white",
            m->reader.name, image->bits, hint, words.max >> image->shift, (1u << image->bits) - 1);
    return 1;
}
