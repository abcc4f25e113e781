/* SPDX-License-Identifier: MIT */
/* The table of output file formats, and the encoders of PNM, raw and Y4M. PNG has a file of its
 * own. */
#include "app/output/encoder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/output/png.h"

static int fail(char *why, size_t why_bytes, int error)
{
    snprintf(why, why_bytes, "%s", strerror(error));
    return -1;
}

/* --- PNM: P6 for colour, P5 for one channel; 16-bit samples have the high byte first --- */

static void pack8(unsigned char *out, const unsigned char *in, uint32_t width)
{
    for (uint32_t x = 0; x < width; x++, in += 4, out += 3) {
        out[0] = in[0];
        out[1] = in[1];
        out[2] = in[2];
    }
}

static void put16_be(unsigned char *out, uint16_t value)
{
    out[0] = (unsigned char)(value >> 8);
    out[1] = (unsigned char)value;
}

static void pack16(unsigned char *out, const uint16_t *in, uint32_t width)
{
    for (uint32_t x = 0; x < width; x++, in += 4, out += 6) {
        put16_be(out, in[0]);
        put16_be(out + 2, in[1]);
        put16_be(out + 4, in[2]);
    }
}

static void swap16(unsigned char *out, const uint16_t *in, uint32_t width)
{
    for (uint32_t x = 0; x < width; x++, out += 2)
        put16_be(out, in[x]);
}

static void pack(unsigned char *out, const struct picture *p, const unsigned char *row)
{
    if (p->depth == 16 && p->channels == 3)
        pack16(out, (const uint16_t *)(const void *)row, p->width);
    else if (p->depth == 16)
        swap16(out, (const uint16_t *)(const void *)row, p->width);
    else
        pack8(out, row, p->width);
}

/* Each picture has its own header, so that a file can hold several in a row. */
static int pnm_frame(FILE *file, const struct zcs_frame *frame,
                     const struct encoder_options *options, char *why, size_t why_bytes)
{
    struct picture p;
    (void)options;
    if (picture_of_frame(&p, frame, why, why_bytes) != 0)
        return -1;
    const size_t bytes = (size_t)p.width * p.channels * (p.depth / 8);
    unsigned char *packed = malloc(bytes);
    int good = packed != NULL && fprintf(file, "P%d\n%u %u\n%u\n", p.channels == 3 ? 6 : 5, p.width,
                                         p.height, (1u << p.depth) - 1) > 0;
    for (uint32_t y = 0; y < p.height && good; y++) {
        const unsigned char *row = p.rows + y * p.stride_bytes;
        const int unchanged = p.depth == 8 && p.channels == 1;
        if (!unchanged)
            pack(packed, &p, row);
        good = fwrite(unchanged ? row : packed, 1, bytes, file) == bytes;
    }
    const int error = packed == NULL ? ENOMEM : errno;
    free(packed);
    return good ? 0 : fail(why, why_bytes, error);
}

/* --- raw: rows of results as they are in memory, without padding; zcapp can read them again --- */

static int raw_frame(FILE *file, const struct zcs_frame *frame,
                     const struct encoder_options *options, char *why, size_t why_bytes)
{
    struct picture p;
    (void)options;
    if (picture_of_frame(&p, frame, why, why_bytes) != 0)
        return -1;
    for (uint32_t y = 0; y < p.height; y++)
        if (fwrite(p.rows + y * p.stride_bytes, 1, p.row_bytes, file) != p.row_bytes)
            return fail(why, why_bytes, errno);
    return 0;
}

/* --- Y4M --- */

/* YUV4MPEG2: colour as 4:4:4 in BT.601, limited range; one channel as mono, full range; 8 or 16
 * bits. The format cannot name the matrix, and readers assume BT.601. With
 * N = 299 R + 587 G + 114 B, at 8 bits,
 *   Y  =  16 + 219 N / 255000
 *   Cb = 128 + 224 (1000 B - N) / 451860      Cr = 128 + 224 (1000 R - N) / 357510
 * and at 16 bits with 256 times the offsets and ranges, and 65535 in place of 255. */

