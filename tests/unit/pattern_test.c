/* SPDX-License-Identifier: MIT */
/* Patterns: every sample of the bars in every format against double-precision formulas from the
 * definitions of the formats, the stamp read back, the other patterns, guard pages. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "source_setup.h"

#include <math.h>
#include <sys/mman.h>

#include "source/pattern/packer.h"
#include "source/pattern/picture.h"
#include "source/source.h"

static struct setup_lines lines;

struct rgb {
    double r, g, b; /* 0..1 */
};

/* --- Reading samples from memory ------------------------------------------------------------ */

static const uint8_t *at(const struct zcs_image *image, const uint8_t *base, uint32_t plane,
                         uint32_t row)
{
    return base + image->offset_bytes[plane] + row * image->stride_bytes[plane];
}

/* A sample of a grey or Bayer format. */
static uint32_t mosaic_code(const struct zcs_image *image, const uint8_t *base, uint32_t x,
                            uint32_t y)
{
    const char *name = zcs_pixfmt_info(image->format)->v4l2_name;
    const uint32_t bits = zcs_pixfmt_info(image->format)->bits;
    const uint8_t *row = at(image, base, 0, y);
    if (name[strlen(name) - 1] == 'P') {
        const uint32_t pixels = bits == 12 ? 2 : 4, low_bits = bits - 8;
        const uint32_t bytes = pixels * bits / 8, group = x / pixels * bytes, k = x % pixels;
        /* The last, partial group of a row is truncated if the stride has no room for a whole
         * one. */
        const uint32_t left = image->width - x / pixels * pixels;
        const int cut = image->stride_bytes[0] < (image->width + pixels - 1) / pixels * bytes;
        const uint32_t high = cut && left < pixels ? left : pixels;
        uint32_t low = 0;
        for (uint32_t i = 0; i < (high * low_bits + 7) / 8; i++)
            low |= (uint32_t)row[group + high + i] << 8 * i;
        const uint32_t own_low = low >> k * low_bits & ((1u << low_bits) - 1);
        return ((uint32_t)row[group + k] << low_bits | own_low);
    }
    if (strcmp(name, "Y16_BE") == 0)
        return (uint32_t)row[2 * x] << 8 | row[2 * x + 1];
    return bits == 8 ? row[x] : row[2 * x] | (uint32_t)row[2 * x + 1] << 8;
}

/* Y, U and V of a pixel, with the chroma of its group. */
static void yuv_codes(const struct zcs_image *image, const uint8_t *base, uint32_t x, uint32_t y,
                      uint32_t out[3])
{
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(image->format);
    const char *name = info->v4l2_name;
    if (info->planes == 1) { /* the name is the order of the bytes */
        const uint8_t *group = at(image, base, 0, y) + x / 2 * 4;
        int luma = 0;
        for (int i = 0; i < 4; i++) {
            if (name[i] == 'Y' && luma++ == (int)(x & 1))
                out[0] = group[i];
            if (name[i] == 'U')
                out[1] = group[i];
            if (name[i] == 'V')
                out[2] = group[i];
        }
        return;
    }
    const uint32_t cx = x / info->hsub, cy = y / info->vsub;
    if (strcmp(name, "P010") == 0) {
        const uint8_t *luma = at(image, base, 0, y) + 2 * x;
        const uint8_t *chroma = at(image, base, 1, cy) + 4 * cx;
        const uint8_t *samples[3] = {luma, chroma, chroma + 2};
        for (int i = 0; i < 3; i++) {
            const uint32_t word = samples[i][0] | (uint32_t)samples[i][1] << 8;
            CHECK_EQ(word & 63, 0);
            out[i] = word >> 6;
        }
        return;
    }
    if (info->bits > 8) { /* YUV420P10 and its kin */
        for (uint32_t i = 0; i < 3; i++) {
            const uint8_t *sample = at(image, base, i, i ? cy : y) + 2 * (size_t)(i ? cx : x);
            out[i] = sample[0] | (uint32_t)sample[1] << 8;
            CHECK(out[i] >> info->bits == 0);
        }
        return;
    }
    out[0] = at(image, base, 0, y)[x];
    if (info->planes == 2) { /* NV12, NV16, NV24: U first; their digits swapped: V first */
        const int v_first = strncmp(name, "NV21", 4) == 0 || strncmp(name, "NV61", 4) == 0 ||
                            strncmp(name, "NV42", 4) == 0;
        out[1] = at(image, base, 1, cy)[2 * cx + (v_first ? 1 : 0)];
        out[2] = at(image, base, 1, cy)[2 * cx + (v_first ? 0 : 1)];
    } else {
        const uint32_t u_plane = name[1] == 'V' ? 2 : 1; /* YVU... */
        out[1] = at(image, base, u_plane, cy)[cx];
        out[2] = at(image, base, 3 - u_plane, cy)[cx];
    }
}

