/* SPDX-License-Identifier: MIT */
/* Fills frames. */
#include "vcam/content.h"

#include <stdio.h>
#include <string.h>

#include "vcam/format.h"

static uint8_t byte_of(uint32_t number, size_t place)
{
    return (uint8_t)(number >> (8 * (place & 3)));
}

/* One period of a row; returns its length. */
static size_t number_unit(uint32_t fourcc, uint32_t number, uint8_t unit[8])
{
    const int luma_first = fourcc == V4L2_PIX_FMT_YUYV || fourcc == V4L2_PIX_FMT_YVYU;
    if (luma_first || fourcc == V4L2_PIX_FMT_UYVY || fourcc == V4L2_PIX_FMT_VYUY) {
        for (size_t i = 0; i < 4; i++) {
            unit[2 * i + !luma_first] = byte_of(number, i);
            unit[2 * i + luma_first] = 128;
        }
        return 8;
    }
    for (size_t i = 0; i < 4; i++)
        unit[i] = byte_of(number, i);
    if (vcam_pixels_of(fourcc)->row_bits != 10)
        return 4;
    unit[4] = 0;
    for (size_t i = 0; i < 4; i++)
        unit[4] |= (uint8_t)((unit[i] & 3) << (2 * i));
    return 5;
}

/* Doubles what is there until the row is full. */
static void repeat(uint8_t *row, size_t bytes, const uint8_t *unit, size_t unit_bytes)
{
    size_t have = unit_bytes < bytes ? unit_bytes : bytes;
    memcpy(row, unit, have);
    while (have < bytes) {
        const size_t more = have < bytes - have ? have : bytes - have;
        memcpy(row + have, row, more);
        have += more;
    }
}

static void fill_rows(const struct vcam_script *s, const struct vcam_format *format,
                      const uint8_t *unit, size_t unit_bytes, uint8_t *picture)
{
    const struct vcam_pixels *pixels = vcam_pixels_of(format->fourcc);
    const size_t bytes = vcam_frame_bytes(format);
    const size_t row = ((size_t)format->width * pixels->row_bits + 7) / 8;
    if (pixels->row_bits == 0 || pixels->row_bits != pixels->frame_bits || row == 0 ||
        row > format->stride) {
        repeat(picture, bytes, unit, unit_bytes);
        return;
    }
    repeat(picture, row, unit, unit_bytes);
    if (format->stride > row)
        memset(picture + row, s->padding >= 0 ? s->padding : 0, format->stride - row);
    const size_t rows = (size_t)format->stride * format->height;
    repeat(picture, rows < bytes ? rows : bytes, picture, format->stride);
    if (rows < bytes)
        memset(picture + rows, s->padding >= 0 ? s->padding : 0, bytes - rows);
}

/* The file is read anew for each frame: it is small, and it may be replaced. */
static void fill_from_file(const struct vcam_script *s, const struct vcam_format *format,
                           uint32_t number, uint8_t *picture)
{
    const size_t bytes = vcam_frame_bytes(format);
    FILE *file = fopen(s->file, "rbe");
    memset(picture, 0, bytes);
    if (file == NULL)
        return;
    if (fseek(file, 0, SEEK_END) == 0) {
        const long all = ftell(file);
        const long frames = all / (long)bytes > 0 ? all / (long)bytes : 1;
        if (fseek(file, (long)bytes * ((long)number % frames), SEEK_SET) == 0)
            (void)!fread(picture, 1, bytes, file);
    }
    fclose(file);
}

void vcam_content(const struct vcam_script *script, const struct vcam_format *format,
                  uint32_t number, uint8_t *picture)
{
    uint8_t unit[8];
    switch (script->content) {
    case VCAM_NUMBER: {
        const size_t bytes = number_unit(format->fourcc, number, unit);
        fill_rows(script, format, unit, bytes, picture);
        return;
    }
    case VCAM_FLOOD:
        memset(picture, (int)(number & 0xff), vcam_frame_bytes(format));
        return;
    case VCAM_HEX:
        fill_rows(script, format, script->hex, script->hex_bytes, picture);
        return;
    case VCAM_FILE:
        fill_from_file(script, format, number, picture);
        return;
    }
}
