/* SPDX-License-Identifier: MIT */
/* Scenes with a known truth: linear light in sRGB's primaries, through a lens, on square pixels. */
#include "samples/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "samples/chart.h"
#include "samples/font.h"
#include "samples/srgb.h"

#define PI 3.14159265358979323846
#define SUB 4  /* sample points per pixel, in each direction */
#define TAIL 3 /* radius of the lens's point spread in pixels */

enum { TAPS = SUB * (1 + 2 * TAIL) };

static void set(float out[3], double r, double g, double b)
{
    out[0] = (float)r;
    out[1] = (float)g;
    out[2] = (float)b;
}

static void chart(double x, double y, float out[3])
{
    static const uint8_t board[3] = {30, 30, 30};
    const struct chart_patch *patch = chart_at(x, y);
    const uint8_t *srgb = patch != NULL ? patch->srgb : board;
    set(out, srgb_decode(srgb[0]), srgb_decode(srgb[1]), srgb_decode(srgb[2]));
}

/* Rings, finer outwards: half a cycle per pixel at the middle of the upper and lower edge. */
static void zone(double x, double y, float out[3])
{
    const double dx = x - SCENE_WIDTH / 2.0, dy = y - SCENE_HEIGHT / 2.0;
    const double v = 0.5 + 0.45 * cos(PI * (dx * dx + dy * dy) / SCENE_HEIGHT);
    set(out, v, v, v);
}

/* Squares turned by 5 degrees: darker and lighter than the background, and in colours. */
static void edge(double x, double y, float out[3])
{
    static const float inks[6][3] = {{0.04f, 0.04f, 0.04f}, {0.9f, 0.9f, 0.9f},
                                     {0.1f, 0.1f, 0.1f},    {0.5f, 0.06f, 0.05f},
                                     {0.06f, 0.3f, 0.08f},  {0.05f, 0.08f, 0.4f}};
    const int column = (int)(x / 160), row = (int)(y / 160);
    const double dx = x - (column * 160 + 80), dy = y - (row * 160 + 80);
    const double c = cos(5 * PI / 180), s = sin(5 * PI / 180);
    const double u = c * dx + s * dy, v = c * dy - s * dx;
    const int inside = fabs(u) < 50 && fabs(v) < 50;
    if (inside && column >= 0 && column < 3 && row >= 0 && row < 2)
        memcpy(out, inks[row * 3 + column], 3 * sizeof *out);
    else
        set(out, 0.4, 0.4, 0.4);
}

struct line {
    const char *text;
    int x, y, dot; /* upper left corner; pixels per dot */
    float ink[3];
};

/* The line of text with a dot at this point; NULL: background. */
static const struct line *line_at(double x, double y)
{
    static const struct line lines[] = {
        {"ZERO-COPY", 24, 16, 7, {0.02f, 0.02f, 0.02f}},
        {"EVERY BYTE CROSSES THE BUS ONCE", 24, 80, 2, {0.02f, 0.02f, 0.02f}},
        {"the quick brown fox jumps over the lazy dog 0123456789",
         24,
         108,
         1,
         {0.02f, 0.02f, 0.02f}},
        {"RED INK: 3.14159", 24, 130, 4, {0.5f, 0.03f, 0.03f}},
        {"GREEN INK: 2.71828", 24, 172, 3, {0.03f, 0.25f, 0.05f}},
        {"BLUE INK: 1.61803 (1.41421)", 24, 206, 2, {0.03f, 0.05f, 0.4f}},
        {"640 480 1280 720 1920 1080 3840 2160", 24, 232, 2, {0.1f, 0.1f, 0.1f}},
        {"SRGGB10P SGRBG10P SGBRG10P SBGGR10P", 24, 260, 2, {0.3f, 0.05f, 0.3f}},
        {"black=64 wb demosaic ccm gamma: a + b = c", 24, 290, 1, {0.02f, 0.02f, 0.02f}},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const struct line *line = &lines[i];
        const double u = (x - line->x) / line->dot, v = (y - line->y) / line->dot;
        const int column = (int)floor(u), row = (int)floor(v);
        if (u < 0 || v < 0 || row >= FONT_HEIGHT ||
            column >= FONT_ADVANCE * (int)strlen(line->text))
            continue;
        if (font_dot(line->text[column / FONT_ADVANCE], column % FONT_ADVANCE, row))
            return line;
    }
    return NULL;
}

