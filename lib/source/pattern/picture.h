/* SPDX-License-Identifier: MIT */
/* What the patterns look like: the colour of any pixel of any frame, before it is packed into a format.
 * Integer arithmetic throughout: a pattern is the same on every machine. */
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
 *   zone    a zone plate around (width / 2, height / 2); at half the longer side from there it reaches
 *           half the sampling rate
 *   square  a white square on dark grey; its place follows from the frame's number */
struct zci_picture {
    uint32_t kind; /* index into zcs_pattern_names() */
    uint32_t width, height;
};

/* The part that moves: where `square` has its square in frame `sequence`. Empty for still patterns. */
struct zci_rect zci_picture_square(const struct zci_picture *picture, uint64_t sequence);

/* `count` pixels of row y from x on, without what moves and without the stamp. */
void zci_picture_row(const struct zci_picture *picture, uint32_t x, uint32_t y, uint32_t count,
                     struct zci_rgb *out);

/* The panel's place; empty where the picture is too small for it. */
struct zci_rect zci_stamp_rect(uint32_t width, uint32_t height);

/* 1 where pixel (x, y) of the picture, inside the panel, is white. */
int zci_stamp_pixel(uint64_t sequence, uint32_t x, uint32_t y);

#endif
