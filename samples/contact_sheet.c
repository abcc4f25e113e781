/* SPDX-License-Identifier: MIT */
/* Puts pictures side by side into one picture, each with its name below.
 *
 *     contact_sheet OUT.png COLUMNS WIDTH FILE.png=NAME...
 *
 * Each picture is scaled to WIDTH pixels by averaging. All should have the first one's aspect. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samples/font.h"
#include "samples/png_file.h"

enum { MARGIN = 8, CAPTION = 16, PAPER = 24, INK = 224 };

struct sheet {
    uint8_t *rgb;
    uint32_t width, height;           /* of the sheet */
    uint32_t cell_width, cell_height; /* of one picture */
    uint32_t columns;
};

/* Length of the intersection of [low, high] and [at, at + 1]. */
static double overlap(double low, double high, double at)
{
    const double from = low > at ? low : at, to = high < at + 1 ? high : at + 1;
    return to > from ? to - from : 0;
}

/* The mean of one channel in a rectangle of the picture. */
static uint8_t mean_of(const uint8_t *rgb, uint32_t width, const double box[4], int channel)
{
    double sum = 0, weight = 0;
    for (uint32_t y = (uint32_t)box[1]; y < box[3]; y++)
        for (uint32_t x = (uint32_t)box[0]; x < box[2]; x++) {
            const double part = overlap(box[0], box[2], x) * overlap(box[1], box[3], y);
            sum += part * rgb[3 * ((size_t)y * width + x) + (size_t)channel];
            weight += part;
        }
    return (uint8_t)(weight > 0 ? sum / weight + 0.5 : 0);
}

static void put_picture(const struct sheet *sheet, uint32_t left, uint32_t top, const uint8_t *rgb,
                        uint32_t width, uint32_t height)
{
    const double across = (double)width / sheet->cell_width,
                 down = (double)height / sheet->cell_height;
    for (uint32_t y = 0; y < sheet->cell_height; y++)
        for (uint32_t x = 0; x < sheet->cell_width; x++) {
            const double box[4] = {x * across, y * down, fmin((x + 1) * across, width),
                                   fmin((y + 1) * down, height)};
            uint8_t *to = sheet->rgb + 3 * ((size_t)(top + y) * sheet->width + left + x);
            for (int c = 0; c < 3; c++)
                to[c] = mean_of(rgb, width, box, c);
        }
}

/* Draws text, cut at the right edge of the cell. */
static void put_caption(const struct sheet *sheet, uint32_t left, uint32_t top, const char *text)
{
    for (uint32_t i = 0; text[i] != '\0' && (i + 1) * FONT_ADVANCE <= sheet->cell_width; i++)
        for (uint32_t y = 0; y < FONT_HEIGHT; y++)
            for (uint32_t x = 0; x < FONT_WIDTH; x++)
                if (font_dot(text[i], (int)x, (int)y))
                    memset(sheet->rgb +
                               3 * ((size_t)(top + y) * sheet->width + left + i * FONT_ADVANCE + x),
                           INK, 3);
}

/* Draws "FILE=NAME" into cell `index`. The first call allocates the sheet for `count` cells. */
static int put_cell(struct sheet *sheet, uint32_t index, uint32_t count, char *argument)
{
    uint32_t width = 0, height = 0;
    char *name = strrchr(argument, '=');
    if (name != NULL)
        *name++ = '\0';
    uint8_t *rgb = png_file_read(argument, &width, &height);
    if (rgb == NULL)
        return -1;
    if (sheet->rgb == NULL) {
        const uint32_t rows = (count + sheet->columns - 1) / sheet->columns;
        sheet->cell_height = (sheet->cell_width * height + width / 2) / width;
        sheet->width = MARGIN + sheet->columns * (sheet->cell_width + MARGIN);
        sheet->height = MARGIN + rows * (sheet->cell_height + CAPTION);
        const size_t bytes = (size_t)3 * sheet->width * sheet->height;
        sheet->rgb = malloc(bytes);
        if (sheet->rgb != NULL)
            memset(sheet->rgb, PAPER, bytes);
    }
    const uint32_t left = MARGIN + index % sheet->columns * (sheet->cell_width + MARGIN);
    const uint32_t top = MARGIN + index / sheet->columns * (sheet->cell_height + CAPTION);
    if (sheet->rgb != NULL) {
        put_picture(sheet, left, top, rgb, width, height);
        put_caption(sheet, left, top + sheet->cell_height + 4, name != NULL ? name : argument);
    }
    free(rgb);
    return sheet->rgb != NULL ? 0 : -1;
}

static uint32_t number_of(const char *text)
{
    char *end = NULL;
    const long value = strtol(text, &end, 10);
    return *end == '\0' && value >= 1 && value <= 4096 ? (uint32_t)value : 0;
}

int main(int argc, char **argv)
{
    struct sheet sheet = {0};
    if (argc > 4) {
        sheet.columns = number_of(argv[2]);
        sheet.cell_width = number_of(argv[3]);
    }
    if (sheet.columns == 0 || sheet.cell_width == 0) {
        fprintf(stderr, "usage: contact_sheet OUT.png COLUMNS WIDTH FILE.png=NAME...\n");
        return 2;
    }
    const uint32_t count = (uint32_t)argc - 4;
    int result = 0;
    for (uint32_t i = 0; i < count && result == 0; i++)
        result = put_cell(&sheet, i, count, argv[4 + i]);
    if (result == 0)
        result = png_file_write(argv[1], sheet.rgb, sheet.width, sheet.height);
    free(sheet.rgb);
    return result == 0 ? 0 : 1;
}