static void text(double x, double y, float out[3])
{
    const struct line *line = line_at(x, y);
    if (line != NULL)
        memcpy(out, line->ink, 3 * sizeof *out);
    else
        set(out, 0.8, 0.78, 0.72);
}

/* Bands with an even gradient on a display: grey, red, green, blue. */
static void gradient(double x, double y, float out[3])
{
    const double v = srgb_decode(fmin(fmax(x / SCENE_WIDTH, 0), 1) * 255);
    const int band = (int)(y * 4 / SCENE_HEIGHT);
    set(out, band > 1 ? 0 : v, band == 0 || band == 2 ? v : 0, band == 0 || band >= 3 ? v : 0);
}

static const struct {
    const char *name;
    void (*light)(double x, double y, float out[3]);
} scenes[SCENE_COUNT] = {
    {"chart", chart}, {"zone", zone}, {"edge", edge}, {"text", text}, {"gradient", gradient}};

const char *scene_name(enum scene scene)
{
    return scenes[scene].name;
}

/* Weights of the points around a pixel: its square, convolved with the lens. */
static void make_taps(double blur, double taps[TAPS])
{
    double sum = 0;
    for (int i = 0; i < TAPS; i++) {
        taps[i] = 0;
        for (int j = 0; j < SUB;
             j++) { /* points of the square; i and j count from its first point */
            const double d = (double)(i - TAIL * SUB - j) / SUB;
            taps[i] += blur > 0 ? exp(-d * d / (2 * blur * blur)) : d == 0;
        }
        sum += taps[i];
    }
    for (int i = 0; i < TAPS; i++)
        taps[i] /= sum;
}

/* One row of points, filtered for each pixel of the row. */
static void look_across(enum scene scene, int point_row, const double taps[TAPS], float *points,
                        float *out)
{
    const int count = SUB * (SCENE_WIDTH + 2 * TAIL);
    for (int i = 0; i < count; i++)
        scenes[scene].light((i + 0.5) / SUB - TAIL, (point_row + 0.5) / SUB - TAIL, points + 3 * i);
    for (int x = 0; x < SCENE_WIDTH; x++)
        for (int c = 0; c < 3; c++) {
            double sum = 0;
            for (int i = 0; i < TAPS; i++)
                sum += taps[i] * points[3 * (x * SUB + i) + c];
            out[3 * x + c] = (float)sum;
        }
}

float *scene_render(enum scene scene, double blur)
{
    double taps[TAPS];
    const int rows = SUB * (SCENE_HEIGHT + 2 * TAIL), row = 3 * SCENE_WIDTH;
    float *points = calloc(3 * SUB * (SCENE_WIDTH + 2 * TAIL), sizeof *points);
    float *across = calloc((size_t)rows * row, sizeof *across);
    float *out = calloc((size_t)SCENE_HEIGHT * row, sizeof *out);
    if (points != NULL && across != NULL && out != NULL) {
        make_taps(blur, taps);
        for (int y = 0; y < rows; y++)
            look_across(scene, y, taps, points, across + (size_t)y * row);
        for (int y = 0; y < SCENE_HEIGHT; y++)
            for (int i = 0; i < TAPS; i++)
                for (int x = 0; x < row; x++)
                    out[y * row + x] += (float)taps[i] * across[(y * SUB + i) * row + x];
    } else {
        free(out);
        out = NULL;
    }
    free(points);
    free(across);
    return out;
}

uint8_t *scene_truth(const float *light)
{
    const int samples = 3 * SCENE_WIDTH * SCENE_HEIGHT;
    uint8_t *out = malloc(samples);
    for (int i = 0; i < samples && out != NULL; i++)
        out[i] = (uint8_t)(srgb_encode(light[i]) + 0.5);
    return out;
}