#define BLOCK 64

/* value = (r R + g G + b B) * scale + offset, truncated. The sum in the brackets is an integer:
 * exact in a float at 8 bits, in a double at 16 bits. The rest is computed in double, whose error
 * is smaller than the distance of any other value to a tie. TIE rounds ties up: it is smaller than
 * the smallest such distance, 1 / 357510. */
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

/* Assembles words first, and computes a whole block at the end of the row, so that compilers
 * vectorise the loops. */
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

/* The format stores the low byte first. */
static void put16_le(uint8_t *out, uint32_t value)
{
    out[0] = (uint8_t)value;
    out[1] = (uint8_t)(value >> 8);
}

static void row16(uint8_t *out, const uint16_t *in, uint32_t width, const struct plane *plane)
{
    const double r = plane->r, g = plane->g, b = plane->b, offset = plane->offset * 256 + 0.5;
    for (uint32_t x = 0; x < width; x++, in += 4, out += 2)
        put16_le(out, (uint32_t)(int32_t)((r * in[0] + g * in[1] + b * in[2]) * plane->scale16 +
                                          offset));
}

static void row_mono(uint8_t *out, const unsigned char *in, const struct picture *p)
{
    const uint16_t *words = (const uint16_t *)(const void *)in;
    if (p->depth == 8)
        memcpy(out, in, p->width);
    else
        for (uint32_t x = 0; x < p->width; x++)
            put16_le(out + 2 * (size_t)x, words[x]);
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

/* Uses the rate of the input, or 25 if it is unknown. */
static int y4m_head(FILE *file, const struct zcs_frame *first,
                    const struct encoder_options *options, char *why, size_t why_bytes)
{
    struct picture p;
    if (picture_of_frame(&p, first, why, why_bytes) != 0)
        return -1;
    const int known = options->fps_num > 0 && options->fps_den > 0;
    const char *depth = p.depth == 8 ? "" : p.channels == 3 ? "p16" : "16";
    if (fprintf(file, "YUV4MPEG2 W%u H%u F%u:%u Ip A1:1 C%s%s XCOLORRANGE=%s\n", p.width, p.height,
                known ? options->fps_num : 25u, known ? options->fps_den : 1u,
                p.channels == 3 ? "444" : "mono", depth, p.channels == 3 ? "LIMITED" : "FULL") > 0)
        return 0;
    return fail(why, why_bytes, errno);
}

static int y4m_frame(FILE *file, const struct zcs_frame *frame,
                     const struct encoder_options *options, char *why, size_t why_bytes)
{
    struct picture p;
    (void)options;
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
    const int error = line == NULL ? ENOMEM : errno;
    free(line);
    return good ? 0 : fail(why, why_bytes, error);
}

/* --- the table --- */

// clang-format off
const struct encoder encoders[] = {
    /* name  ending  series channels head      frame */
    {"PNG",  ".png", 0,     0,       NULL,     png_frame},
    {"Y4M",  ".y4m", 1,     0,       y4m_head, y4m_frame},
    {"PPM",  ".ppm", 1,     3,       NULL,     pnm_frame},
    {"PGM",  ".pgm", 1,     1,       NULL,     pnm_frame},
    {"PNM",  ".pnm", 1,     0,       NULL,     pnm_frame},
    {"raw",  ".raw", 1,     0,       NULL,     raw_frame},
};
// clang-format on

const unsigned encoder_count = sizeof encoders / sizeof *encoders;

static int has_ending(const char *text, const char *ending)
{
    const size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcasecmp(text + length - tail, ending) == 0;
}

const struct encoder *encoder_of(const char *name)
{
    for (unsigned i = 0; i < encoder_count; i++)
        if (has_ending(name, encoders[i].ending))
            return &encoders[i];
    return NULL;
}
