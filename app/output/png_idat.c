/* SPDX-License-Identifier: MIT */
/* IDAT chunks: a zlib stream around our own blocks, or all of it zlib's. */
#include "app/output/png_idat.h"

#include <stdlib.h>

#include "app/output/deflate.h"

#define OUT_BYTES (1u << 17)
#define WRAP_BYTES 8 /* zlib's two at the begin, Adler-32 at the end */

static const png_byte idat_name[] = "IDAT";

int png_idat_init(struct png_idat *idat, const struct picture *picture, unsigned level)
{
    if (png_strip_init(&idat->strip, picture) != 0)
        return -1;
    idat->out_bytes =
        level == 1 ? deflate_bound(png_strip_max(&idat->strip)) + WRAP_BYTES : OUT_BYTES;
    idat->out = malloc(idat->out_bytes);
    if (idat->out == NULL)
        return -1;
    if (level == 1)
        return 0;
    idat->zlib_open = deflateInit2(&idat->zlib, (int)level, Z_DEFLATED, MAX_WBITS, MAX_MEM_LEVEL,
                                   Z_FILTERED) == Z_OK;
    return idat->zlib_open ? 0 : -1;
}

void png_idat_free(struct png_idat *idat)
{
    if (idat->zlib_open)
        deflateEnd(&idat->zlib);
    free(idat->out);
    png_strip_free(&idat->strip);
    *idat = (struct png_idat){0};
}

static uint8_t *put_bytes(uint8_t *out, uint32_t value, unsigned bytes)
{
    while (bytes-- > 0)
        *out++ = (uint8_t)(value >> 8 * bytes);
    return out;
}

/* A chunk for each strip. Bits of a byte that is not full yet begin the next chunk. */
static void write_runs(struct png_idat *idat, png_structp png)
{
    struct png_strip *strip = &idat->strip;
    struct deflate_out out = {.at = put_bytes(idat->out, 0x7801, 2)};
    uLong sum = adler32(0, NULL, 0);
    for (size_t bytes; (bytes = png_strip_next(strip)) > 0; out.at = idat->out) {
        const int last = strip->next == strip->picture.height;
        sum = adler32(sum, strip->filtered, (uInt)bytes);
        deflate_block(&out, strip->filtered, bytes, last);
        if (last)
            out.at = put_bytes(out.at, (uint32_t)sum, 4);
        png_write_chunk(png, idat_name, idat->out, (size_t)(out.at - idat->out));
    }
}

/* One strip through zlib; a chunk for each full buffer, and what is left after the last strip. */
static void write_zlib(struct png_idat *idat, png_structp png)
{
    struct png_strip *strip = &idat->strip;
    z_stream *zlib = &idat->zlib;
    int state = Z_OK;
    zlib->next_out = idat->out;
    zlib->avail_out = (uInt)idat->out_bytes;
    while (state != Z_STREAM_END) {
        if (zlib->avail_in == 0) {
            zlib->avail_in = (uInt)png_strip_next(strip);
            zlib->next_in = strip->filtered;
        }
        state = deflate(zlib, strip->next == strip->picture.height ? Z_FINISH : Z_NO_FLUSH);
        if (zlib->avail_out > 0 && state != Z_STREAM_END)
            continue;
        png_write_chunk(png, idat_name, idat->out, idat->out_bytes - zlib->avail_out);
        zlib->next_out = idat->out;
        zlib->avail_out = (uInt)idat->out_bytes;
    }
}

void png_idat_write(struct png_idat *idat, png_structp png)
{
    if (idat->zlib_open)
        write_zlib(idat, png);
    else
        write_runs(idat, png);
}