/* R, G and B; a fourth sample must be full. */
static void rgb_codes(const struct zcs_image *image, const uint8_t *base, uint32_t x, uint32_t y,
                      uint32_t out[3])
{
    static const char *const orders[][2] = {
        {"RGB24", "RGB"},   {"BGR24", "BGR"},   {"XBGR32", "BGRA"}, {"ABGR32", "BGRA"},
        {"BGRX32", "ABGR"}, {"BGRA32", "ABGR"}, {"XRGB32", "ARGB"}, {"ARGB32", "ARGB"},
        {"RGBX32", "RGBA"}, {"RGBA32", "RGBA"}, {"RGB32", "ARGB"},  {"BGR32", "BGRA"}};
    const char *name = zcs_pixfmt_info(image->format)->v4l2_name;
    const uint8_t *row = at(image, base, 0, y);
    if (strncmp(name, "RGB565", 6) == 0) {
        const uint8_t *word = row + 2 * x;
        const uint32_t value =
            name[6] == 'X' ? (uint32_t)word[0] << 8 | word[1] : (uint32_t)word[1] << 8 | word[0];
        out[0] = value >> 11;
        out[1] = value >> 5 & 63;
        out[2] = value & 31;
        return;
    }
    if (strcmp(name, "RGBA64") == 0) {
        for (uint32_t i = 0; i < 3; i++)
            out[i] = row[8 * x + 2 * i] | (uint32_t)row[8 * x + 2 * i + 1] << 8;
        CHECK(row[8 * x + 6] == 255 && row[8 * x + 7] == 255);
        return;
    }
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        const char *order = orders[i][1];
        if (strcmp(orders[i][0], name) != 0)
            continue;
        for (size_t k = 0; order[k]; k++) {
            const uint8_t value = row[x * strlen(order) + k];
            if (order[k] == 'A')
                CHECK_EQ(value, 255);
            else
                out[order[k] == 'R' ? 0 : order[k] == 'G' ? 1 : 2] = value;
        }
        return;
    }
    fprintf(stderr, "%s: a format that this test does not know\n", name);
    exit(1);
}

/* --- The expected picture --------------------------------------------------------------------- */

#define CANVAS_WIDTH 160
#define CANVAS_HEIGHT 50

/* The expected picture. */
static struct rgb canvas[CANVAS_HEIGHT][CANVAS_WIDTH];

static void paint_bars(uint32_t width)
{
    static const struct rgb bars[8] = {{1, 1, 1}, {1, 1, 0}, {0, 1, 1}, {0, 1, 0},
                                       {1, 0, 1}, {1, 0, 0}, {0, 0, 1}, {0, 0, 0}};
    for (uint32_t y = 0; y < CANVAS_HEIGHT; y++)
        for (uint32_t x = 0; x < width; x++)
            canvas[y][x] = bars[(uint64_t)x * 8 / width];
}

