/* SPDX-License-Identifier: MIT */
/* PNG files: libpng decodes the rows of an image into the slot. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <png.h>

#include "source/replay/media.h"

#define GAMMA_ONE 100000 /* an exponent of 1, in the units of the gAMA chunk */
#define GAMMA_SRGB 45455
#define PNG_SIGNATURE_BYTES 8u
#define CHUNK_BYTES 12u       /* of a chunk without its data: length, type and checksum */
#define CHUNKS_LIMIT 1000000u /* that are looked at */
#define CHUNK_PEEK_BYTES 16u  /* with the first word of the data and the checksum */

/* The state of one decoder, for libpng's callbacks and across longjmp. */
struct decoder {
    struct zci_media *m;
    uint64_t at;       /* the offset of the next byte in the file */
    zcs_status failed; /* < 0: a read failed, which was logged */
    png_structp png;
    png_infop info;
    char why[160];
};

static void on_error(png_structp png, png_const_charp message)
{
    struct decoder *d = png_get_error_ptr(png);
    snprintf(d->why, sizeof d->why, "%s", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void on_read(png_structp png, png_bytep out, size_t bytes)
{
    struct decoder *d = png_get_io_ptr(png);
    while (bytes > 0) {
        const size_t want = bytes < ZCI_PEEK_BYTES ? bytes : ZCI_PEEK_BYTES;
        const uint8_t *data;
        size_t got = 0;
        d->failed = zci_reader_peek(&d->m->reader, d->at, want, INT64_MAX, &data, &got);
        if (d->failed != ZCS_OK)
            png_error(png, "reading failed");
        if (got < want)
            png_error(png, "the file ends too soon");
        memcpy(out, data, got);
        out += got;
        bytes -= got;
        d->at += got;
    }
}

static zcs_status begin(struct decoder *d, struct zci_media *m)
{
    *d = (struct decoder){.m = m};
    d->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, d, on_error, on_warning);
    if (d->png != NULL)
        d->info = png_create_info_struct(d->png);
    if (d->info == NULL) {
        png_destroy_read_struct(&d->png, NULL, NULL);
        return zci_fail(m->log, ZCS_ERR_NOMEM, "%s: no memory to decode it", m->reader.name);
    }
    png_set_read_fn(d->png, d, on_read);
    png_set_user_limits(d->png, ZCS_MAX_DIMENSION, ZCS_MAX_DIMENSION);
    return ZCS_OK;
}

static void end(struct decoder *d)
{
    png_destroy_read_struct(&d->png, &d->info, NULL);
}

static struct zcs_color color_of(const struct decoder *d, int grey)
{
    struct zcs_color color = {.transfer = grey ? ZCS_TRANSFER_AUTO : ZCS_TRANSFER_SRGB};
    png_fixed_point gamma = 0;
    if (png_get_valid(d->png, d->info, PNG_INFO_sRGB)) {
        color.transfer = ZCS_TRANSFER_SRGB;
    } else if (png_get_gAMA_fixed(d->png, d->info, &gamma) && gamma > 0) {
        color.transfer = gamma == GAMMA_ONE    ? ZCS_TRANSFER_LINEAR
                         : gamma == GAMMA_SRGB ? ZCS_TRANSFER_SRGB
                                               : ZCS_TRANSFER_POWER;
        if (color.transfer == ZCS_TRANSFER_POWER)
            color.gamma_milli = (uint32_t)(UINT64_C(1000) * GAMMA_ONE / (uint32_t)gamma);
        if (color.transfer == ZCS_TRANSFER_POWER && color.gamma_milli == 0)
            color.gamma_milli = 1;
    }
    return color;
}

/* Sets the declared image from the chunks before the pixels. */
static void describe(struct decoder *d)
{
    struct zci_media *m = d->m;
    const int type = png_get_color_type(d->png, d->info);
    const int deep = png_get_bit_depth(d->png, d->info) == 16;
    const int grey = !(type & PNG_COLOR_MASK_COLOR);
    const int alpha = !grey && (type & PNG_COLOR_MASK_ALPHA);
    m->declared = (struct zci_request){.width = png_get_image_width(d->png, d->info),
                                       .height = png_get_image_height(d->png, d->info),
                                       .color = color_of(d, grey)};
    m->declared.format = grey    ? deep ? ZCS_PIXFMT_Y16_BE : ZCS_PIXFMT_GREY
                         : deep  ? ZCS_PIXFMT_RGBA64
                         : alpha ? ZCS_PIXFMT_RGBA32
                                 : ZCS_PIXFMT_RGB24;
    m->code_bytes = !grey ? 0 : deep ? 2 : 1;
}

/* Grey samples stay as they are. Colours become bytes, or four little-endian words a pixel. */
static void transform(struct decoder *d)
{
    const int type = png_get_color_type(d->png, d->info);
    const int deep = png_get_bit_depth(d->png, d->info) == 16;
    const int grey = !(type & PNG_COLOR_MASK_COLOR);
    if (type == PNG_COLOR_TYPE_PALETTE)
        png_set_palette_to_rgb(d->png);
    if (grey && !deep)
        png_set_expand_gray_1_2_4_to_8(d->png);
    if (grey || (type == PNG_COLOR_TYPE_PALETTE))
        png_set_strip_alpha(d->png);
    if (!grey && deep && !(type & PNG_COLOR_MASK_ALPHA))
        png_set_add_alpha(d->png, 65535, PNG_FILLER_AFTER);
    if (deep && (!grey || d->m->conversion == ZCI_CONVERT_SWAP))
        png_set_swap(d->png);
}

static int decode(struct decoder *d, uint8_t *out)
{
    const struct zcs_image *image = &d->m->image;
    if (setjmp(png_jmpbuf(d->png)))
        return 0;
    png_read_info(d->png, d->info);
    const struct zci_request opened = d->m->declared;
    describe(d);
    if (opened.width != d->m->declared.width || opened.height != d->m->declared.height ||
        opened.format != d->m->declared.format)
        png_error(d->png, "the file has changed since it was opened");
    transform(d);
    const int passes = png_set_interlace_handling(d->png);
    png_read_update_info(d->png, d->info);
    if (png_get_rowbytes(d->png, d->info) > image->stride_bytes[0])
        png_error(d->png, "a row is longer than it should be");
    for (int pass = 0; pass < passes; pass++)
        for (size_t y = 0; y < image->height; y++)
            png_read_row(d->png, out + y * image->stride_bytes[0], NULL);
    return 1;
}

static zcs_status png_read_frame(struct zci_media *m, struct zci_slot *slot)
{
    struct decoder d;
    const zcs_status status = begin(&d, m);
    if (status != ZCS_OK)
        return status;
    const int whole = decode(&d, slot->memory.host);
    end(&d);
    if (!whole && d.failed < 0)
        return d.failed;
    if (!whole) {
        zci_log(m->log, ZCS_LOG_WARNING, "%s: %s: ignored", m->reader.name, d.why);
        return ZCS_ERR_FORMAT;
    }
    slot->frame.host = slot->frame.device_data = slot->memory.host;
    slot->frame.path = ZCS_PATH_READ;
    slot->frame.cpu_bytes_copied = m->image.size_bytes;
    return ZCS_OK;
}

static int read_info(struct decoder *d)
{
    if (setjmp(png_jmpbuf(d->png)))
        return 0;
    png_read_info(d->png, d->info);
    describe(d);
    return 1;
}

static uint32_t word_at(const uint8_t *data)
{
    return (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 | data[3];
}

/* Counts the pictures that are not read, from chunk to chunk: of an animation, and of PNGs behind
 * the first one. What follows the last PNG is no picture. Fails if the file cannot be read. */
static zcs_status count_unread(struct zci_media *m)
{
    uint64_t at = PNG_SIGNATURE_BYTES, pictures = 1;
    for (uint32_t chunk = 0; chunk < CHUNKS_LIMIT; chunk++) {
        const uint8_t *data;
        size_t got;
        const zcs_status status =
            zci_reader_peek(&m->reader, at, CHUNK_PEEK_BYTES, INT64_MAX, &data, &got);
        if (status != ZCS_OK)
            return status;
        if (got < CHUNK_BYTES)
            break;
        const uint64_t next = at + CHUNK_BYTES + word_at(data);
        if (memcmp(data + 4, "acTL", 4) == 0 && got == CHUNK_PEEK_BYTES && word_at(data + 8) > 1)
            pictures += word_at(data + 8) - 1;
        at = next;
        if (memcmp(data + 4, "IEND", 4) != 0)
            continue;
        m->unused_bytes = at < m->reader.size_bytes ? m->reader.size_bytes - at : 0;
        const zcs_status read =
            zci_reader_peek(&m->reader, at, PNG_SIGNATURE_BYTES, INT64_MAX, &data, &got);
        if (read != ZCS_OK)
            return read;
        if (got < PNG_SIGNATURE_BYTES || png_sig_cmp(data, 0, got) != 0)
            break;
        at += PNG_SIGNATURE_BYTES;
        pictures++;
    }
    m->unread_pictures = pictures - 1;
    return ZCS_OK;
}

static zcs_status png_open(struct zci_media *m, int64_t deadline_ns)
{
    struct decoder d;
    (void)deadline_ns;
    const zcs_status status = begin(&d, m);
    if (status != ZCS_OK)
        return status;
    const int good = read_info(&d);
    end(&d);
    m->reader.reason = "the image is decoded";
    if (good)
        return count_unread(m);
    if (d.failed < 0)
        return d.failed;
    return zci_fail(m->log, ZCS_ERR_FORMAT, "%s: %s", m->reader.name, d.why);
}

static int png_is(const uint8_t *data, size_t bytes)
{
    return bytes >= 8 && png_sig_cmp(data, 0, 8) == 0;
}

static zcs_status png_count(struct zci_media *m)
{
    m->frames = 1;
    return ZCS_OK;
}

static zcs_status png_find(struct zci_media *m, uint64_t n, int64_t deadline_ns,
                           struct zci_media_frame *out)
{
    (void)n;
    (void)deadline_ns;
    *out = (struct zci_media_frame){.bytes = m->image.size_bytes};
    return ZCS_OK;
}

const struct zci_media_ops zci_media_png = {.name = "PNG",
                                            .is = png_is,
                                            .open = png_open,
                                            .count = png_count,
                                            .find = png_find,
                                            .read = png_read_frame};
