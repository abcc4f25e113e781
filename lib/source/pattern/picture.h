/* SPDX-License-Identifier: MIT */
/* The picture of each pattern: the colour of every pixel, before it is packed into a format. It is
 * computed with integers only, so that a pattern is the same on every machine. */
#ifndef ZCI_SOURCE_PATTERN_PICTURE_H
#define ZCI_SOURCE_PATTERN_PICTURE_H

#include <stdint.h>

/* Full range, 0..65535. */
struct zci_rgb {
    uint16_t r, g, b;
};

struct zci_rect {
    uint32_t x, y, width, height;
};

/*   bars    eight vertical bars: white yellow cyan green magenta red blue black; bar x * 8 / width
 *   ramp    grey, from 0 in the first column to full in the last
 *   zone    a zone plate around (width / 2, height / 2); it reaches half the sampling rate
 *           at half the longer side from there
 *   square  a white square on dark grey; its position is a function of the frame number */
struct zci_picture {
    uint32_t kind; /* index into zcs_pattern_names() */
    uint32_t width, height;
};

/* The rectangle of the moving square in frame `sequence`; empty for the other patterns. */
struct zci_rect zci_picture_square(const struct zci_picture *picture, uint64_t sequence);

/* Draws `count` pixels of row y from x on, without the moving square and the stamp. */
void zci_picture_row(const struct zci_picture *picture, uint32_t x, uint32_t y, uint32_t count,
                     struct zci_rgb *out);

/* The stamp: the sequence number in the picture, for people and for programs.
 *
 * A picture of at least 152x48 pixels has a black panel of 136x32 at (8, 8). It shows ten decimal
 * digits, the least significant on the right. Below them it shows the number modulo 2^32 as 32
 * blocks of 4x8 pixels, white for 1, the most significant bit first: block b starts at
 * (12 + 4 b, 28). A program, also after demosaicing, reads bit 31 - b as "brighter than half" at
 * (14 + 4 b, 32). */

/* The rectangle of the panel; empty if the picture is too small for it. */
struct zci_rect zci_stamp_rect(uint32_t width, uint32_t height);

/* 1: pixel (x, y) of the picture, which is inside the panel, is white. */
int zci_stamp_pixel(uint64_t sequence, uint32_t x, uint32_t y);

#endif
