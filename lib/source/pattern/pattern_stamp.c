/* SPDX-License-Identifier: MIT */
/* The stamp: digits of 5x7 dots and a row of blocks. */
#include "source/pattern/pattern_stamp.h"

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
#define DOT 2          /* pixels a side */
#define DOTS_ACROSS 5
#define DOTS_DOWN 7

#define BLOCKS 32
#define BLOCKS_X 12
#define BLOCKS_Y 28
#define BLOCK_WIDTH 4
#define BLOCK_HEIGHT 8

/* A byte for each row of dots, bit 4 the left one. */
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