static void weights(enum zcs_matrix matrix, double *kr, double *kb)
{
    *kr = matrix == ZCS_MATRIX_BT709 ? 0.2126 : matrix == ZCS_MATRIX_BT2020 ? 0.2627 : 0.299;
    *kb = matrix == ZCS_MATRIX_BT709 ? 0.0722 : matrix == ZCS_MATRIX_BT2020 ? 0.0593 : 0.114;
}

static double luma(const struct zcs_color *color, struct rgb c)
{
    double kr, kb;
    weights(color->matrix, &kr, &kb);
    return kr * c.r + (1 - kr - kb) * c.g + kb * c.b;
}

static void yuv_values(const struct zcs_image *image, struct rgb pixel, struct rgb group,
                       double out[3])
{
    const double unit = (double)(1u << zcs_pixfmt_info(image->format)->bits) / 256;
    const int full = image->color.range == ZCS_RANGE_FULL;
    const double max = 256 * unit - 1, span = full ? max : 224 * unit;
    const double y = luma(&image->color, group);
    double kr, kb;
    weights(image->color.matrix, &kr, &kb);
    out[0] =
        full ? max * luma(&image->color, pixel) : unit * (16 + 219 * luma(&image->color, pixel));
    out[1] = fmin(max, 128 * unit + span * (group.b - y) / (2 * (1 - kb)));
    out[2] = fmin(max, 128 * unit + span * (group.r - y) / (2 * (1 - kr)));
}

/* The mean of the pixels inside the picture of the chroma group of (x, y). */
static struct rgb group_mean(const struct zcs_image *image, uint32_t x, uint32_t y)
{
    const uint32_t hsub = zcs_pixfmt_info(image->format)->hsub;
    const uint32_t vsub = zcs_pixfmt_info(image->format)->vsub;
    struct rgb sum = {0};
    double n = 0;
    for (uint32_t j = y / vsub * vsub; j < y / vsub * vsub + vsub && j < image->height; j++)
        for (uint32_t i = x / hsub * hsub; i < x / hsub * hsub + hsub && i < image->width; i++) {
            sum.r += canvas[j][i].r;
            sum.g += canvas[j][i].g;
            sum.b += canvas[j][i].b;
            n++;
        }
    return (struct rgb){sum.r / n, sum.g / n, sum.b / n};
}

static void rounds_to(const struct zcs_image *image, uint32_t x, uint32_t y, uint32_t code,
                      double value)
{
    if (fabs(code - value) <= 0.5 + 1e-9)
        return;
    fprintf(stderr, "%s %" PRIu32 "x%" PRIu32 " at %" PRIu32 ",%" PRIu32 ": %" PRIu32 " for %.6f\n",
            zcs_pixfmt_info(image->format)->name, image->width, image->height, x, y, code, value);
    exit(1);
}

static void check_pixel(const struct zcs_image *image, const uint8_t *base, uint32_t x, uint32_t y)
{
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(image->format);
    const struct rgb c = canvas[y][x];
    const double max = (double)(1u << info->bits) - 1;
    uint32_t codes[3];
    double values[3];
    if (info->model == ZCS_MODEL_MONO || info->model == ZCS_MODEL_BAYER) {
        const char cell =
            info->model == ZCS_MODEL_MONO ? 'Y' : info->v4l2_name[1 + y % 2 * 2 + x % 2];
        const double value = cell == 'R'   ? c.r
                             : cell == 'G' ? c.g
                             : cell == 'B' ? c.b
                                           : luma(&image->color, c);
        codes[0] = mosaic_code(image, base, x, y);
        rounds_to(image, x, y, codes[0], value * max);
        return;
    }
    if (info->model == ZCS_MODEL_YUV) {
        yuv_codes(image, base, x, y, codes);
        yuv_values(image, c, group_mean(image, x, y), values);
    } else {
        rgb_codes(image, base, x, y, codes);
        const double five = info->bits == 6 ? 31 : max;
        values[0] = c.r * five;
        values[1] = c.g * max;
        values[2] = c.b * five;
    }
    for (int i = 0; i < 3; i++)
        rounds_to(image, x, y, codes[i], values[i]);
}

