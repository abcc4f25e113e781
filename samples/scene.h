/* SPDX-License-Identifier: MIT */
/* Scenes with a known truth: linear light in sRGB's primaries, through a lens, on square pixels. */
#ifndef SAMPLES_SCENE_H
#define SAMPLES_SCENE_H

#include <stdint.h>

#define SCENE_WIDTH 480
#define SCENE_HEIGHT 320

/* The lens's point spread is a Gaussian of this standard deviation in pixels. With the square of
 * the pixel it leaves 19 percent of the contrast at half a cycle per pixel, as a good lens with
 * small pixels does. */
#define SCENE_BLUR 0.5

enum scene { SCENE_CHART, SCENE_ZONE, SCENE_EDGE, SCENE_TEXT, SCENE_GRADIENT, SCENE_COUNT };

/* "chart", "zone", "edge", "text", "gradient". */
const char *scene_name(enum scene scene);

/* SCENE_WIDTH * SCENE_HEIGHT pixels of R, G, B; 1 is white. free() it. NULL: no memory. `blur` 0:
 * no lens. */
float *scene_render(enum scene scene, double blur);

/* The true picture, encoded for display, 8 bits. free() it. NULL: no memory. */
uint8_t *scene_truth(const float *light);

#endif
