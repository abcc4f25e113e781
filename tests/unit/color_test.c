/* SPDX-License-Identifier: MIT */
/* Default colour by V4L2's rules, colour as text, and the limits of the coefficients. */
#include "check.h"
#include "core/color.h"

static struct zcs_color resolved(enum zcs_pixfmt format)
{
    return zci_color_resolve(format, (struct zcs_color){0});
}

static void test_defaults(void)
{
    CHECK_EQ(resolved(ZCS_PIXFMT_YUYV).matrix, ZCS_MATRIX_BT601);
    CHECK_EQ(resolved(ZCS_PIXFMT_YUYV).range, ZCS_RANGE_LIMITED);
    CHECK_EQ(resolved(ZCS_PIXFMT_YUYV).transfer, ZCS_TRANSFER_SRGB);
    CHECK_EQ(resolved(ZCS_PIXFMT_P010).range, ZCS_RANGE_LIMITED);
    CHECK_EQ(resolved(ZCS_PIXFMT_P010).transfer, ZCS_TRANSFER_SRGB);
    CHECK_EQ(resolved(ZCS_PIXFMT_MJPEG).range, ZCS_RANGE_FULL);
    CHECK_EQ(resolved(ZCS_PIXFMT_RGB24).range, ZCS_RANGE_FULL);
    CHECK_EQ(resolved(ZCS_PIXFMT_RGB565).transfer, ZCS_TRANSFER_SRGB);
    CHECK_EQ(resolved(ZCS_PIXFMT_RGBA64).transfer, ZCS_TRANSFER_LINEAR);
    CHECK_EQ(resolved(ZCS_PIXFMT_GREY).range, ZCS_RANGE_FULL);
    CHECK_EQ(resolved(ZCS_PIXFMT_GREY).transfer, ZCS_TRANSFER_SRGB);
    CHECK_EQ(resolved(ZCS_PIXFMT_Y10P).transfer, ZCS_TRANSFER_LINEAR);
    CHECK_EQ(resolved(ZCS_PIXFMT_Y16_BE).transfer, ZCS_TRANSFER_LINEAR);
    CHECK_EQ(resolved(ZCS_PIXFMT_SRGGB8).transfer, ZCS_TRANSFER_LINEAR);
    CHECK_EQ(resolved(ZCS_PIXFMT_SRGGB8).range, ZCS_RANGE_FULL);
}

static void test_wanted_stays(void)
{
    const struct zcs_color wanted = {ZCS_MATRIX_BT2020, ZCS_RANGE_FULL, ZCS_TRANSFER_POWER, 2200};
    const struct zcs_color got = zci_color_resolve(ZCS_PIXFMT_YUYV, wanted);
    CHECK(memcmp(&wanted, &got, sizeof got) == 0);
}

static void test_parse(void)
{
    static const char *const bad[] = {"",
                                      ",",
                                      "range",
                                      "range=",
                                      "range=full,",
                                      ",range=full",
                                      "range=ful",
                                      "range=fulll",
                                      "matrix=601",
                                      "Range=full",
                                      "range=full,range=limited",
                                      "range=full matrix=bt601",
                                      "transfer=power",
                                      "matrix=full"};
    struct zcs_color color = {0};
    const struct zcs_color zero = {0};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_EQ(zcs_color_parse(bad[i], &color), ZCS_ERR_FORMAT);
    CHECK(memcmp(&color, &zero, sizeof color) == 0);
    CHECK_EQ(zcs_color_parse(NULL, &color), ZCS_ERR_ARG);
    CHECK_EQ(zcs_color_parse("range=full", &color), ZCS_OK);
    CHECK(color.range == ZCS_RANGE_FULL && color.matrix == ZCS_MATRIX_AUTO);
    CHECK_EQ(zcs_color_parse("transfer=linear,matrix=bt2020", &color), ZCS_OK);
    CHECK(color.range == ZCS_RANGE_FULL && color.matrix == ZCS_MATRIX_BT2020);
    CHECK_EQ(color.transfer, ZCS_TRANSFER_LINEAR);
    CHECK_EQ(zcs_color_parse("range=limited,matrix=bt709,transfer=srgb", &color), ZCS_OK);
    CHECK(color.range == ZCS_RANGE_LIMITED && color.matrix == ZCS_MATRIX_BT709);
    CHECK_EQ(color.transfer, ZCS_TRANSFER_SRGB);
    CHECK_EQ(zcs_color_parse("matrix=bt601", &color), ZCS_OK);
    CHECK_EQ(color.matrix, ZCS_MATRIX_BT601);
}

static int64_t magnitude(int64_t v)
{
    return v < 0 ? -v : v;
}

/* What the row functions rely on: coefficients fit 32 bits, and at depth 8 so do the sums. */
static void check_fits(struct zci_yuv k, uint32_t bits, uint32_t depth)
{
    const int64_t chroma = (int64_t)1 << (bits - 1), luma = (2 * chroma - 1) * k.ky + k.half;
    CHECK(k.ky > 0 && k.ky <= INT32_MAX && k.krv <= INT32_MAX && k.kbu <= INT32_MAX);
    CHECK(k.half == (int64_t)1 << (k.shift - 1));
    if (depth == 16)
        return;
    CHECK(luma + chroma * k.krv <= INT32_MAX && luma + chroma * k.kbu <= INT32_MAX);
    CHECK(luma + chroma * (magnitude(k.kgu) + magnitude(k.kgv)) <= INT32_MAX);
}

static void test_coefficients(void)
{
    for (int m = ZCS_MATRIX_BT601; m <= ZCS_MATRIX_BT2020; m++)
        for (int r = ZCS_RANGE_LIMITED; r <= ZCS_RANGE_FULL; r++)
            for (uint32_t bits = 8; bits <= 10; bits += 2)
                for (uint32_t depth = 8; depth <= 16; depth += 8) {
                    const struct zcs_color c = {(enum zcs_matrix)m, (enum zcs_range)r,
                                                ZCS_TRANSFER_SRGB, 0};
                    check_fits(zci_yuv_make(c, bits, depth), bits, depth);
                }
}

int main(void)
{
    test_defaults();
    test_wanted_stays();
    test_parse();
    test_coefficients();
    return 0;
}