static int in_panel(const struct zcs_image *image, uint32_t x, uint32_t y)
{
    /* Whole chroma groups: the panel's edges are even. */
    return image->width >= 152 && image->height >= 48 && x >= 8 && x < 144 && y >= 8 && y < 40;
}

/* --- The checks ------------------------------------------------------------------------------- */

static zcs_source *open_it(zcs_context *ctx, const struct zcs_pattern_params *params)
{
    zcs_source *source = NULL;
    CHECK_EQ(zcs_source_open_pattern(ctx, params, &source), ZCS_OK);
    return source;
}

static const struct zcs_frame *next_frame(zcs_source *source)
{
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
    CHECK(frame->path == ZCS_PATH_PATTERN && frame->host == frame->device_data);
    CHECK_EQ(frame->cpu_bytes_copied, frame->image.size_bytes);
    return frame;
}

static void check_padding(const struct zcs_image *image, const uint8_t *base)
{
    for (uint32_t p = 0; p < image->planes; p++)
        for (uint32_t y = 0; y < zcs_image_rows(image->format, image->height, p); y++)
            for (size_t i = zcs_image_min_stride(image->format, image->width, p) + 7;
                 i < image->stride_bytes[p]; i++)
                CHECK_EQ(at(image, base, p, y)[i], 0);
}

static void check_bars(zcs_context *ctx, struct zcs_pattern_params params)
{
    zcs_source *source = open_it(ctx, &params);
    const struct zcs_frame *frame = next_frame(source);
    const struct zcs_image *image = &frame->image;
    CHECK(image->width == params.width && image->height == params.height);
    paint_bars(image->width);
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width; x++)
            if (!in_panel(image, x, y))
                check_pixel(image, frame->host, x, y);
    check_padding(image, frame->host);
    zcs_frame_unref(&frame);
    zcs_source_close(&source);
}

/* The brightness of a pixel, 0..1, as a program that knows the format would compute it. */
static double brightness(const struct zcs_image *image, const uint8_t *base, uint32_t x, uint32_t y)
{
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(image->format);
    const double max = (double)(1u << info->bits) - 1;
    uint32_t codes[3];
    if (info->model == ZCS_MODEL_MONO || info->model == ZCS_MODEL_BAYER)
        return mosaic_code(image, base, x, y) / max;
    if (info->model == ZCS_MODEL_YUV) {
        yuv_codes(image, base, x, y, codes);
        return codes[0] / max;
    }
    rgb_codes(image, base, x, y, codes);
    return codes[1] / max;
}

static void check_stamp(zcs_context *ctx, enum zcs_pixfmt format, const char *name)
{
    const uint64_t numbers[] = {0, 1, 2, 1234567890, 0xFFFFFFFF, 0x1A5A5C3F0F};
    const struct zcs_pattern_params params = {
        .name = name, .format = format, .width = 155, .height = 49};
    zcs_source *source = open_it(ctx, &params);
    uint64_t now = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        CHECK_EQ(source->ops->skip(source, numbers[i] - now), numbers[i] - now);
        const struct zcs_frame *frame = next_frame(source);
        CHECK_EQ(frame->sequence, numbers[i]);
        uint32_t read = 0;
        for (uint32_t b = 0; b < 32; b++)
            read = read << 1 | (brightness(&frame->image, frame->host, 14 + 4 * b, 32) > 0.5);
        CHECK_EQ(read, (uint32_t)numbers[i]);
        zcs_frame_unref(&frame);
        now = numbers[i] + 1;
    }
    zcs_source_close(&source);
}

