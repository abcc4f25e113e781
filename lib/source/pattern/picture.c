/* SPDX-License-Identifier: MIT */
/* Draws the patterns (bars, ramp, zone plate, square) and the stamp. */
#include "source/pattern/picture.h"

#include <stddef.h>

#include "zcstream/source.h"

enum { BARS, RAMP, ZONE, SQUARE };

static const char *const names[] = {
    [BARS] = "bars", [RAMP] = "ramp", [ZONE] = "zone", [SQUARE] = "square", NULL};

#define FULL 65535u
#define DARK 8192u

const char *const *zcs_pattern_names(void)
{
    return names;
}

static struct zci_rgb gray(uint32_t value)
{
    return (struct zci_rgb){(uint16_t)value, (uint16_t)value, (uint16_t)value};
}

/* White to black: blue changes at every bar, red at every second, green at every fourth. */
static struct zci_rgb bar(uint32_t index)
{
    return (struct zci_rgb){
        .r = index & 2 ? 0 : FULL, .g = index & 4 ? 0 : FULL, .b = index & 1 ? 0 : FULL};
}

static uint32_t ramp(uint32_t x, uint32_t width)
{
    const uint64_t last = width > 1 ? width - 1 : 1;
    return (uint32_t)(((uint64_t)x * FULL * 2 + last) / (2 * last));
}

/* Half a sine wave for u = 0..65536, scaled to 0..65536. Bhaskara's 16 u (1 - u) / (5 - 4 u (1 -
 * u)) has an error of 0.2 %. */
static uint32_t half_wave(uint32_t u)
{
    const uint64_t p = (uint64_t)u * (65536 - u) >> 16;
    return (uint32_t)(16 * p * 65536 / (5 * 65536 - 4 * p));
}

/* The phase is r^2 / (2 * side) turns: it changes by half a turn a pixel at r = side / 2. */
static uint32_t zone(const struct zci_picture *p, uint32_t x, uint32_t y)
{
    const int64_t dx = (int64_t)x - p->width / 2, dy = (int64_t)y - p->height / 2;
    const uint64_t turn = 2 * (uint64_t)(p->width > p->height ? p->width : p->height);
    const uint32_t phase =
        (uint32_t)((uint64_t)(dx * dx + dy * dy) % turn * 131072 / turn + 32768) % 131072;
    const uint32_t wave = half_wave(phase % 65536) >> 1;
    return phase < 65536 ? 32768 + wave - (wave == 32768) : 32768 - wave;
}

/* The square has a quarter of the shorter side. */
struct zci_rect zci_picture_square(const struct zci_picture *picture, uint64_t sequence)
{
    if (picture->kind != SQUARE)
        return (struct zci_rect){0};
    const uint32_t shorter = picture->width < picture->height ? picture->width : picture->height;
    const uint32_t side = shorter < 4 ? 1 : shorter / 4;
    const uint32_t across = picture->width - side + 1, down = picture->height - side + 1;
    return (struct zci_rect){.x = (uint32_t)(sequence % across * 4 % across),
                             .y = (uint32_t)(sequence % down * 2 % down),
                             .width = side,
                             .height = side};
}

void zci_picture_row(const struct zci_picture *picture, uint32_t x, uint32_t y, uint32_t count,
                     struct zci_rgb *out)
{
    for (uint32_t i = 0; i < count; i++) {
        if (picture->kind == BARS)
            out[i] = bar((uint32_t)((uint64_t)(x + i) * 8 / picture->width));
        else if (picture->kind == RAMP)
            out[i] = gray(ramp(x + i, picture->width));
        else if (picture->kind == ZONE)
            out[i] = gray(zone(picture, x + i, y));
        else
            out[i] = gray(DARK);
    }
}

#define PANEL_X 8
#define PANEL_Y 8
#define PANEL_WIDTH 136
#define PANEL_HEIGHT 32
#define MIN_WIDTH 152
#define MIN_HEIGHT 48

#define DIGITS 10
#define DIGITS_X 12
#define DIGITS_Y 10
#define DIGIT_PITCH 12 /* pixels */
#define DOT 2          /* pixels, width and height */
#define DOTS_ACROSS 5
#define DOTS_DOWN 7

#define BLOCKS 32
#define BLOCKS_X 12
#define BLOCKS_Y 28
#define BLOCK_WIDTH 4
#define BLOCK_HEIGHT 8

/* One byte a row of dots; bit 4 is the leftmost dot. */
static const uint8_t font[10][DOTS_DOWN] = {
    {0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e}, {0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e},
    {0x0e, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1f}, {0x1f, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0e},
    {0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02}, {0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e},
    {0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e}, {0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08},
    {0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e}, {0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c},
};

struct zci_rect zci_stamp_rect(uint32_t width, uint32_t height)
{
    if (width < MIN_WIDTH || height < MIN_HEIGHT)
        return (struct zci_rect){0};
    return (struct zci_rect){PANEL_X, PANEL_Y, PANEL_WIDTH, PANEL_HEIGHT};
}

static int digit_pixel(uint64_t sequence, uint32_t x, uint32_t y)
{
    const uint32_t place = x / DIGIT_PITCH;
    const uint32_t column = x % DIGIT_PITCH / DOT, row = y / DOT;
    if (place >= DIGITS || column >= DOTS_ACROSS || row >= DOTS_DOWN)
        return 0;
    for (uint32_t i = place; i < DIGITS - 1; i++)
        sequence /= 10;
    return font[sequence % 10][row] >> (DOTS_ACROSS - 1 - column) & 1;
}

static int block_pixel(uint64_t sequence, uint32_t x, uint32_t y)
{
    const uint32_t block = x / BLOCK_WIDTH;
    if (block >= BLOCKS || y >= BLOCK_HEIGHT)
        return 0;
    return (uint32_t)sequence >> (BLOCKS - 1 - block) & 1;
}

int zci_stamp_pixel(uint64_t sequence, uint32_t x, uint32_t y)
{
    if (y >= BLOCKS_Y)
        return x >= BLOCKS_X && block_pixel(sequence, x - BLOCKS_X, y - BLOCKS_Y);
    return x >= DIGITS_X && y >= DIGITS_Y && digit_pixel(sequence, x - DIGITS_X, y - DIGITS_Y);
}
