/* SPDX-License-Identifier: MIT */
/* A bitmap font of 5 x 7 dots: capitals, digits and some signs. */
#ifndef SAMPLES_FONT_H
#define SAMPLES_FONT_H

enum { FONT_WIDTH = 5, FONT_HEIGHT = 7, FONT_ADVANCE = 6 };

/* 1 where the letter has a dot; small letters are shown as capitals, unknown ones as a blank. */
int font_dot(char letter, int x, int y);

#endif