static void test_formats(zcs_context *ctx)
{
    const uint32_t sizes[][2] = {{160, 50}, {37, 11}, {1, 1}, {2, 3}, {5, 2}, {6, 5}, {7, 1}};
    for (int format = 1; format < ZCS_PIXFMT_COUNT; format++) {
        struct zcs_pattern_params params = {.format = (enum zcs_pixfmt)format};
        if (zcs_pixfmt_info(params.format)->model == ZCS_MODEL_JPEG)
            continue;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            params.width = sizes[i][0];
            params.height = sizes[i][1];
            for (uint32_t extra = 0; extra < 3; extra++) {
                const size_t min = zcs_image_min_stride(params.format, params.width, 0);
                params.stride_bytes = extra == 0 ? 0 : min + (extra == 1 ? 6 : 250);
                check_bars(ctx, params);
            }
        }
        check_stamp(ctx, params.format, NULL);
    }
    check_stamp(ctx, ZCS_PIXFMT_YUYV, "square");
    check_stamp(ctx, ZCS_PIXFMT_GREY, "zone");
}

static void test_colors(zcs_context *ctx)
{
    const enum zcs_pixfmt formats[] = {ZCS_PIXFMT_YUYV, ZCS_PIXFMT_NV12,   ZCS_PIXFMT_NV24,
                                       ZCS_PIXFMT_P010, ZCS_PIXFMT_YUV420, ZCS_PIXFMT_GREY};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (int matrix = ZCS_MATRIX_AUTO; matrix <= ZCS_MATRIX_BT2020; matrix++)
            for (int range = ZCS_RANGE_AUTO; range <= ZCS_RANGE_FULL; range++) {
                const struct zcs_color color = {.matrix = (enum zcs_matrix)matrix,
                                                .range = (enum zcs_range)range};
                check_bars(ctx,
                           (struct zcs_pattern_params){
                               .format = formats[f], .width = 45, .height = 5, .color = color});
            }
}

/* Ramp and zone plate in 16-bit grey, which has the precision of the colours. */
static void test_pictures(zcs_context *ctx)
{
    struct zcs_pattern_params params = {
        .name = "ramp", .format = ZCS_PIXFMT_Y16, .width = 151, .height = 200};
    zcs_source *source = open_it(ctx, &params);
    const struct zcs_frame *frame = next_frame(source);
    for (uint32_t y = 0; y < 200; y++)
        for (uint32_t x = 0; x < 151; x++) {
            rounds_to(&frame->image, x, y, mosaic_code(&frame->image, frame->host, x, y),
                      x * 65535.0 / 150);
        }
    zcs_frame_unref(&frame);
    zcs_source_close(&source);

    params.name = "zone";
    source = open_it(ctx, &params);
    frame = next_frame(source);
    for (uint32_t y = 0; y < 200; y++)
        for (uint32_t x = 0; x < 151; x++) {
            const double dx = x - 75.0, dy = y - 100.0;
            const double wave = cos(2 * acos(-1) * (dx * dx + dy * dy) / 400);
            const double code = mosaic_code(&frame->image, frame->host, x, y);
            CHECK(fabs(code - 32768 - 32768 * wave) < 70);
        }
    zcs_frame_unref(&frame);
    zcs_source_close(&source);
}

static void check_square(zcs_context *ctx, enum zcs_pixfmt format, uint64_t frames)
{
    const struct rgb white = {1, 1, 1}, dark = {8192 / 65535., 8192 / 65535., 8192 / 65535.};
    const struct zcs_pattern_params params = {
        .name = "square", .format = format, .width = 70, .height = 41};
    zcs_source *source = open_it(ctx, &params);
    for (uint64_t n = 0; n < frames; n++) { /* side 10: 61 places across, 32 down */
        const struct zcs_frame *frame = next_frame(source);
        const uint64_t left = n * 4 % 61, top = n * 2 % 32;
        for (uint32_t y = 0; y < 41; y++)
            for (uint32_t x = 0; x < 70; x++)
                canvas[y][x] =
                    x >= left && x < left + 10 && y >= top && y < top + 10 ? white : dark;
        for (uint32_t y = 0; y < 41; y++)
            for (uint32_t x = 0; x < 70; x++)
                check_pixel(&frame->image, frame->host, x, y);
        zcs_frame_unref(&frame);
    }
    zcs_source_close(&source);
}

