/* SPDX-License-Identifier: MIT */
/* The PNG encoder: the frame's pixels unchanged, and chunks that describe them correctly. */
#include "app/output/png.h"

#include <errno.h>
#include <inttypes.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "app/output/deflate.h"
#include "app/output/png_rows.h"
#include "app/cli/utf8.h"

#define IDAT_BYTES (1u << 17) /* per chunk: fewer and larger writes than libpng's 8 KiB */
#define WRAP_BYTES 8          /* two bytes of zlib header, Adler-32 at the end */

/* --- IDAT chunks --- */

static const png_byte idat_name[] = "IDAT";

/* IDAT chunks: one zlib stream, of our own deflate blocks at level 1, of zlib's at 2 to 8. */
struct idat {
    struct png_strip strip;
    uint8_t *out;
    size_t out_bytes;
    z_stream zlib; /* for levels that search for repetitions */
    int zlib_open;
};

/* `idat` is zeroed. 0, or -1: out of memory. Call idat_free in both cases. */
static int idat_init(struct idat *idat, const struct picture *picture, unsigned level)
{
    if (png_strip_init(&idat->strip, picture) != 0)
        return -1;
    idat->out_bytes =
        level == 1 ? deflate_bound(png_strip_max(&idat->strip)) + WRAP_BYTES : IDAT_BYTES;
    idat->out = malloc(idat->out_bytes);
    if (idat->out == NULL)
        return -1;
    if (level == 1)
        return 0;
    idat->zlib_open = deflateInit2(&idat->zlib, (int)level, Z_DEFLATED, MAX_WBITS, MAX_MEM_LEVEL,
                                   Z_FILTERED) == Z_OK;
    return idat->zlib_open ? 0 : -1;
}

static void idat_free(struct idat *idat)
{
    if (idat->zlib_open)
        deflateEnd(&idat->zlib);
    free(idat->out);
    png_strip_free(&idat->strip);
    *idat = (struct idat){0};
}

static uint8_t *put_bytes(uint8_t *out, uint32_t value, unsigned bytes)
{
    while (bytes-- > 0)
        *out++ = (uint8_t)(value >> 8 * bytes);
    return out;
}

/* Writes one chunk per strip. The bits of an incomplete byte start the next chunk. */
static void write_runs(struct idat *idat, png_structp png)
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

/* Compresses strips with zlib. Writes a chunk per full buffer, and the rest after the last
 * strip. */
static void write_zlib(struct idat *idat, png_structp png)
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

/* Writes all chunks. libpng jumps on failure. */
static void idat_write(struct idat *idat, png_structp png)
{
    if (idat->zlib_open)
        write_zlib(idat, png);
    else
        write_runs(idat, png);
}

/* --- the picture --- */

#define MAX_TEXTS 5

struct job {
    FILE *file;
    const struct zcs_frame *frame;
    const struct encoder_options *options;
    struct picture picture;
    png_structp png;
    png_infop info;
    struct idat idat;
    int error;     /* errno of a failed write */
    char why[128]; /* libpng's message otherwise */
};

