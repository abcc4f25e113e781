/* SPDX-License-Identifier: MIT */
/* A 10-bit sensor model: overlapping filters, unequal gains, black level, shot and read noise. */
#include "samples/sensor.h"

#include <math.h>
#include <stddef.h>

#include "samples/scene.h"

#define ELECTRONS 12.0 /* per code; 11,500 at full scale: a small pixel */
#define READ_NOISE 3.0 /* electrons, standard deviation */

/* Transmission of each filter for linear sRGB. Rows add up to 1, so grey stays grey. */
static const double filters[9] = {0.70, 0.22, 0.08, 0.12, 0.78, 0.10, 0.04, 0.20, 0.76};

/* Gains that make red, green and blue equal. */
static const double gains[3] = {1.9, 1.0, 1.6};

/* The matrix is the inverse of `filters`, to five decimals. */
const char sensor_stages[] =
    "black:level=64:white=928,wb:r=1.9:b=1.6,demosaic,"
    "ccm=1.50262/-0.39664/-0.10598/-0.22875/1.38720/-0.15845/-0.01889/-0.34417/1.36306,gamma";

/* xorshift64* (Vigna 2016, doi:10.1145/2845077). */
static uint64_t next(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * UINT64_C(0x2545F4914F6CDD1D);
}

/* Mean 0, deviation 1. The sum of twelve uniform numbers is close to normal up to 3 deviations, and
 * equal on every machine. */
static double normal(uint64_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)(next(state) >> 11) / 9007199254740992.0;
    return sum;
}

static int channel_at(unsigned cfa, int x, int y)
{
    const int dx = (x ^ (int)cfa) & 1, dy = (y ^ (int)(cfa >> 1)) & 1;
    return dx != dy ? 1 : dx ? 2 : 0;
}

static double passed(int c, const float *light)
{
    const double *f = filters + 3 * c;
    return f[0] * light[0] + f[1] * light[1] + f[2] * light[2];
}

void sensor_expose(const float *light, unsigned cfa, uint64_t *noise, uint16_t *codes)
{
    for (int y = 0; y < SCENE_HEIGHT; y++)
        for (int x = 0; x < SCENE_WIDTH; x++, light += 3) {
            const int c = channel_at(cfa, x, y);
            double electrons =
                ELECTRONS * (SENSOR_WHITE - SENSOR_BLACK) * passed(c, light) / gains[c];
            if (noise != NULL)
                electrons += sqrt(electrons + READ_NOISE * READ_NOISE) * normal(noise);
            const double code = floor(SENSOR_BLACK + electrons / ELECTRONS + 0.5);
            *codes++ = (uint16_t)fmin(fmax(code, 0), SENSOR_MAX);
        }
}

void sensor_ideal(const float *light, uint8_t *rgb)
{
    for (int i = 0; i < SCENE_WIDTH * SCENE_HEIGHT; i++, light += 3)
        for (int c = 0; c < 3; c++)
            *rgb++ = (uint8_t)(255 * fmin(fmax(passed(c, light), 0), 1) + 0.5);
}
