/* SPDX-License-Identifier: MIT */
/* The sequence number in the picture, for people and for programs.
 *
 * Pictures of at least 152x48 pixels have a black panel of 136x32 at (8, 8). In it stand ten decimal
 * digits, least significant right, and below them the number modulo 2^32 as 32 blocks of 4x8 pixels,
 * white for 1, the most significant bit first: block b begins at (12 + 4 b, 28). A program reads bit
 * 31 - b as "brighter than half" at (14 + 4 b, 32), also after demosaicing. */
#ifndef ZCI_SOURCE_PATTERN_PATTERN_STAMP_H
#define ZCI_SOURCE_PATTERN_PATTERN_STAMP_H

#include "source/pattern/pattern_draw.h"

/* The panel's place; empty where the picture is too small for it. */
struct zci_rect zci_stamp_rect(uint32_t width, uint32_t height);

/* 1 where pixel (x, y) of the picture, inside the panel, is white. */
int zci_stamp_pixel(uint64_t sequence, uint32_t x, uint32_t y);

#endif
