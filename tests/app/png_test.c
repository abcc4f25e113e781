/* SPDX-License-Identifier: MIT */
/* zcapp's PNG encoder: zlib reads back what the coder writes, codes are short and complete, each filter undone
 * is the row, and pictures of every kind come back through libpng. */
#include "check.h"

#include <png.h>
#include <zlib.h>

#include "app/output/deflate.h"
#include "app/output/encoder.h"
#include "app/output/png_rows.h"

#define MAX 200000u

/* How hard the codes are: counts that grow as Fibonacci's numbers make the deepest tree. */
static void test_lengths(void)
{
    for (unsigned limit = 9; limit <= HUFFMAN_LIMIT; limit++) {
        for (unsigned used = 1; used <= DEFLATE_LITERALS; used++) {
            uint32_t counts[DEFLATE_LITERALS] = {0}, a = 1, b = 1, sum = 0;
            uint8_t lengths[DEFLATE_LITERALS];
            for (unsigned s = 0; s < used; s++) {
                counts[(s * 7) % DEFLATE_LITERALS] = a;
                const uint32_t next = a + b < 1000000 ? a + b : 1000000 + s;
                a = b;
                b = next;
            }
            huffman_lengths(lengths, counts, DEFLATE_LITERALS, limit);
            for (unsigned s = 0; s < DEFLATE_LITERALS; s++) {
                CHECK((lengths[s] == 0) == (counts[s] == 0) && lengths[s] <= limit);
                sum += lengths[s] != 0 ? 1u << (limit - lengths[s]) : 0;
                for (unsigned t = 0; t < s; t++)
                    CHECK(counts[t] <= counts[s] || counts[s] == 0 || lengths[t] <= lengths[s]);
            }
            CHECK_EQ(sum, used == 1 ? 1u << (limit - 1) : 1u << limit);
        }
    }
}

/* Blocks of `block` bytes, through zlib and back. Returns the bytes between. */
static size_t through(const uint8_t *data, size_t bytes, size_t block)
{
    static uint8_t coded[2 * MAX], back[MAX + 1];
    struct deflate_out out = {.at = coded};
    z_stream zlib = {.next_in = coded, .next_out = back, .avail_out = sizeof back};
    for (size_t at = 0; at < bytes; at += block) {
        const size_t now = bytes - at < block ? bytes - at : block;
        const uint8_t *before = out.at;
        deflate_block(&out, data + at, now, at + now == bytes);
        CHECK((size_t)(out.at - before) <= deflate_bound(now) - 8);
    }
    CHECK(inflateInit2(&zlib, -MAX_WBITS) == Z_OK);
    zlib.avail_in = (uInt)(out.at - coded);
    CHECK_EQ(inflate(&zlib, Z_FINISH), Z_STREAM_END);
    CHECK_EQ(zlib.avail_in, 0);
    CHECK_EQ(zlib.total_out, bytes);
    CHECK(memcmp(back, data, bytes) == 0);
    CHECK(inflateEnd(&zlib) == Z_OK);
    return (size_t)(out.at - coded);
}

/* Bytes of about `bits` bits of noise, in runs of up to `run`. */
static void fill(uint8_t *data, size_t bytes, unsigned bits, unsigned run, uint64_t *state)
{
    for (size_t i = 0; i < bytes;) {
        const uint8_t value = (uint8_t)(test_random(state) >> 20 & ((1u << bits) - 1));
        for (uint64_t n = 1 + test_random(state) / 16 % run; n > 0 && i < bytes; n--)
            data[i++] = value;
    }
}

static void test_blocks(void)
{
    static uint8_t data[MAX];
    static const unsigned runs[] = {1, 2, 9, 12, 300, 5000, 100000};
    uint64_t state = 9;
    for (unsigned bits = 0; bits <= 8; bits++) {
        for (unsigned r = 0; r < sizeof runs / sizeof *runs; r++) {
            fill(data, MAX, bits, runs[r], &state);
            const size_t coded = through(data, MAX, 65536);
            CHECK(coded <= MAX * bits / 8 + MAX / 8 + 400);
            CHECK(runs[r] < 300 || coded < MAX / 8);
        }
    }
    for (size_t bytes = 1; bytes < 700; bytes++) {
        fill(data, bytes, (unsigned)bytes % 9, bytes % 3 ? 40 : 1, &state);
        through(data, bytes, bytes);
        through(data, bytes, bytes % 37 + 1);
    }
    memset(data, 7, MAX); /* every length of a run, and every code of one */
    for (size_t at = 0, run = 1; at + run < MAX; at += run + 1, run++)
        data[at] = (uint8_t)(run & 1 ? 8 : 9);
    through(data, MAX, MAX);
}

