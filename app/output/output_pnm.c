/* SPDX-License-Identifier: MIT */
/* Netpbm pictures: P6 for colour, P5 for one channel, 16 bits with the high byte first. */
#include "app/output/output_pnm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void pack8(unsigned char *out, const unsigned char *in, uint32_t width)
{
    for (uint32_t x = 0; x < width; x++, in += 4, out += 3) {
        out[0] = in[0];
        out[1] = in[1];
        out[2] = in[2];
    }
}

static void put16(unsigned char *out, uint16_t value)
{
    out[0] = (unsigned char)(value >> 8);
    out[1] = (unsigned char)value;
}

static void pack16(unsigned char *out, const uint16_t *in, uint32_t width)
{
    for (uint32_t x = 0; x < width; x++, in += 4, out += 6) {
        put16(out, in[0]);
        put16(out + 2, in[1]);
        put16(out + 4, in[2]);
    }
}

static void swap16(unsigned char *out, const uint16_t *in, uint32_t width)
{
    for (uint32_t x = 0; x < width; x++, out += 2)
        put16(out, in[x]);
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

int pnm_frame(FILE *file, const struct zcs_frame *frame, const struct output_style *style,
              char *why, size_t why_bytes)
{
    struct picture p;
    (void)style;
    if (picture_of_frame(&p, frame, why, why_bytes) != 0)
        return -1;
    const size_t bytes = (size_t)p.width * p.channels * (p.depth / 8);
    unsigned char *packed = malloc(bytes);
    int good = packed != NULL && fprintf(file, "P%d\n%u %u\n%u\n", p.channels == 3 ? 6 : 5, p.width,
                                         p.height, (1u << p.depth) - 1) > 0;
    for (uint32_t y = 0; y < p.height && good; y++) {
        const unsigned char *row = p.rows + y * p.stride_bytes;
        const int as_it_is = p.depth == 8 && p.channels == 1;
        if (!as_it_is)
            pack(packed, &p, row);
        good = fwrite(as_it_is ? row : packed, 1, bytes, file) == bytes;
    }
    if (!good)
        snprintf(why, why_bytes, "%s", strerror(packed == NULL ? ENOMEM : errno));
    free(packed);
    return good ? 0 : -1;
}