static void test_square(zcs_context *ctx)
{
    for (int format = 1; format < ZCS_PIXFMT_COUNT; format++)
        if (zcs_pixfmt_info((enum zcs_pixfmt)format)->model != ZCS_MODEL_JPEG)
            check_square(ctx, (enum zcs_pixfmt)format, format == ZCS_PIXFMT_GREY ? 200 : 20);
}

/* All pixels differ, so that the mean of every group matters. */
static void check_random(enum zcs_pixfmt format, uint32_t width, uint32_t height)
{
    static uint8_t memory[CANVAS_WIDTH * CANVAS_HEIGHT * 8 + 64];
    struct zci_rgb colors[2][CANVAS_WIDTH];
    uint64_t state = 88172645463325252u;
    struct zcs_image image;
    struct zci_packer packer;
    CHECK_EQ(zcs_image_init(&image, format, width, height, 0), ZCS_OK);
    CHECK(image.size_bytes <= sizeof memory);
    zci_packer_init(&packer, &image);
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            const uint64_t bits = test_random(&state);
            const struct zci_rgb c = {(uint16_t)bits, (uint16_t)(bits >> 16),
                                      (uint16_t)(bits >> 32)};
            colors[y & 1][x] = c;
            canvas[y][x] = (struct rgb){c.r / 65535., c.g / 65535., c.b / 65535.};
        }
        const struct zci_rgb *const rows[2] = {colors[0], y & 1 ? colors[1] : NULL};
        if ((y & 1) || y + 1 == height)
            zci_packer_rows(&packer, memory, 0, y & ~1u, width, rows);
    }
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            check_pixel(&image, memory, x, y);
}

static void test_random_colors(void)
{
    for (int format = 1; format < ZCS_PIXFMT_COUNT; format++)
        if (zcs_pixfmt_info((enum zcs_pixfmt)format)->model != ZCS_MODEL_JPEG) {
            check_random((enum zcs_pixfmt)format, 128, 50);
            check_random((enum zcs_pixfmt)format, 31, 7);
        }
}