static void on_error(png_structp png, png_const_charp message)
{
    struct job *job = png_get_error_ptr(png);
    snprintf(job->why, sizeof job->why, "%s", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void on_write(png_structp png, png_bytep data, size_t bytes)
{
    struct job *job = png_get_io_ptr(png);
    errno = 0;
    if (fwrite(data, 1, bytes, job->file) == bytes)
        return;
    job->error = errno != 0 ? errno : EIO;
    png_error(png, "write");
}

static void on_flush(png_structp png)
{
    (void)png;
}

/* libpng itself does levels 0 (stored) and 9 (all filters tried on each row). */
static int encodes_rows(const struct job *job)
{
    return job->options->png_level >= 1 && job->options->png_level <= 8;
}

static void set_compression(struct job *job)
{
    const unsigned level = job->options->png_level;
    png_set_compression_buffer_size(job->png, IDAT_BYTES);
    png_set_compression_level(job->png, (int)level);
    png_set_compression_strategy(job->png, Z_FILTERED);
    png_set_filter(job->png, PNG_FILTER_TYPE_BASE, level == 0 ? PNG_FILTER_NONE : PNG_ALL_FILTERS);
}

static void set_transfer(struct job *job)
{
    const struct zcs_color *color = &job->frame->image.color;
    if (color->transfer == ZCS_TRANSFER_LINEAR) {
        png_set_gAMA_fixed(job->png, job->info, PNG_FP_1);
    } else if (color->transfer == ZCS_TRANSFER_POWER && color->gamma_milli > 0) {
        const uint64_t gamma = color->gamma_milli;
        png_set_gAMA_fixed(job->png, job->info,
                           (png_fixed_point)((UINT64_C(100000) * 1000 + gamma / 2) / gamma));
    } else if (color->transfer == ZCS_TRANSFER_SRGB) {
        png_set_sRGB(job->png, job->info, PNG_sRGB_INTENT_PERCEPTUAL);
        png_set_gAMA_fixed(job->png, job->info, 45455);
    }
}

static void set_significant_bits(struct job *job)
{
    const uint32_t bits = job->frame->image.bits;
    const enum zcs_pixfmt format = job->options->format;
    if (bits == 0 || bits >= job->picture.depth)
        return;
    /* `bits` is the maximum of all channels; in 5-6-5 only green has it. */
    const int green_only =
        (format == ZCS_PIXFMT_RGB565 || format == ZCS_PIXFMT_RGB565X) && bits == 6;
    const png_byte b = (png_byte)bits, rb = (png_byte)(green_only ? bits - 1 : bits);
    const png_color_8 significant = {.red = rb, .green = b, .blue = rb, .gray = b};
    png_set_sBIT(job->png, job->info, &significant);
}

/* Replaces control characters and bytes that are not UTF-8 with '?'. Returns 1 for text beyond
 * ASCII. */
static int clean(char *out, size_t out_bytes, const char *text)
{
    size_t used = 0;
    int wide = 0;
    while (*text != '\0') {
        const size_t bytes = utf8_bytes(text);
        if (used + (bytes > 0 ? bytes : 1) >= out_bytes)
            break;
        const int plain = bytes == 1 && (unsigned char)*text >= ' ' && *text != 127;
        if (bytes > 1 || plain)
            memcpy(out + used, text, bytes);
        else
            out[used] = '?';
        wide |= bytes > 1;
        used += bytes > 0 ? bytes : 1;
        text += bytes > 0 ? bytes : 1;
    }
    out[used] = '\0';
    return wide;
}

static void format_time(char *out, size_t out_bytes, const struct zcs_frame *frame)
{
    const uint64_t ns =
        frame->time_ns < 0 ? 0 - (uint64_t)frame->time_ns : (uint64_t)frame->time_ns;
    snprintf(out, out_bytes, "%s%" PRIu64 ".%09" PRIu64 " s (%s)", frame->time_ns < 0 ? "-" : "",
             ns / 1000000000u, ns % 1000000000u, zcs_clock_name(frame->clock));
}

static void add_text(png_text *texts, int *count, int compression, const char *key, char *text)
{
    texts[(*count)++] = (png_text){.compression = compression, .key = (png_charp)key, .text = text};
}

static void set_texts(struct job *job)
{
    const struct zcs_frame *frame = job->frame;
    char software[64], source[4096], sequence[32], time[64], digest[32];
    png_text texts[MAX_TEXTS];
    int count = 0;
    const int wide = clean(source, sizeof source, job->options->source);
    snprintf(software, sizeof software, "zcapp %s", zcs_version());
    snprintf(sequence, sizeof sequence, "%" PRIu64, frame->sequence);
    format_time(time, sizeof time, frame);
    snprintf(digest, sizeof digest, "%016" PRIx64, frame->digest);
    add_text(texts, &count, PNG_TEXT_COMPRESSION_NONE, "Software", software);
    add_text(texts, &count, wide ? PNG_ITXT_COMPRESSION_NONE : PNG_TEXT_COMPRESSION_NONE, "Source",
             source);
    add_text(texts, &count, PNG_TEXT_COMPRESSION_NONE, "Sequence", sequence);
    if (frame->clock != ZCS_CLOCK_NONE)
        add_text(texts, &count, PNG_TEXT_COMPRESSION_NONE, "Time", time);
    if (frame->flags & ZCS_FRAME_DIGEST)
        add_text(texts, &count, PNG_TEXT_COMPRESSION_NONE, "Digest", digest);
    png_set_text(job->png, job->info, texts, count);
}

static void write_rows(struct job *job)
{
    const struct picture *picture = &job->picture;
    if (picture->channels == 3)
        png_set_filler(job->png, 0, PNG_FILLER_AFTER);
    if (picture->depth == 16 && !picture_big_endian())
        png_set_swap(job->png);
    for (uint32_t y = 0; y < picture->height; y++)
        png_write_row(job->png, picture->rows + y * picture->stride_bytes);
    png_write_end(job->png, NULL);
}

/* Writes IEND itself: libpng's png_write_end expects rows that libpng encoded. */
static void encode_rows(struct job *job)
{
    static const png_byte end[] = "IEND";
    if (idat_init(&job->idat, &job->picture, job->options->png_level) != 0) {
        job->error = ENOMEM;
        png_error(job->png, "rows");
    }
    idat_write(&job->idat, job->png);
    png_write_chunk(job->png, end, NULL, 0);
}

/* Everything after setjmp keeps its state in the job, so that a jump loses nothing. */
static int write_all(struct job *job)
{
    if (setjmp(png_jmpbuf(job->png)) != 0)
        return -1;
    png_set_write_fn(job->png, job, on_write, on_flush);
    const int rgb = job->picture.channels == 3;
    png_set_IHDR(job->png, job->info, job->picture.width, job->picture.height,
                 (int)job->picture.depth, rgb ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    set_compression(job);
    set_transfer(job);
    set_significant_bits(job);
    set_texts(job);
    png_write_info(job->png, job->info);
    if (encodes_rows(job))
        encode_rows(job);
    else
        write_rows(job);
    return 0;
}

int png_frame(FILE *file, const struct zcs_frame *frame, const struct encoder_options *options,
              char *why, size_t why_bytes)
{
    struct job job = {.file = file, .frame = frame, .options = options};
    int result = -1;
    if (picture_of_frame(&job.picture, frame, why, why_bytes) != 0)
        return -1;
    job.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &job, on_error, on_warning);
    job.info = job.png != NULL ? png_create_info_struct(job.png) : NULL;
    if (job.info != NULL)
        result = write_all(&job);
    else
        job.error = ENOMEM;
    if (result != 0)
        snprintf(why, why_bytes, "%s", job.error != 0 ? strerror(job.error) : job.why);
    idat_free(&job.idat);
    png_destroy_write_struct(&job.png, &job.info);
    return result;
}
