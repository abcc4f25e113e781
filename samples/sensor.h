/* SPDX-License-Identifier: MIT */
/* A sensor: colour filters that overlap, unequal channels, black level, shot and read noise, 10 bits. */
#ifndef SAMPLES_SENSOR_H
#define SAMPLES_SENSOR_H

#include <stdint.h>

/* Codes: without light, of white in green (red and blue reach less), and the greatest. */
enum { SENSOR_BLACK = 64, SENSOR_WHITE = 928, SENSOR_MAX = 1023 };

/* What makes the truth of its codes: stages for zcapp and the library. */
extern const char sensor_stages[];

/* SCENE_WIDTH * SCENE_HEIGHT codes of a mosaic of which red's place is `cfa` (x | y << 1). `noise` is the
 * generator's state, not 0; NULL: no noise. */
void sensor_expose(const float *light, unsigned cfa, uint64_t *noise, uint16_t *codes);

/* What a sensor with all three filters at every pixel would give, without noise, after black level and
 * gains: R, G, B, linear, 8 bits. The truth of demosaicing alone. */
void sensor_ideal(const float *light, uint8_t *rgb);

#endif
