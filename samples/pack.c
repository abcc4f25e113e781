/* SPDX-License-Identifier: MIT */
/* Packs frames into camera formats: SCENE_WIDTH x SCENE_HEIGHT, rows without padding. */
#include "samples/pack.h"

#include "samples/scene.h"

enum { PIXELS = SCENE_WIDTH * SCENE_HEIGHT };

static void put_word(uint8_t *out, unsigned value)
{
    out[0] = (uint8_t)(value & 255);
    out[1] = (uint8_t)(value >> 8);
}

void pack_raw10(const uint16_t *codes, uint8_t *out)
{
    for (int i = 0; i < PIXELS; i += 4, codes += 4, out += 5) {
        out[4] = 0;
        for (int j = 0; j < 4; j++) {
            out[j] = (uint8_t)(codes[j] >> 2);
            out[4] |= (uint8_t)((codes[j] & 3) << 2 * j);
        }
    }
}

void pack_words(const uint16_t *codes, uint8_t *out)
{
    for (int i = 0; i < PIXELS; i++)
        put_word(out + 2 * i, codes[i]);
}

/* Luma in full range, 0..255. */
static double luma(const uint8_t *rgb)
{
    return 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2];
}

static uint8_t limited_luma(const uint8_t *rgb)
{
    return (uint8_t)(16 + luma(rgb) * 219 / 255 + 0.5);
}

/* Cb and Cr of the mean of `across` x `down` pixels. */
static void chroma(const uint8_t *rgb, int across, int down, uint8_t out[2])
{
    double cb = 0, cr = 0;
    for (int y = 0; y < down; y++)
        for (int x = 0; x < across; x++) {
            const uint8_t *p = rgb + 3 * (y * SCENE_WIDTH + x);
            cb += (p[2] - luma(p)) / 1.772;
            cr += (p[0] - luma(p)) / 1.402;
        }
    out[0] = (uint8_t)(128 + cb / (across * down) * 224 / 255 + 0.5);
    out[1] = (uint8_t)(128 + cr / (across * down) * 224 / 255 + 0.5);
}

void pack_yuyv(const uint8_t *rgb, uint8_t *out)
{
    for (int i = 0; i < PIXELS; i += 2, rgb += 6, out += 4) {
        uint8_t uv[2];
        chroma(rgb, 2, 1, uv);
        out[0] = limited_luma(rgb);
        out[1] = uv[0];
        out[2] = limited_luma(rgb + 3);
        out[3] = uv[1];
    }
}

void pack_nv12(const uint8_t *rgb, uint8_t *out)
{
    for (int i = 0; i < PIXELS; i++)
        *out++ = limited_luma(rgb + 3 * i);
    for (int y = 0; y < SCENE_HEIGHT; y += 2)
        for (int x = 0; x < SCENE_WIDTH; x += 2, out += 2)
            chroma(rgb + 3 * (y * SCENE_WIDTH + x), 2, 2, out);
}

void pack_grey(const uint8_t *rgb, uint8_t *out)
{
    for (int i = 0; i < PIXELS; i++)
        out[i] = (uint8_t)(luma(rgb + 3 * i) + 0.5);
}

void pack_y16(const float *light, uint8_t *out)
{
    for (int i = 0; i < PIXELS; i++, light += 3) {
        const double v = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
        put_word(out + 2 * i, (unsigned)(65535 * (v < 0 ? 0 : v > 1 ? 1 : v) + 0.5));
    }
}
