/* SPDX-License-Identifier: MIT */
/* YUV4MPEG2: colour as 4:4:4 in BT.601, limited range; one channel as mono, full range; 8 and 16 bits.
 *
 * The format has no word for the matrix, and readers take BT.601 where none is said. With
 * N = 299 R + 587 G + 114 B, at 8 bits,
 *   Y  =  16 + 219 N / 255000
 *   Cb = 128 + 224 (1000 B - N) / 451860      Cr = 128 + 224 (1000 R - N) / 357510
 * and at 16 bits with 256 times the offsets and spans, and 65535 in place of 255. */
#include "app/output/output_y4m.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 64

/* value = (r R + g G + b B) * scale + offset, cut off. The bracket is a whole number and exact in a float at
 * 8 bits, in a double at 16; the rest is in double, where a fraction that is no tie is further from one
 * than any error. TIE takes ties up: it is less than the least distance of anything else, 1 / 357510. */
struct plane {
    float r, g, b;
    double scale8, scale16, offset;
};
#define TIE 1e-6

static const struct plane color_planes[] = {
    {299, 587, 114, 219 / 255000.0, 219 * 256 / 65535000.0, 16},
    {-299, -587, 886, 224 / 451860.0, 224 * 256 / 116128020.0, 128},
    {701, -587, -114, 224 / 357510.0, 224 * 256 / 91880070.0, 128},
};

static void block8(uint8_t *out, const uint32_t *rgba, const struct plane *plane)
{
    const double offset = plane->offset + 0.5 + TIE;
    for (int i = 0; i < BLOCK; i++) {
        const float r = (float)(int32_t)(rgba[i] & 255), g = (float)(int32_t)(rgba[i] >> 8 & 255),
                    b = (float)(int32_t)(rgba[i] >> 16 & 255);
        const float n = plane->r * r + plane->g * g + plane->b * b;
        out[i] = (uint8_t)(int32_t)(n * plane->scale8 + offset);
    }
}

/* Words are put together first, and a row's end is done in a whole block: loops that compilers vectorise. */
static void row8(uint8_t *out, const uint8_t *in, uint32_t width, const struct plane *plane)
{
    uint32_t rgba[BLOCK] = {0};
    uint8_t done[BLOCK];
    for (uint32_t x = 0; x < width; x += BLOCK, in += (size_t)4 * BLOCK) {
        const uint32_t count = width - x < BLOCK ? width - x : BLOCK;
        for (uint32_t i = 0; i < count; i++)
            rgba[i] = in[4 * i] | (uint32_t)in[4 * i + 1] << 8 | (uint32_t)in[4 * i + 2] << 16;
        block8(done, rgba, plane);
        memcpy(out + x, done, count);
    }
}

/* The format's samples of 16 bits have the low byte first. */
static void put16(uint8_t *out, uint32_t value)
{
    out[0] = (uint8_t)value;
    out[1] = (uint8_t)(value >> 8);
}

static void row16(uint8_t *out, const uint16_t *in, uint32_t width, const struct plane *plane)
{
    const double r = plane->r, g = plane->g, b = plane->b, offset = plane->offset * 256 + 0.5;
    for (uint32_t x = 0; x < width; x++, in += 4, out += 2)
        put16(out,
              (uint32_t)(int32_t)((r * in[0] + g * in[1] + b * in[2]) * plane->scale16 + offset));
}

static void row_mono(uint8_t *out, const unsigned char *in, const struct picture *p)
{
    const uint16_t *words = (const uint16_t *)(const void *)in;
    if (p->depth == 8)
        memcpy(out, in, p->width);
    else
        for (uint32_t x = 0; x < p->width; x++)
            put16(out + 2 * (size_t)x, words[x]);
}

static void make_row(uint8_t *out, const struct picture *p, uint32_t y, unsigned plane)
{
    const unsigned char *in = p->rows + y * p->stride_bytes;
    if (p->channels == 1)
        row_mono(out, in, p);
    else if (p->depth == 8)
        row8(out, in, p->width, &color_planes[plane]);
    else
        row16(out, (const uint16_t *)(const void *)in, p->width, &color_planes[plane]);
}

int y4m_head(FILE *file, const struct zcs_frame *first, const struct output_style *style, char *why,
             size_t why_bytes)
{
    struct picture p;
    if (picture_of_frame(&p, first, why, why_bytes) != 0)
        return -1;
    const int known = style->fps_num > 0 && style->fps_den > 0;
    const char *depth = p.depth == 8 ? "" : p.channels == 3 ? "p16" : "16";
    if (fprintf(file, "YUV4MPEG2 W%u H%u F%u:%u Ip A1:1 C%s%s XCOLORRANGE=%s\n", p.width, p.height,
                known ? style->fps_num : 25u, known ? style->fps_den : 1u,
                p.channels == 3 ? "444" : "mono", depth, p.channels == 3 ? "LIMITED" : "FULL") > 0)
        return 0;
    snprintf(why, why_bytes, "%s", strerror(errno));
    return -1;
}

int y4m_frame(FILE *file, const struct zcs_frame *frame, const struct output_style *style,
              char *why, size_t why_bytes)
{
    struct picture p;
    (void)style;
    if (picture_of_frame(&p, frame, why, why_bytes) != 0)
        return -1;
    const size_t bytes = (size_t)p.width * (p.depth / 8);
    unsigned char *line = malloc(bytes);
    int good = line != NULL && fputs("FRAME\n", file) >= 0;
    for (unsigned plane = 0; plane < p.channels && good; plane++)
        for (uint32_t y = 0; y < p.height && good; y++) {
            make_row(line, &p, y, plane);
            good = fwrite(line, 1, bytes, file) == bytes;
        }
    if (!good)
        snprintf(why, why_bytes, "%s", strerror(line == NULL ? ENOMEM : errno));
    free(line);
    return good ? 0 : -1;
}
