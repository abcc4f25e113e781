/* SPDX-License-Identifier: MIT */
/* Cases from the field that unpacking and colour conversion can get wrong, with their right values. The
 * numbers are those of the collection of cases. */
#define _DEFAULT_SOURCE
#include "load_rows.h"

#include "core/plan.h"

#define BT601 ZCS_MATRIX_BT601
#define BT709 ZCS_MATRIX_BT709
#define LIMITED ZCS_RANGE_LIMITED
#define FULL ZCS_RANGE_FULL

static struct zcs_image layout(enum zcs_pixfmt format, uint32_t width, uint32_t height,
                               size_t stride, enum zcs_matrix matrix, enum zcs_range range)
{
    struct zcs_image image;
    CHECK_EQ(zcs_image_init(&image, format, width, height, stride), ZCS_OK);
    image.color.matrix = matrix;
    image.color.range = range;
    return image;
}

/* Row y of `bytes`, which end at a guard page as the image's do, with the fastest table. */
static void load(const struct zcs_image *image, const uint8_t *bytes, size_t count, uint32_t y,
                 uint32_t depth, void *out)
{
    const struct guarded memory = guarded_new(image->size_bytes);
    uint8_t *first = memory.end - count;
    const uint8_t *plane[ZCS_MAX_PLANES];
    struct zci_load row;
    memcpy(first, bytes, count);
    for (uint32_t p = 0; p < ZCS_MAX_PLANES; p++)
        plane[p] = first + image->offset_bytes[p];
    zci_load_make(&row, image, depth);
    load_row(zck_table_best(), &row, plane, y, out);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    munmap(memory.end - memory.bytes, memory.bytes + page);
}

static void check_rgb(const uint8_t *rgba, uint8_t r, uint8_t g, uint8_t b)
{
    if (rgba[0] != r || rgba[1] != g || rgba[2] != b)
        fprintf(stderr, "got %d %d %d, wanted %d %d %d\n", rgba[0], rgba[1], rgba[2], r, g, b);
    CHECK(rgba[0] == r && rgba[1] == g && rgba[2] == b && rgba[3] == 255);
}

/* 601 limited, 601 full, 709 limited. */
static void test_reference_table(void)
{
    static const uint8_t rows[][12] = {
        {16, 128, 128, 0, 0, 0, 16, 16, 16, 0, 0, 0},
        {235, 128, 128, 255, 255, 255, 235, 235, 235, 255, 255, 255},
        {126, 128, 128, 128, 128, 128, 126, 126, 126, 128, 128, 128},
        {0, 128, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0},
        {255, 128, 128, 255, 255, 255, 255, 255, 255, 255, 255, 255},
        {81, 90, 240, 254, 0, 0, 238, 14, 14, 255, 24, 0},
        {145, 54, 34, 0, 255, 1, 13, 238, 14, 0, 216, 0},
        {41, 240, 110, 0, 0, 255, 16, 15, 239, 0, 15, 255},
        {170, 166, 16, 1, 255, 255, 13, 237, 237, 0, 231, 255},
        {180, 100, 160, 242, 176, 134, 225, 167, 130, 248, 180, 132},
        {63, 102, 240, 233, 0, 2, 220, 0, 17, 255, 1, 0},
        {0, 0, 0, 0, 136, 0, 0, 135, 0, 0, 77, 0},
        {16, 0, 0, 0, 154, 0, 0, 151, 0, 0, 96, 0},
        {235, 255, 255, 255, 102, 255, 255, 101, 255, 255, 160, 255},
        {255, 255, 255, 255, 125, 255, 255, 121, 255, 255, 184, 255},
    };
    static const enum zcs_matrix matrix[3] = {BT601, BT601, BT709};
    static const enum zcs_range range[3] = {LIMITED, FULL, LIMITED};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t s = 0; s < 3; s++) {
            const struct zcs_image image = layout(ZCS_PIXFMT_NV24, 1, 1, 0, matrix[s], range[s]);
            const uint8_t *rgb = rows[i] + 3 + 3 * s;
            uint8_t out[4];
            load(&image, rows[i], 3, 0, 8, out);
            check_rgb(out, rgb[0], rgb[1], rgb[2]);
        }
}

