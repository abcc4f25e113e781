/* SPDX-License-Identifier: MIT */
/* Scenes with a known truth: linear light in sRGB's primaries, as a lens and square pixels see it. */
#ifndef SAMPLES_SCENE_H
#define SAMPLES_SCENE_H

#include <stdint.h>

#define SCENE_WIDTH 480
#define SCENE_HEIGHT 320

/* The lens's point spread is a Gaussian of this standard deviation in pixels; with the pixel's own square it
 * leaves 19 percent of the contrast at half a cycle a pixel, as a good lens in front of small pixels. */
#define SCENE_BLUR 0.5

enum scene { SCENE_CHART, SCENE_ZONE, SCENE_EDGE, SCENE_TEXT, SCENE_GRADIENT, SCENE_COUNT };

/* "chart", "zone", "edge", "text", "gradient". */
const char *scene_name(enum scene scene);

/* SCENE_WIDTH * SCENE_HEIGHT pixels of R, G, B; 1 is white. For free(); NULL: no memory. `blur` 0: no
 * lens, pixels alone. */
float *scene_render(enum scene scene, double blur);

/* Encoded for display, 8 bits: what a camera's picture should be. For free(); NULL: no memory. */
uint8_t *scene_truth(const float *light);

#endif