/* A frame between two guard pages. */
static void check_guarded(enum zcs_pixfmt format, uint32_t width, uint32_t height, size_t stride)
{
    const size_t page = 4096;
    struct zcs_image image;
    CHECK_EQ(zcs_image_init(&image, format, width, height, stride), ZCS_OK);
    const size_t pages = (image.size_bytes + page - 1) / page * page;
    uint8_t *map = mmap(NULL, pages + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(map != MAP_FAILED && mprotect(map + page, pages, PROT_READ | PROT_WRITE) == 0);
    const struct zci_picture picture = {0, width, height};
    struct zci_packer packer;
    struct zci_rgb colors[2][64];
    zci_packer_init(&packer, &image);
    for (int at_end = 0; at_end < 2; at_end++)
        for (uint32_t y = 0; y < height; y += 2) {
            zci_picture_row(&picture, 0, y, width, colors[0]);
            zci_picture_row(&picture, 0, y + 1, width, colors[1]);
            const struct zci_rgb *const rows[2] = {colors[0], y + 1 < height ? colors[1] : NULL};
            uint8_t *base = map + page + (at_end ? pages - image.size_bytes : 0);
            zci_packer_rows(&packer, base, 0, y, width, rows);
        }
    CHECK(munmap(map, pages + 2 * page) == 0);
}

static void test_guards(void)
{
    for (int format = 1; format < ZCS_PIXFMT_COUNT; format++)
        for (uint32_t width = 1; width <= 40; width += width < 12 ? 1 : 7)
            for (uint32_t height = 1; height <= 5; height++) {
                const size_t min = zcs_image_min_stride((enum zcs_pixfmt)format, width, 0);
                for (size_t more = 0; min != 0 && more < 6; more++)
                    check_guarded((enum zcs_pixfmt)format, width, height, min + more);
            }
}

static void test_refusals(zcs_context *ctx)
{
    zcs_source *source = NULL;
    struct zcs_pattern_params params = {.name = "bar"};
    CHECK_EQ(zcs_source_open_pattern(ctx, &params, &source), ZCS_ERR_ARG);
    CHECK_LINE(&lines, "pattern bar: unknown; there are bars, ramp, zone and square");
    params = (struct zcs_pattern_params){.format = ZCS_PIXFMT_JPEG};
    CHECK_EQ(zcs_source_open_pattern(ctx, &params, &source), ZCS_ERR_UNSUPPORTED);
    CHECK_LINE(&lines, "bars: JPEG is compressed");
    params = (struct zcs_pattern_params){.width = 64};
    CHECK_EQ(zcs_source_open_pattern(ctx, &params, &source), ZCS_ERR_ARG);
    CHECK_LINE(&lines, "bars: size 64x0");
    params = (struct zcs_pattern_params){.pace = 1};
    CHECK_EQ(zcs_source_open_pattern(ctx, &params, &source), ZCS_ERR_ARG);
    CHECK_LINE(&lines, "bars: playing at its pace needs a rate");
    const char *const want[] = {"bars", "ramp", "zone", "square"};
    for (int i = 0; i < 4; i++)
        CHECK(strcmp(zcs_pattern_names()[i], want[i]) == 0);
    CHECK(zcs_pattern_names()[4] == NULL);
    params = (struct zcs_pattern_params){0};
    source = open_it(ctx, &params);
    struct zcs_image image;
    zcs_source_image(source, &image);
    CHECK(image.format == ZCS_PIXFMT_YUYV && image.width == 640 && image.height == 480);
    zcs_source_close(&source);
}

/* --- Large frames ----------------------------------------------------------------------------- */

static size_t resident_bytes(void)
{
    unsigned long pages = 0, persistent = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%lu %lu", &pages, &persistent) == 2);
    fclose(file);
    return (size_t)persistent * (size_t)sysconf(_SC_PAGESIZE);
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SHADOWED 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define SHADOWED 1
#endif
#ifndef SHADOWED
#define SHADOWED 0
#endif

/* Opening only reserves address space, so that a later failure comes at once. ThreadSanitizer keeps
 * several bytes for each allocated one. */
static void test_large(zcs_context *ctx)
{
    if (SHADOWED)
        return;
    const struct zcs_pattern_params large = {
        .name = "zone", .format = ZCS_PIXFMT_GREY, .width = 20000, .height = 20000};
    const size_t before = resident_bytes();
    zcs_source *source = open_it(ctx, &large);
    CHECK(resident_bytes() < before + (size_t)200 * 1000 * 1000);
    zcs_source_close(&source);
}

/* A background that is drawn with the first frame is the same picture. */
static void test_large_content(zcs_context *ctx)
{
    struct zcs_pattern_params params = {
        .name = "zone", .format = ZCS_PIXFMT_GREY, .width = 64, .height = 17};
    const struct zcs_frame *frames[2] = {NULL, NULL};
    zcs_source *sources[2];
    for (int i = 0; i < 2; i++, params.stride_bytes = (size_t)4 << 20) {
        sources[i] = open_it(ctx, &params);
        CHECK_EQ(zcs_source_next(sources[i], -1, &frames[i]), ZCS_OK);
    }
    for (uint32_t y = 0; y < params.height; y++)
        CHECK(memcmp(at(&frames[0]->image, frames[0]->host, 0, y),
                     at(&frames[1]->image, frames[1]->host, 0, y), params.width) == 0);
    for (int i = 0; i < 2; i++) {
        zcs_frame_unref(&frames[i]);
        zcs_source_close(&sources[i]);
    }
}

int main(void)
{
    zcs_context *ctx = setup_context(&lines);
    test_formats(ctx);
    test_colors(ctx);
    test_pictures(ctx);
    test_square(ctx);
    test_random_colors();
    test_guards();
    test_large(ctx);
    test_large_content(ctx);
    test_refusals(ctx);
    CHECK_EQ(lines.count, 0);
    zcs_close(&ctx);
    return 0;
}