/* Padding at line ends never shows. */
static void test_case_6(void)
{
    const struct zcs_image image = layout(ZCS_PIXFMT_Y16, 848, 4, 1728, BT601, FULL);
    static uint8_t bytes[4 * 1728];
    static uint16_t out[848];
    memset(bytes, 0xFF, sizeof bytes);
    for (uint32_t y = 0; y < 4; y++)
        for (uint32_t x = 0; x < 848; x++) {
            bytes[y * 1728 + 2 * x] = 0x34;
            bytes[y * 1728 + 2 * x + 1] = 0x12;
        }
    for (uint32_t y = 0; y < 4; y++) {
        load(&image, bytes, sizeof bytes, y, 16, out);
        for (uint32_t x = 0; x < 848; x++)
            CHECK_EQ(out[x], 0x1234);
    }
}

/* Packed 10 bits with rows padded to 1632 bytes. */
static void test_case_7(void)
{
    const struct zcs_image image = layout(ZCS_PIXFMT_SRGGB10P, 1296, 2, 1632, BT601, FULL);
    static uint8_t bytes[2 * 1632];
    static uint16_t out[1296];
    for (uint32_t y = 0; y < 2; y++) {
        memset(bytes + y * 1632, 0, 1620);
        memset(bytes + y * 1632 + 1620, 0xAA, 12);
    }
    for (uint32_t y = 0; y < 2; y++) {
        load(&image, bytes, sizeof bytes, y, 16, out);
        for (uint32_t x = 0; x < 1296; x++)
            CHECK_EQ(out[x], 0);
    }
}

static void test_case_49(void)
{
    static const uint8_t bytes[4] = {0x10, 0x80, 0xEB, 0x80};
    const struct zcs_image limited = layout(ZCS_PIXFMT_YUYV, 2, 1, 0, BT601, LIMITED);
    const struct zcs_image full = layout(ZCS_PIXFMT_YUYV, 2, 1, 0, BT601, FULL);
    uint8_t out[8];
    load(&limited, bytes, 4, 0, 8, out);
    check_rgb(out, 0, 0, 0);
    check_rgb(out + 4, 255, 255, 255);
    load(&full, bytes, 4, 0, 8, out);
    check_rgb(out, 16, 16, 16);
    check_rgb(out + 4, 235, 235, 235);
}

/* 601 against 709, and the same four bytes in each packed order. */
static void test_case_50(void)
{
    static const uint8_t bytes[4] = {0x51, 0x5A, 0x51, 0xF0};
    const struct zcs_image yuyv601 = layout(ZCS_PIXFMT_YUYV, 2, 1, 0, BT601, LIMITED);
    const struct zcs_image yuyv709 = layout(ZCS_PIXFMT_YUYV, 2, 1, 0, BT709, LIMITED);
    const struct zcs_image uyvy = layout(ZCS_PIXFMT_UYVY, 2, 1, 0, BT601, LIMITED);
    const struct zcs_image yvyu = layout(ZCS_PIXFMT_YVYU, 2, 1, 0, BT601, LIMITED);
    uint8_t out[8];
    load(&yuyv601, bytes, 4, 0, 8, out);
    check_rgb(out, 254, 0, 0);
    check_rgb(out + 4, 254, 0, 0);
    load(&yuyv709, bytes, 4, 0, 8, out);
    check_rgb(out, 255, 24, 0);
    load(&uyvy, bytes, 4, 0, 8, out);
    check_rgb(out, 11, 143, 0);
    check_rgb(out + 4, 186, 255, 166);
    load(&yvyu, bytes, 4, 0, 8, out);
    check_rgb(out, 15, 63, 255);
    check_rgb(out + 4, 15, 63, 255);
}

/* A red pair, then a blue pair: chroma is shared by two pixels. */
static void test_case_53(void)
{
    static const uint8_t bytes[8] = {81, 90, 81, 240, 41, 240, 41, 110};
    const struct zcs_image image = layout(ZCS_PIXFMT_YUYV, 4, 1, 0, BT601, LIMITED);
    uint8_t out[16];
    load(&image, bytes, 8, 0, 8, out);
    check_rgb(out, 254, 0, 0);
    check_rgb(out + 4, 254, 0, 0);
    check_rgb(out + 8, 0, 0, 255);
    check_rgb(out + 12, 0, 0, 255);
}

