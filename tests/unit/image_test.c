/* SPDX-License-Identifier: MIT */
/* Layouts: strides, rows, offsets and sizes of each kind, huge and absurd ones, and the check. */
#include "check.h"
#include "zcstream/format.h"

static struct zcs_image made(enum zcs_pixfmt format, uint32_t width, uint32_t height, size_t stride)
{
    struct zcs_image image;
    CHECK_EQ(zcs_image_init(&image, format, width, height, stride), ZCS_OK);
    CHECK_EQ(zcs_image_check(&image), ZCS_OK);
    return image;
}

static void test_min_strides(void)
{
    static const struct {
        enum zcs_pixfmt format;
        uint32_t width, plane;
        size_t bytes;
    } rows[] = {
        {ZCS_PIXFMT_GREY, 7, 0, 7},     {ZCS_PIXFMT_Y10, 7, 0, 14},
        {ZCS_PIXFMT_Y16_BE, 3, 0, 6},   {ZCS_PIXFMT_SRGGB10P, 1296, 0, 1620},
        {ZCS_PIXFMT_SRGGB10P, 1, 0, 2}, {ZCS_PIXFMT_SRGGB10P, 5, 0, 7},
        {ZCS_PIXFMT_Y12P, 3, 0, 5},     {ZCS_PIXFMT_SBGGR14P, 5, 0, 9},
        {ZCS_PIXFMT_SBGGR14P, 4, 0, 7}, {ZCS_PIXFMT_YUYV, 3, 0, 8},
        {ZCS_PIXFMT_VYUY, 4, 0, 8},     {ZCS_PIXFMT_NV12, 5, 0, 5},
        {ZCS_PIXFMT_NV12, 5, 1, 6},     {ZCS_PIXFMT_NV24, 5, 1, 10},
        {ZCS_PIXFMT_P010, 5, 0, 10},    {ZCS_PIXFMT_P010, 5, 1, 12},
        {ZCS_PIXFMT_YUV420, 5, 2, 3},   {ZCS_PIXFMT_YUV444M, 5, 1, 5},
        {ZCS_PIXFMT_RGB24, 5, 0, 15},   {ZCS_PIXFMT_XBGR32, 5, 0, 20},
        {ZCS_PIXFMT_RGB565, 5, 0, 10},  {ZCS_PIXFMT_RGBA64, 5, 0, 40},
        {ZCS_PIXFMT_GREY, 7, 1, 0},     {ZCS_PIXFMT_NV12, 5, 2, 0},
        {ZCS_PIXFMT_MJPEG, 640, 0, 0},  {ZCS_PIXFMT_NONE, 640, 0, 0},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_EQ(zcs_image_min_stride(rows[i].format, rows[i].width, rows[i].plane), rows[i].bytes);
    CHECK_EQ(zcs_image_rows(ZCS_PIXFMT_NV12, 5, 0), 5);
    CHECK_EQ(zcs_image_rows(ZCS_PIXFMT_NV12, 5, 1), 3);
    CHECK_EQ(zcs_image_rows(ZCS_PIXFMT_NV16, 5, 1), 5);
    CHECK_EQ(zcs_image_rows(ZCS_PIXFMT_NV16, 5, 2), 0);
    CHECK_EQ(zcs_image_rows(ZCS_PIXFMT_JPEG, 5, 0), 0);
}

static void check_planes(struct zcs_image image, size_t stride1, size_t offset1, size_t offset2,
                         size_t size)
{
    CHECK_EQ(image.stride_bytes[1], stride1);
    CHECK_EQ(image.offset_bytes[0], 0);
    CHECK_EQ(image.offset_bytes[1], offset1);
    CHECK_EQ(image.offset_bytes[2], offset2);
    CHECK_EQ(image.size_bytes, size);
}

static void test_planes(void)
{
    check_planes(made(ZCS_PIXFMT_NV12, 640, 480, 0), 640, 307200, 0, 460800);
    check_planes(made(ZCS_PIXFMT_NV12, 6, 4, 8), 8, 32, 0, 48); /* case 57 */
    check_planes(made(ZCS_PIXFMT_NV12, 3, 3, 0), 4, 9, 0, 17);
    check_planes(made(ZCS_PIXFMT_NV24, 3, 2, 5), 10, 10, 0, 30);
    check_planes(made(ZCS_PIXFMT_P010, 4, 2, 12), 12, 24, 0, 36);
    check_planes(made(ZCS_PIXFMT_YUV420, 318, 240, 0), 159, 76320, 95400, 114480);
    check_planes(made(ZCS_PIXFMT_YUV420, 5, 5, 0), 3, 25, 34, 43);
    check_planes(made(ZCS_PIXFMT_YUV422P, 4, 2, 8), 4, 16, 24, 32);
    check_planes(made(ZCS_PIXFMT_YUV444M, 4, 2, 8), 8, 16, 32, 48);
}

/* Cases 6 and 7: a stride above the least is taken, one below it refused. */
static void test_strides(void)
{
    struct zcs_image image = {.width = 77};
    CHECK_EQ(made(ZCS_PIXFMT_Y16, 848, 4, 1728).size_bytes, 4 * 1728);
    CHECK_EQ(made(ZCS_PIXFMT_SRGGB10P, 1296, 2, 1632).stride_bytes[0], 1632);
    CHECK_EQ(made(ZCS_PIXFMT_SRGGB10P, 1296, 2, 1620).stride_bytes[0], 1620);
    CHECK_EQ(zcs_image_init(&image, ZCS_PIXFMT_SRGGB10P, 1296, 2, 1619), ZCS_ERR_FORMAT);
    CHECK_EQ(zcs_image_init(&image, ZCS_PIXFMT_Y16, 848, 4, 1695), ZCS_ERR_FORMAT);
    CHECK_EQ(zcs_image_init(&image, ZCS_PIXFMT_YUYV, 3, 2, 7), ZCS_ERR_FORMAT);
    CHECK_EQ(image.width, 77); /* untouched by refusals */
}

static void test_sizes(void)
{
    struct zcs_image image;
    CHECK_EQ(made(ZCS_PIXFMT_GREY, 65536, 32769, 0).size_bytes, 2147549184LL);
    CHECK_EQ(made(ZCS_PIXFMT_RGBA64, 262144, 262144, 0).size_bytes, 549755813888LL);
    CHECK_EQ(zcs_image_init(&image, ZCS_PIXFMT_GREY, 0, 1, 0), ZCS_ERR_ARG);
    CHECK_EQ(zcs_image_init(&image, ZCS_PIXFMT_GREY, 1, 0, 0), ZCS_ERR_ARG);
    CHECK_EQ(zcs_image_init(&image, ZCS_PIXFMT_GREY, 262145, 1, 0), ZCS_ERR_ARG);
    CHECK_EQ(zcs_image_init(&image, ZCS_PIXFMT_GREY, 1, UINT32_MAX, 0), ZCS_ERR_ARG);
    CHECK_EQ(zcs_image_init(&image, ZCS_PIXFMT_NONE, 4, 4, 0), ZCS_ERR_ARG);
    CHECK_EQ(zcs_image_init(&image, ZCS_PIXFMT_MJPEG, 4, 4, 0), ZCS_ERR_UNSUPPORTED);
    CHECK_EQ(zcs_image_init(&image, ZCS_PIXFMT_NV24, 4, 4, SIZE_MAX), ZCS_ERR_ARG);
    CHECK_EQ(zcs_image_init(&image, ZCS_PIXFMT_NV24, 4, 4, SIZE_MAX / 8), ZCS_ERR_ARG);
    CHECK_EQ(zcs_image_init(&image, ZCS_PIXFMT_YUV444M, 4, 4, SIZE_MAX / 16), ZCS_ERR_ARG);
    CHECK_EQ(zcs_image_init(&image, ZCS_PIXFMT_GREY, 4, 262144, SIZE_MAX / 4), ZCS_ERR_ARG);
}

/* Every format and odd size: planes one behind the other, and a byte less does not pass the check. */
static void test_every_format(void)
{
    for (int i = 1; i < ZCS_PIXFMT_COUNT; i++)
        for (uint32_t n = 1; n < 40; n++) {
            const enum zcs_pixfmt format = (enum zcs_pixfmt)i;
            if (zcs_pixfmt_info(format)->model == ZCS_MODEL_JPEG)
                continue;
            struct zcs_image image = made(format, n, 41 - n, 0);
            size_t end = 0;
            for (uint32_t p = 0; p < image.planes; p++) {
                CHECK_EQ(image.offset_bytes[p], end);
                end += image.stride_bytes[p] * zcs_image_rows(format, image.height, p);
            }
            CHECK_EQ(image.size_bytes, end);
            CHECK_EQ(image.bits, zcs_pixfmt_info(format)->bits);
            CHECK(image.color.matrix && image.color.range && image.color.transfer);
            const size_t last = image.planes - 1;
            const size_t unused =
                image.stride_bytes[last] - zcs_image_min_stride(format, n, (uint32_t)last);
            image.size_bytes -= unused;
            CHECK_EQ(zcs_image_check(&image), ZCS_OK);
            image.size_bytes--;
            CHECK_EQ(zcs_image_check(&image), ZCS_ERR_FORMAT);
        }
}

/* Each is `good` with one thing wrong. */
#define CHECK_REFUSED(status, change)                                                              \
    do {                                                                                           \
        struct zcs_image image = good;                                                             \
        change;                                                                                    \
        CHECK_EQ(zcs_image_check(&image), status);                                                 \
    } while (0)

static void test_check(void)
{
    const struct zcs_image good = made(ZCS_PIXFMT_Y12, 10, 10, 0);
    CHECK_EQ(zcs_image_check(NULL), ZCS_ERR_ARG);
    CHECK_REFUSED(ZCS_ERR_ARG, image.format = ZCS_PIXFMT_NONE);
    CHECK_REFUSED(ZCS_ERR_UNSUPPORTED, image.format = ZCS_PIXFMT_JPEG);
    CHECK_REFUSED(ZCS_ERR_ARG, image.width = 0);
    CHECK_REFUSED(ZCS_ERR_ARG, image.height = ZCS_MAX_DIMENSION + 1);
    CHECK_REFUSED(ZCS_ERR_ARG, image.planes = 2);
    CHECK_REFUSED(ZCS_ERR_ARG, image.bits = 0);
    CHECK_REFUSED(ZCS_ERR_ARG, image.bits = 13);
    CHECK_REFUSED(ZCS_ERR_ARG, image.shift = 5);
    CHECK_REFUSED(ZCS_OK, image.shift = 4);
    CHECK_REFUSED(ZCS_OK, (image.bits = 8, image.shift = 8));
    CHECK_REFUSED(ZCS_ERR_ARG, image.color.matrix = (enum zcs_matrix)4);
    CHECK_REFUSED(ZCS_ERR_ARG, image.color.transfer = ZCS_TRANSFER_POWER);
    CHECK_REFUSED(ZCS_ERR_FORMAT, image.stride_bytes[0] = 19);
    CHECK_REFUSED(ZCS_ERR_FORMAT, image.stride_bytes[0] = 21);
    CHECK_REFUSED(ZCS_ERR_FORMAT, image.stride_bytes[0] = SIZE_MAX / 9 + 1);
    CHECK_REFUSED(ZCS_ERR_FORMAT, image.offset_bytes[0] = 1);
    CHECK_REFUSED(ZCS_ERR_FORMAT, image.offset_bytes[0] = SIZE_MAX);
    CHECK_REFUSED(ZCS_ERR_FORMAT, image.size_bytes = 0);
}

/* Whole groups are read where the stride holds them, so the last row must have one too. */
static void test_check_packed(void)
{
    struct zcs_image image = made(ZCS_PIXFMT_Y10P, 5, 2, 10);
    image.size_bytes = 10 + 9;
    CHECK_EQ(zcs_image_check(&image), ZCS_ERR_FORMAT);
    image = made(ZCS_PIXFMT_Y10P, 5, 2, 9);
    image.size_bytes = 9 + 7;
    CHECK_EQ(zcs_image_check(&image), ZCS_OK);
}

static void test_size_parse(void)
{
    static const char *const bad[] = {
        "",       "640",      "x480",     "640x",         "640x480x", "0x5",
        "5x0",    "-1x5",     "640X480",  " 640x480",     "640x480 ", "6.5x4",
        "640*48", "262145x1", "1x262145", "4294967297x1", "0x10x5",   "99999999999999999999x1"};
    uint32_t w = 7, h = 8;
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_EQ(zcs_size_parse(bad[i], &w, &h), ZCS_ERR_FORMAT);
    CHECK(w == 7 && h == 8);
    CHECK_EQ(zcs_size_parse(NULL, &w, &h), ZCS_ERR_ARG);
    CHECK_EQ(zcs_size_parse("640x480", &w, &h), ZCS_OK);
    CHECK(w == 640 && h == 480);
    CHECK_EQ(zcs_size_parse("262144x1", &w, &h), ZCS_OK);
    CHECK(w == 262144 && h == 1);
}

int main(void)
{
    test_min_strides();
    test_planes();
    test_strides();
    test_sizes();
    test_every_format();
    test_check();
    test_check_packed();
    test_size_parse();
    return 0;
}
