/* SPDX-License-Identifier: MIT */
/* Y'CbCr against double precision for three matrices and both ranges: all 2^24 inputs at 8 bits, and
 * samples of 16 bits and of 10-bit sources. Never off by more than 1, equal in 99.5 %. */
#define _DEFAULT_SOURCE
#include "load_model.h"
#include "load_rows.h"

#define INPUTS 65536 /* a row: all Y by all U */

static uint8_t luma[INPUTS], blue[INPUTS], red[INPUTS];

static struct zcs_image layout(enum zcs_pixfmt format, uint32_t width, struct zcs_color color)
{
    struct zcs_image image;
    CHECK_EQ(zcs_image_init(&image, format, width, 1, 0), ZCS_OK);
    image.color = color;
    return image;
}

/* Rounded R of (Y, V), B of (Y, U), and G's three addends, since 2^24 full models take too long. */
struct expected {
    uint8_t red[256][256], blue[256][256];
    double luma[256], green_u[256], green_v[256];
};

static void expect(struct zcs_color color, struct expected *e)
{
    const double kr = color.matrix == ZCS_MATRIX_BT601   ? 0.299
                      : color.matrix == ZCS_MATRIX_BT709 ? 0.2126
                                                         : 0.2627;
    const double kb = color.matrix == ZCS_MATRIX_BT601   ? 0.114
                      : color.matrix == ZCS_MATRIX_BT709 ? 0.0722
                                                         : 0.0593;
    const int full = color.range == ZCS_RANGE_FULL;
    for (uint32_t y = 0; y < 256; y++) {
        e->luma[y] = full ? y : (y - 16.0) * 255 / 219;
        for (uint32_t c = 0; c < 256; c++) {
            const uint32_t yuv[3] = {y, c, c};
            double rgb[3];
            model_rgb_of_yuv(color, 8, yuv, 255, rgb);
            e->red[y][c] = (uint8_t)rgb[0];
            e->blue[y][c] = (uint8_t)rgb[2];
        }
    }
    for (int c = 0; c < 256; c++) {
        const double chroma = full ? c - 128.0 : (c - 128.0) * 255 / 224;
        e->green_u[c] = -kb * (2 - 2 * kb) / (1 - kr - kb) * chroma;
        e->green_v[c] = -kr * (2 - 2 * kr) / (1 - kr - kb) * chroma;
    }
}

static uint32_t off_by(int got, int wanted)
{
    const int d = got - wanted;
    CHECK(d >= -1 && d <= 1);
    return d != 0;
}

static uint64_t check_row(const struct expected *e, uint32_t v, const uint8_t *rgba)
{
    uint64_t near = 0;
    for (uint32_t i = 0; i < INPUTS; i++, rgba += 4) {
        const uint32_t y = luma[i], u = blue[i];
        const double g = e->luma[y] + e->green_u[u] + e->green_v[v] + 0.5;
        const int green = g < 0 ? 0 : g >= 255 ? 255 : (int)g;
        near +=
            off_by(rgba[0], e->red[y][v]) | off_by(rgba[1], green) | off_by(rgba[2], e->blue[y][u]);
    }
    return near;
}

static void test_all_inputs(const struct zck_table *table, struct zcs_color color)
{
    static uint8_t rgba[4 * INPUTS];
    static struct expected e;
    const struct zcs_image image = layout(ZCS_PIXFMT_YUV444M, INPUTS, color);
    const uint8_t *const plane[3] = {luma, blue, red};
    struct zci_load load;
    uint64_t near = 0, all = 0;
    expect(color, &e);
    zci_load_make(&load, &image, 8);
    for (uint32_t v = 0; v < 256; v += STEP(15), all += INPUTS) {
        memset(red, (int)v, sizeof red);
        load_row(table, &load, plane, 0, rgba);
        near += check_row(&e, v, rgba);
    }
    if (near * 200 > all)
        fprintf(stderr, "matrix %d range %d: %" PRIu64 " of %" PRIu64 " inputs differ by 1\n",
                color.matrix, color.range, near, all);
    CHECK(near * 200 <= all);
}

/* Random inputs, each a pixel of a 4:4:4 row or a pair of a P010 row, at `depth`. */
static void test_random_inputs(struct zcs_color color, int deep, uint32_t depth)
{
    enum { PIXELS = 4096 };
    static uint8_t y[4 * PIXELS], c[8 * PIXELS];
    static uint16_t out[4 * PIXELS];
    const struct zcs_image image = layout(deep ? ZCS_PIXFMT_P010 : ZCS_PIXFMT_NV24, PIXELS, color);
    const struct model *m = model_of(image.format);
    const uint8_t *const plane[3] = {y, c, NULL};
    const double max = depth == 8 ? 255 : 65535;
    struct zci_load load;
    uint64_t near = 0, all = 0, seed = 0xC0105 + depth;
    zci_load_make(&load, &image, depth);
    for (int round = 0; round < 200 / STEP(15); round++) {
        for (uint32_t i = 0; i < sizeof y; i++)
            y[i] = (uint8_t)(test_random(&seed) >> 40);
        for (uint32_t i = 0; i < sizeof c; i++)
            c[i] = (uint8_t)(test_random(&seed) >> 40);
        load_row(zck_table_best(), &load, plane, 0, out);
        for (uint32_t x = 0; x < PIXELS; x++, all++) {
            uint32_t yuv[3];
            double rgb[3], worst = 0;
            model_yuv(m, &image, plane, x, 0, yuv);
            model_rgb_of_yuv(color, deep ? 10 : 8, yuv, max, rgb);
            for (uint32_t k = 0; k < 3; k++) {
                const double got = depth == 8 ? ((uint8_t *)out)[4 * x + k] : out[4 * x + k];
                worst = fmax(worst, fabs(got - rgb[k]));
            }
            CHECK(worst <= 1);
            near += worst > 0;
        }
    }
    CHECK(near * 200 <= all);
}

int main(void)
{
    for (uint32_t i = 0; i < INPUTS; i++) {
        luma[i] = (uint8_t)i;
        blue[i] = (uint8_t)(i >> 8);
    }
    for (int m = ZCS_MATRIX_BT601; m <= ZCS_MATRIX_BT2020; m++)
        for (int r = ZCS_RANGE_LIMITED; r <= ZCS_RANGE_FULL; r++) {
            const struct zcs_color color = {(enum zcs_matrix)m, (enum zcs_range)r,
                                            ZCS_TRANSFER_SRGB, 0};
            test_all_inputs(zck_table_best(), color);
            test_random_inputs(color, 0, 16);
            test_random_inputs(color, 1, 8);
            test_random_inputs(color, 1, 16);
        }
    return 0;
}
