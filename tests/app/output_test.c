/* SPDX-License-Identifier: MIT */
/* zcapp's encoders: every colour of 8 bits and many of 16 through Y4M, and PNM's byte order. */
#include "check.h"

#include "app/output/output.h"

/* `words` samples of `bits` each, RGBA, as a frame. */
static struct zcs_frame frame_of(enum zcs_pixfmt format, uint32_t width, uint32_t height,
                                 const void *pixels)
{
    struct zcs_frame frame = {.host = pixels};
    CHECK(zcs_image_init(&frame.image, format, width, height, 0) == ZCS_OK);
    return frame;
}

/* What `kind` makes of the frame, without its head; `bytes` must be there. */
static unsigned char *encoded(const char *ending, const struct zcs_frame *frame, size_t bytes)
{
    const struct encoder_options style = {.png_level = 1, .source = ""};
    const struct encoder *kind = encoder_of(ending);
    char *text = NULL, why[256] = "";
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    CHECK(kind != NULL && file != NULL);
    CHECK(kind->frame(file, frame, &style, why, sizeof why) == 0);
    CHECK(fclose(file) == 0);
    CHECK_EQ(size, bytes);
    return (unsigned char *)text;
}

/* num / den, rounded, ties up. */
static uint32_t rounded(int64_t num, int64_t den)
{
    return (uint32_t)((2 * num + den) / (2 * den));
}

/* The definition in whole numbers: Kr = 0.299, Kb = 0.114. */
static void model(const uint32_t rgb[3], int64_t max, int64_t unit, uint32_t out[3])
{
    const int64_t r = rgb[0], b = rgb[2], n = 299 * r + 587 * (int64_t)rgb[1] + 114 * b;
    out[0] = rounded(unit * (16 * 1000 * max + 219 * n), 1000 * max);
    out[1] = rounded(unit * (128 * 1772 * max + 224 * (1000 * b - n)), 1772 * max);
    out[2] = rounded(unit * (128 * 1402 * max + 224 * (1000 * r - n)), 1402 * max);
}

static void test_every_color(void)
{
    enum { PIXELS = 65536, HEAD = 6 };
    static uint8_t pixels[4 * PIXELS];
    for (uint32_t red = 0; red < 256; red++) {
        for (uint32_t i = 0; i < PIXELS; i++) {
            pixels[4 * i] = (uint8_t)red;
            pixels[4 * i + 1] = (uint8_t)(i >> 8);
            pixels[4 * i + 2] = (uint8_t)i;
            pixels[4 * i + 3] = 255;
        }
        const struct zcs_frame frame = frame_of(ZCS_PIXFMT_RGBA32, 256, 256, pixels);
        unsigned char *got = encoded(".y4m", &frame, HEAD + 3 * PIXELS);
        CHECK(memcmp(got, "FRAME\n", HEAD) == 0);
        for (uint32_t i = 0; i < PIXELS; i++) {
            uint32_t wanted[3];
            model((const uint32_t[]){red, i >> 8, i & 255}, 255, 1, wanted);
            for (int c = 0; c < 3; c++)
                CHECK_EQ(got[HEAD + c * PIXELS + i], wanted[c]);
        }
        free(got);
    }
}

static void test_deep_colors(void)
{
    enum { WIDTH = 199, HEIGHT = 499, PIXELS = WIDTH * HEIGHT, HEAD = 6 };
    static uint16_t pixels[4 * PIXELS];
    uint64_t state = 4;
    for (int i = 0; i < 4 * PIXELS; i++)
        pixels[i] =
            i < 64 ? (uint16_t)(i >> (i & 3) & 1 ? 65535 : 0) : (uint16_t)test_random(&state);
    const struct zcs_frame frame = frame_of(ZCS_PIXFMT_RGBA64, WIDTH, HEIGHT, pixels);
    unsigned char *got = encoded(".y4m", &frame, HEAD + 6 * PIXELS);
    for (int i = 0; i < PIXELS; i++) {
        uint32_t wanted[3];
        model((const uint32_t[]){pixels[4 * i], pixels[4 * i + 1], pixels[4 * i + 2]}, 65535, 256,
              wanted);
        for (int c = 0; c < 3; c++) {
            const unsigned char *at = got + HEAD + 2 * (c * PIXELS + i);
            CHECK_EQ(at[0] | at[1] << 8, wanted[c]);
        }
    }
    free(got);
}

static void test_pnm(void)
{
    const uint16_t deep[] = {0x0102, 0x0304, 0x0506, 0, 0xa0b0, 0xc0d0, 0xe0f0, 0};
    const struct zcs_frame color = frame_of(ZCS_PIXFMT_RGBA64, 2, 1, deep);
    unsigned char *got = encoded(".ppm", &color, 13 + 12);
    CHECK(memcmp(got, "P6\n2 1\n65535\n\1\2\3\4\5\6\xa0\xb0\xc0\xd0\xe0\xf0", 25) == 0);
    free(got);
    const struct zcs_frame gray = frame_of(ZCS_PIXFMT_Y16, 2, 1, deep);
    got = encoded(".pgm", &gray, 13 + 4);
    CHECK(memcmp(got, "P5\n2 1\n65535\n\1\2\3\4", 17) == 0);
    free(got);
    const struct zcs_frame mosaic = frame_of(ZCS_PIXFMT_SRGGB8, 3, 1, "\1\2\3");
    got = encoded(".pnm", &mosaic, 11 + 3);
    CHECK(memcmp(got, "P5\n3 1\n255\n\1\2\3", 14) == 0);
    free(got);
}

static void expect_target(const char *text, const char *kind, int series)
{
    char why[256] = "";
    struct output_target target = {0};
    CHECK(output_parse(&target, text, why, sizeof why) == 0);
    CHECK(kind == NULL ? target.kind == NULL : strcmp(target.kind->name, kind) == 0);
    CHECK_EQ(output_is_series(&target), series);
    output_finish(&target);
}

static void test_targets(void)
{
    expect_target("none", NULL, 0);
    expect_target("-", "Y4M", 1);
    expect_target("a/b.y4m", "Y4M", 1);
    expect_target("a/%u.Y4M", "Y4M", 0);
    expect_target("x.PNG", "PNG", 0);
    expect_target("%06u.ppm", "PPM", 0);
    expect_target("x.pgm", "PGM", 1);
    expect_target("x.pnm", "PNM", 1);
    expect_target("100%%.raw", "raw", 1);
    static const char *const bad[] = {"%u.jpg", "%u",  "%u.png/",   "dir/",   ".pn", "",
                                      "x.png.", "raw", "a.y4m/raw", "%s.y4m", "--"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char why[256] = "";
        struct output_target target = {0};
        if (output_parse(&target, bad[i], why, sizeof why) == 0)
            fprintf(stderr, "%s was taken\n", bad[i]);
        CHECK(target.kind == NULL && why[0] != '\0');
    }
}

int main(void)
{
    test_targets();
    test_pnm();
    test_deep_colors();
    test_every_color();
    return 0;
}
