/* SPDX-License-Identifier: MIT */
/* The table of formats: every row found by all its names, and refusals. */
#include "check.h"
#include "core/format.h"

static enum zcs_pixfmt parsed(const char *text)
{
    enum zcs_pixfmt format = ZCS_PIXFMT_NONE;
    const zcs_status status = zcs_pixfmt_parse(text, &format);
    CHECK(status == ZCS_OK || (status == ZCS_ERR_FORMAT && format == ZCS_PIXFMT_NONE));
    return format;
}

static void lower_case(const char *text, char *out)
{
    for (; *text; text++)
        *out++ = (char)(*text >= 'A' && *text <= 'Z' ? *text - 'A' + 'a' : *text);
    *out = '\0';
}

static void test_every_row(void)
{
    for (int i = 1; i < ZCS_PIXFMT_COUNT; i++) {
        const enum zcs_pixfmt format = (enum zcs_pixfmt)i;
        const struct zcs_pixfmt_info *info = zcs_pixfmt_info(format);
        char small[32];
        CHECK(info && strlen(info->v4l2_name) < sizeof small);
        lower_case(info->v4l2_name, small);
        CHECK_EQ(parsed(info->name), format);
        CHECK_EQ(parsed(info->v4l2_name), format);
        CHECK_EQ(parsed(small), format);
        CHECK_EQ(zcs_pixfmt_from_fourcc(info->fourcc), format);
        CHECK(info->planes >= 1 && info->planes <= ZCS_MAX_PLANES);
        CHECK(info->buffers == 1 || info->buffers == info->planes);
        CHECK(info->bits >= 1 && info->bits <= 16 && info->hsub >= 1 && info->vsub >= 1);
        CHECK((zci_format(format)->unpack == ZCI_UNPACK_NONE) == (info->model == ZCS_MODEL_JPEG));
        CHECK(&zci_format(format)->info == info);
    }
}

static void test_rows_by_hand(void)
{
    CHECK_EQ(zcs_pixfmt_from_fourcc(0x56595559), ZCS_PIXFMT_YUYV);
    CHECK_EQ(zcs_pixfmt_from_fourcc(0x20363159), ZCS_PIXFMT_Y16);
    CHECK_EQ(zcs_pixfmt_from_fourcc(0xa0363159), ZCS_PIXFMT_Y16_BE); /* v4l2_fourcc_be */
    CHECK(strcmp(zcs_pixfmt_info(ZCS_PIXFMT_Y16_BE)->name, "Y16_BE") == 0);
    CHECK(strcmp(zcs_pixfmt_info(ZCS_PIXFMT_Y16)->name, "Y16") == 0);
    CHECK(strcmp(zcs_pixfmt_info(ZCS_PIXFMT_SRGGB10P)->name, "pRAA") == 0);
    CHECK_EQ(parsed("Y16 "), ZCS_PIXFMT_Y16);
    CHECK_EQ(parsed("y16_be"), ZCS_PIXFMT_Y16_BE);
    CHECK_EQ(parsed("pGAA"), ZCS_PIXFMT_SGBRG10P); /* fourccs differ in case alone */
    CHECK_EQ(parsed("pgAA"), ZCS_PIXFMT_SGRBG10P);
    CHECK_EQ(parsed("srggb10p"), ZCS_PIXFMT_SRGGB10P);
}

/* Case 70: packed grey is known by both its names. */
static void test_case_70(void)
{
    CHECK_EQ(parsed("Y10P"), ZCS_PIXFMT_Y10P);
    CHECK_EQ(parsed("Y12P"), ZCS_PIXFMT_Y12P);
    CHECK_EQ(zci_format(ZCS_PIXFMT_Y10P)->unpack, ZCI_UNPACK_P10);
    CHECK_EQ(zci_format(ZCS_PIXFMT_Y12P)->unpack, ZCI_UNPACK_P12);
}

/* Case 82: all four 16-bit Bayer orders, whatever they are called. */
static void test_case_82(void)
{
    static const char *const names[4] = {"RG16", "GR16", "GB16", "BYR2"};
    for (unsigned i = 0; i < 4; i++) {
        const struct zci_format *row = zci_format(parsed(names[i]));
        CHECK(row && row->info.model == ZCS_MODEL_BAYER && row->info.bits == 16);
        CHECK_EQ(row->arg, i);
    }
}

static void test_refusals(void)
{
    static const char *const bad[] = {"",     " ",     "YUY",    "YUYVx", "yuyv2", "praa",
                                      "Y16X", "BA16 ", "SRGGB1", "none",  "XXXX",  "Y16_B"};
    enum zcs_pixfmt format = ZCS_PIXFMT_GREY;
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_EQ(parsed(bad[i]), ZCS_PIXFMT_NONE);
    CHECK_EQ(zcs_pixfmt_parse(NULL, &format), ZCS_ERR_ARG);
    CHECK_EQ(format, ZCS_PIXFMT_GREY);
    CHECK_EQ(zcs_pixfmt_from_fourcc(0), ZCS_PIXFMT_NONE);
    CHECK(!zcs_pixfmt_info(ZCS_PIXFMT_NONE) && !zcs_pixfmt_info(ZCS_PIXFMT_COUNT));
    CHECK(!zcs_pixfmt_info((enum zcs_pixfmt) - 1));
}

int main(void)
{
    test_every_row();
    test_rows_by_hand();
    test_case_70();
    test_case_82();
    test_refusals();
    return 0;
}