static void test_case_54(void)
{
    static const uint8_t bytes[4] = {0x5A, 0x51, 0xF0, 0x51};
    const struct zcs_image image = layout(ZCS_PIXFMT_UYVY, 2, 1, 0, BT601, LIMITED);
    uint8_t out[8];
    load(&image, bytes, 4, 0, 8, out);
    check_rgb(out, 254, 0, 0);
    check_rgb(out + 4, 254, 0, 0);
}

/* U before V in YU12, V before U in YV12. */
static void test_case_56(void)
{
    static const uint8_t bytes[6] = {0x51, 0x51, 0x51, 0x51, 0x5A, 0xF0};
    const struct zcs_image yu12 = layout(ZCS_PIXFMT_YUV420, 2, 2, 0, BT601, LIMITED);
    const struct zcs_image yv12 = layout(ZCS_PIXFMT_YVU420, 2, 2, 0, BT601, LIMITED);
    uint8_t out[8];
    for (uint32_t y = 0; y < 2; y++) {
        load(&yu12, bytes, 6, y, 8, out);
        check_rgb(out, 254, 0, 0);
        check_rgb(out + 4, 254, 0, 0);
        load(&yv12, bytes, 6, y, 8, out);
        check_rgb(out + 4, 15, 63, 255);
    }
}

/* NV12 6x4 with stride 8: chroma rows have luma's stride, each its own colour. */
static void test_case_57(void)
{
    static const uint8_t bytes[48] = {81, 81,  81, 81, 81,  81,  7,   7,   81,  81,  81, 81,
                                      81, 81,  7,  7,  41,  41,  41,  41,  41,  41,  7,  7,
                                      41, 41,  41, 41, 41,  41,  7,   7,   90,  240, 90, 240,
                                      90, 240, 7,  7,  240, 110, 240, 110, 240, 110, 7,  7};
    const struct zcs_image image = layout(ZCS_PIXFMT_NV12, 6, 4, 8, BT601, LIMITED);
    uint8_t out[24];
    for (uint32_t y = 0; y < 4; y++) {
        load(&image, bytes, 48, y, 8, out);
        for (int x = 0; x < 6; x++)
            check_rgb(out + 4 * x, y < 2 ? 254 : 0, 0, y < 2 ? 0 : 255);
    }
}

/* 3x2 YUYV: 8 bytes a row, the third pixel from the second pair, nothing read behind the buffer. */
static void test_case_59(void)
{
    static const uint8_t bytes[16] = {81, 90,  81, 240, 41, 240, 255, 110,
                                      41, 240, 41, 110, 81, 90,  255, 240};
    const struct zcs_image image = layout(ZCS_PIXFMT_YUYV, 3, 2, 8, BT601, LIMITED);
    uint8_t out[12];
    load(&image, bytes, 16, 0, 8, out);
    check_rgb(out, 254, 0, 0);
    check_rgb(out + 8, 0, 0, 255);
    load(&image, bytes, 16, 1, 8, out);
    check_rgb(out, 0, 0, 255);
    check_rgb(out + 8, 254, 0, 0);
}

static void test_case_62(void)
{
    static const uint8_t bytes[3] = {0xFF, 0x00, 0x01};
    const struct zcs_image rgb = layout(ZCS_PIXFMT_RGB24, 1, 1, 0, BT601, FULL);
    const struct zcs_image bgr = layout(ZCS_PIXFMT_BGR24, 1, 1, 0, BT601, FULL);
    uint8_t out[4];
    load(&rgb, bytes, 3, 0, 8, out);
    check_rgb(out, 255, 0, 1);
    load(&bgr, bytes, 3, 0, 8, out);
    check_rgb(out, 1, 0, 255);
}

static void check_codes(enum zcs_pixfmt format, const uint8_t *bytes, size_t count,
                        const uint16_t *wanted, uint32_t width)
{
    const struct zcs_image image = layout(format, width, 1, 0, BT601, FULL);
    uint16_t out[8];
    CHECK_EQ(count, image.size_bytes);
    load(&image, bytes, count, 0, 16, out);
    for (uint32_t x = 0; x < width; x++)
        CHECK_EQ(out[x], wanted[x]);
}

