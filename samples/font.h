/* SPDX-License-Identifier: MIT */
/* A bitmap font of 5 x 7 dots: capitals, digits and some signs. */
#ifndef SAMPLES_FONT_H
#define SAMPLES_FONT_H

enum { FONT_WIDTH = 5, FONT_HEIGHT = 7, FONT_ADVANCE = 6 };

/* 1: the letter has a dot here. Small letters look like capitals; unknown ones are blank. */
int font_dot(char letter, int x, int y);

#endif
