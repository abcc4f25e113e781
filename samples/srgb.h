/* SPDX-License-Identifier: MIT */
/* The sRGB curve of IEC 61966-2-1, between linear light of 0..1 and codes of 0..255. */
#ifndef SAMPLES_SRGB_H
#define SAMPLES_SRGB_H

#include <math.h>

static inline double srgb_decode(double code)
{
    const double v = code / 255;
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

/* Clamps light to 0..1. */
static inline double srgb_encode(double light)
{
    const double v = fmin(fmax(light, 0), 1);
    return 255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055);
}

#endif