#define CHECK_CODES(format, width, bytes, ...)                                                     \
    do {                                                                                           \
        static const uint16_t wanted_[] = {__VA_ARGS__};                                           \
        check_codes(format, bytes, sizeof bytes, wanted_, width);                                  \
    } while (0)

/* The order of the low bits of packed samples, partial groups too. */
static void test_cases_66_69_70(void)
{
    static const uint8_t one[] = {0, 0, 0, 0, 1}, many[] = {0x00, 0x00, 0xFF, 0xFF, 0xC9};
    static const uint8_t twelve[] = {0x12, 0xAB, 0xC3}, three[] = {0x12, 0xAB, 0xC3, 0x45, 0x06};
    static const uint8_t fourteen[] = {0x80, 0x01, 0xFF, 0x00, 0x41, 0xF0, 0x07};
    static const uint8_t rest[] = {0, 0, 0, 0, 0, 0xFF, 0x02};
    CHECK_CODES(ZCS_PIXFMT_SRGGB10P, 4, one, 1, 0, 0, 0);
    CHECK_CODES(ZCS_PIXFMT_SRGGB10P, 4, many, 0x001, 0x002, 0x3FC, 0x3FF);
    CHECK_CODES(ZCS_PIXFMT_Y10P, 4, many, 0x001, 0x002, 0x3FC, 0x3FF);
    CHECK_CODES(ZCS_PIXFMT_Y10P, 5, rest, 0, 0, 0, 0, 0x3FE);
    CHECK_CODES(ZCS_PIXFMT_SRGGB12P, 2, twelve, 0x123, 0xABC);
    CHECK_CODES(ZCS_PIXFMT_Y12P, 3, three, 0x123, 0xABC, 0x456);
    /* low bits, pixel by pixel: 01, 01, 3F, 01 */
    CHECK_CODES(ZCS_PIXFMT_SGBRG14P, 4, fourteen, 0x2001, 0x0041, 0x3FFF, 0x0001);
}

/* A 12-bit white is white; the exact scale is round(v * 65535 / 4095). */
static void test_case_78(void)
{
    static const uint8_t bytes[] = {0xFF, 0x0F, 0x00, 0x08};
    CHECK_CODES(ZCS_PIXFMT_SRGGB12, 2, bytes, 4095, 2048);
    uint16_t codes[2] = {4095, 2048};
    const struct zci_pixel pixel = {ZCI_BAYER, 16, 0};
    const struct zci_op op = {.kind = ZCI_OP_SCALE,
                              .state = -1,
                              .in = pixel,
                              .out = pixel,
                              .u.scale = zci_scale_make(0, 4095, 65535)};
    zck_table_best()->op[ZCI_OP_SCALE][1][1](&op, NULL, NULL, codes, codes, 2, 0);
    CHECK_EQ(codes[0], 65535);
    CHECK_EQ(codes[1], 32776);
}

/* All four 16-bit orders load whole words, red where the name says. */
static void test_case_82(void)
{
    static const char *const names[4] = {"RG16", "GR16", "GB16", "BYR2"};
    static const uint8_t bytes[] = {0xD8, 0x57, 0xFF, 0xFF};
    for (uint8_t i = 0; i < 4; i++) {
        enum zcs_pixfmt format;
        struct zci_load row;
        CHECK_EQ(zcs_pixfmt_parse(names[i], &format), ZCS_OK);
        CHECK_CODES(format, 2, bytes, 0x57D8, 0xFFFF);
        const struct zcs_image image = layout(format, 2, 1, 0, BT601, FULL);
        zci_load_make(&row, &image, 16);
        CHECK_EQ(row.pixel.cfa, i);
    }
}

int main(void)
{
    test_reference_table();
    test_case_6();
    test_case_7();
    test_case_49();
    test_case_50();
    test_case_53();
    test_case_54();
    test_case_56();
    test_case_57();
    test_case_59();
    test_case_62();
    test_cases_66_69_70();
    test_case_78();
    test_case_82();
    return 0;
}