/* PNG's definition of each filter, backwards. */
static uint8_t predicted(unsigned filter, int a, int b, int c)
{
    const int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
    switch (filter) {
    case 1:
        return (uint8_t)a;
    case 2:
        return (uint8_t)b;
    case 3:
        return (uint8_t)((a + b) / 2);
    case 4:
        return (uint8_t)(pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
    default:
        return 0;
    }
}

static void test_filters(void)
{
    enum { BYTES = 4000, MARGIN = 8 };
    static uint8_t rows[2][MARGIN + BYTES], out[BYTES];
    uint64_t state = 3;
    for (int round = 0; round < 4; round++) {
        const unsigned bits = round < 2 ? 8 : 2;
        fill(rows[0] + MARGIN, BYTES, bits, 2, &state);
        fill(rows[1] + MARGIN, BYTES, bits, 2, &state);
        for (size_t left = 1; left <= 6; left++) {
            for (unsigned filter = 0; filter < PNG_FILTERS; filter++) {
                const uint8_t *row = rows[1] + MARGIN, *before = rows[0] + MARGIN;
                const uint8_t *beside = row - left, *across = before - left;
                png_filter_row(out, filter, row, before, BYTES, left);
                for (size_t i = 0; i < BYTES; i++)
                    CHECK_EQ((uint8_t)(out[i] + predicted(filter, beside[i], before[i], across[i])),
                             row[i]);
            }
        }
    }
}

/* Rows that each filter suits best. */
static void test_choice(void)
{
    enum { BYTES = 3000, MARGIN = 8 };
    static uint8_t above[MARGIN + BYTES], row[MARGIN + BYTES], scratch[BYTES];
    uint8_t *a = above + MARGIN, *r = row + MARGIN;
    uint64_t state = 5;
    fill(a, BYTES, 8, 1, &state);
    fill(r, BYTES, 2, 1, &state); /* few values beside noise */
    CHECK_EQ(png_filter_best(scratch, r, a, BYTES, 3), 0);
    for (int i = 0; i < BYTES; i++)
        r[i] = (uint8_t)((i < 3 ? 0 : r[i - 3]) + 3);
    CHECK_EQ(png_filter_best(scratch, r, a, BYTES, 3), 1);
    memcpy(r, a, BYTES);
    CHECK_EQ(png_filter_best(scratch, r, a, BYTES, 3), 2);
    for (int i = 0; i < BYTES; i++)
        r[i] = (uint8_t)(((i < 3 ? 0 : r[i - 3]) + a[i]) / 2 + 1);
    CHECK_EQ(png_filter_best(scratch, r, a, BYTES, 3), 3);
    for (int i = 0; i < BYTES; i++)
        r[i] = (uint8_t)(predicted(4, i < 3 ? 0 : r[i - 3], a[i], i < 3 ? 0 : a[i - 3]) + 1);
    CHECK_EQ(png_filter_best(scratch, r, a, BYTES, 3), 4);
}

static size_t write_png(char **text, const struct zcs_frame *frame, unsigned level)
{
    const struct encoder_options style = {.png_level = level, .source = "test"};
    size_t bytes = 0;
    char why[256] = "";
    FILE *file = open_memstream(text, &bytes);
    CHECK(file != NULL);
    CHECK(encoder_of(".png")->frame(file, frame, &style, why, sizeof why) == 0);
    CHECK(fclose(file) == 0);
    return bytes;
}

/* The picture of a PNG must be the frame's; 16 bits as libpng's simplified reading cannot give them. */
static void read_back(const struct zcs_frame *frame, const char *text, size_t bytes)
{
    const int rgb = frame->image.format == ZCS_PIXFMT_RGBA32;
    const size_t samples = (size_t)frame->image.width * frame->image.height * (rgb ? 3 : 1);
    png_image image = {.version = PNG_IMAGE_VERSION};
    unsigned char *pixels = malloc(samples);
    CHECK(pixels != NULL && png_image_begin_read_from_memory(&image, text, bytes));
    CHECK(image.width == frame->image.width && image.height == frame->image.height);
    image.format = rgb ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    CHECK(png_image_finish_read(&image, NULL, pixels, 0, NULL));
    for (uint32_t y = 0, i = 0; y < image.height; y++) {
        const uint8_t *row =
            (const uint8_t *)frame->host + (size_t)y * frame->image.stride_bytes[0];
        for (uint32_t x = 0; x < image.width * (rgb ? 3 : 1); x++)
            CHECK_EQ(pixels[i++], rgb ? row[x / 3 * 4 + x % 3] : row[x]);
    }
    free(pixels);
}

/* One row, one column, one strip and many, rows longer than a strip. */
static void test_pictures(void)
{
    static const uint32_t sizes[][2] = {{1, 1}, {1, 700}, {70000, 3}, {333, 517}};
    uint64_t state = 8;
    for (unsigned i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        struct zcs_frame frame = {0};
        const enum zcs_pixfmt format = i & 1 ? ZCS_PIXFMT_RGBA32 : ZCS_PIXFMT_GREY;
        CHECK(zcs_image_init(&frame.image, format, sizes[i / 2][0], sizes[i / 2][1], 0) == ZCS_OK);
        uint8_t *pixels = malloc(frame.image.size_bytes);
        CHECK(pixels != NULL);
        fill(pixels, frame.image.size_bytes, 3, i & 2 ? 1 : 40, &state);
        for (size_t at = 0; at < frame.image.size_bytes; at++)
            pixels[at] = (uint8_t)(pixels[at] + 3 * (at / frame.image.stride_bytes[0]) +
                                   50 * (at % 4) + at % frame.image.stride_bytes[0] / 4);
        frame.host = pixels;
        for (unsigned level = 0; level <= 9; level++) {
            char *text = NULL, *again = NULL;
            const size_t bytes = write_png(&text, &frame, level);
            CHECK(write_png(&again, &frame, level) == bytes && memcmp(text, again, bytes) == 0);
            read_back(&frame, text, bytes);
            free(text);
            free(again);
        }
        free(pixels);
    }
}

int main(void)
{
    test_lengths();
    test_blocks();
    test_filters();
    test_choice();
    test_pictures();
    return 0;
}
