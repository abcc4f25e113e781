/* SPDX-License-Identifier: MIT */
/* A 10-bit sensor model: overlapping filters, unequal gains, black level, shot and read noise. */
#ifndef SAMPLES_SENSOR_H
#define SAMPLES_SENSOR_H

#include <stdint.h>

/* Codes: without light; white in green (red and blue reach less); the maximum. */
enum { SENSOR_BLACK = 64, SENSOR_WHITE = 928, SENSOR_MAX = 1023 };

/* The chain that restores the true picture from the codes. */
extern const char sensor_stages[];

/* SCENE_WIDTH * SCENE_HEIGHT codes of a mosaic with red at position `cfa` (x | y << 1). `noise` is
 * the generator's state, not 0; NULL: no noise. */
void sensor_expose(const float *light, unsigned cfa, uint64_t *noise, uint16_t *codes);

/* The picture of a sensor with all three filters at every pixel, without noise, after black level
 * and gains: R, G, B, linear, 8 bits. This is the truth for the demosaicing stage alone. */
void sensor_ideal(const float *light, uint8_t *rgb);

#endif
