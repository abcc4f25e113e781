/* SPDX-License-Identifier: MIT */
/* Every format against the double-precision model: every width 1..70 and height 1..9, strides least,
 * padded and oddly padded, both depths, in every variant of the kernel table, between guard pages. */
#define _DEFAULT_SOURCE
#include "load_model.h"
#include "load_rows.h"

#define MAX_WIDTH 70
#define MAX_HEIGHT 9

static struct guarded planes[ZCS_MAX_PLANES], outputs;
static uint64_t seed = 0x5EED;

struct score {
    uint64_t samples, near;
};

/* Random content, and now and then the extremes that overflow shows at. */
static void fill(uint8_t *p, size_t bytes)
{
    const uint64_t how = test_random(&seed) % 8;
    for (size_t i = 0; i < bytes; i++)
        p[i] = how == 0   ? 0
               : how == 1 ? 255
               : how == 2 ? (uint8_t)(i % 2 ? 255 : 0)
               : how == 3 ? (uint8_t)(test_random(&seed) & 1 ? 255 : 0)
                          : (uint8_t)(test_random(&seed) >> 32);
}

static void place(const struct zcs_image *image, const uint8_t *plane[ZCS_MAX_PLANES])
{
    for (uint32_t p = 0; p < image->planes; p++) {
        const size_t bytes = plane_bytes(image, p);
        CHECK(bytes <= planes[p].bytes);
        plane[p] = planes[p].end - bytes;
        fill(planes[p].end - bytes, bytes);
    }
}

static uint32_t sample_at(const void *row, uint32_t depth, size_t i)
{
    return depth == 8 ? ((const uint8_t *)row)[i] : ((const uint16_t *)row)[i];
}

static void wrong(const struct zcs_image *image, const struct zci_load *load, uint32_t x,
                  uint32_t y, double got, double wanted)
{
    fprintf(stderr,
            "%s %" PRIu32 "x%" PRIu32 " stride %zu depth %d bits %d shift %d: (%" PRIu32
            ", %" PRIu32 ") is %.0f, not %.0f\n",
            zcs_pixfmt_info(image->format)->name, image->width, image->height,
            image->stride_bytes[0], load->pixel.depth, load->bits, load->shift, x, y, got, wanted);
    exit(1);
}

static void check_pixel(const struct model *m, const struct zcs_image *image,
                        const struct zci_load *load, const uint8_t *const plane[], const void *row,
                        uint32_t x, uint32_t y, struct score *score)
{
    const uint32_t depth = load->pixel.depth;
    const double max = depth == 8 ? 255 : 65535;
    double rgb[3];
    if (load->pixel.layout != ZCI_RGBA) {
        const uint32_t code = model_code(m, image, plane, x, y), got = sample_at(row, depth, x);
        if (got != code)
            wrong(image, load, x, y, got, code);
        return;
    }
    if (model_is_yuv(m)) {
        uint32_t yuv[3];
        model_yuv(m, image, plane, x, y, yuv);
        model_rgb_of_yuv(image->color, model_yuv_bits(m), yuv, max, rgb);
    } else {
        model_rgb(m, image, plane, x, y, max, rgb);
    }
    for (uint32_t c = 0; c < 3; c++) {
        const double got = sample_at(row, depth, 4 * (size_t)x + c);
        score->samples++;
        score->near += got != rgb[c];
        if (fabs(got - rgb[c]) > (model_is_yuv(m) ? 1 : 0))
            wrong(image, load, x, y, got, rgb[c]);
    }
    CHECK_EQ(sample_at(row, depth, 4 * (size_t)x + 3), max);
}

/* Grey and Bayer formats stay one channel; red's place is the colours' order. */
static void check_layout(const struct model *m, const struct zci_load *load)
{
    const int one = m->kind <= MODEL_P14, bayer = one && m->order[0];
    CHECK_EQ(load->pixel.layout, !one ? ZCI_RGBA : bayer ? ZCI_BAYER : ZCI_MONO);
    CHECK_EQ(load->pixel.cfa, bayer ? model_place(m->order, 'R') : 0);
    CHECK(!one || load->pixel.depth == (load->bits <= 8 ? 8 : 16));
}

static void check_rows(const struct model *m, const struct zcs_image *image, uint32_t depth,
                       const uint8_t *const plane[], struct score *score)
{
    const struct zck_table *tables[3];
    const uint32_t count = all_tables(tables);
    static uint8_t first[MAX_WIDTH * 8];
    struct zci_load load;
    zci_load_make(&load, image, depth);
    check_layout(m, &load);
    const size_t bytes = (size_t)image->width * zci_pixel_bytes(load.pixel);
    uint8_t *out = outputs.end - bytes;
    for (uint32_t y = 0; y < image->height; y++) {
        for (uint32_t t = 0; t < count; t++) {
            memset(out - 8, 0xA5, bytes + 8);
            load_row(tables[t], &load, plane, y, out);
            CHECK(out[-1] == 0xA5 && out[-8] == 0xA5);
            if (t == 0)
                memcpy(first, out, bytes);
            else if (memcmp(first, out, bytes) != 0) {
                fprintf(stderr, "%s differs from %s\n", tables[t]->name, tables[0]->name);
                wrong(image, &load, 0, y, 0, 0);
            }
        }
        for (uint32_t x = 0; x < image->width; x++)
            check_pixel(m, image, &load, plane, out, x, y, score);
    }
}

/* Fewer bits than the format's, and shifted words. */
static void vary_samples(struct zcs_image *image, const struct model *m)
{
    const uint64_t r = test_random(&seed);
    if (m->kind > MODEL_P14 || r % 2)
        return;
    image->bits = 1 + (uint32_t)(r >> 8) % image->bits;
    if (m->kind == MODEL_WORD || m->kind == MODEL_WORD_BE)
        image->shift = (uint32_t)(r >> 32) % (17 - image->bits);
}

static void check_size(const struct model *m, uint32_t width, uint32_t height, size_t padding,
                       struct score *score)
{
    const uint8_t *plane[ZCS_MAX_PLANES] = {0};
    struct zcs_image image;
    const size_t stride = zcs_image_min_stride(m->format, width, 0) + padding;
    CHECK_EQ(zcs_image_init(&image, m->format, width, height, stride), ZCS_OK);
    image.color.matrix = (enum zcs_matrix)(1 + test_random(&seed) % 3);
    image.color.range = (enum zcs_range)(1 + test_random(&seed) % 2);
    vary_samples(&image, m);
    CHECK_EQ(zcs_image_check(&image), ZCS_OK);
    place(&image, plane);
    check_rows(m, &image, 8, plane, score);
    check_rows(m, &image, 16, plane, score);
}

static void check_format(enum zcs_pixfmt format)
{
    const struct model *m = model_of(format);
    struct score score = {0};
    for (uint32_t width = 1; width <= MAX_WIDTH; width++)
        for (uint32_t height = 1; height <= MAX_HEIGHT; height += STEP(4)) {
            check_size(m, width, height, 0, &score);
            check_size(m, width, height, 64, &score);
            check_size(m, width, height, 1 + 2 * (size_t)(test_random(&seed) % 8), &score);
        }
    CHECK(score.near * 200 <= score.samples);
}

int main(void)
{
    for (int p = 0; p < ZCS_MAX_PLANES; p++)
        planes[p] = guarded_new((MAX_WIDTH * 8 + 64) * 2 * MAX_HEIGHT);
    outputs = guarded_new(MAX_WIDTH * 8 + 16);
    for (int i = 1; i < ZCS_PIXFMT_COUNT; i++)
        if (zcs_pixfmt_info((enum zcs_pixfmt)i)->model != ZCS_MODEL_JPEG)
            check_format((enum zcs_pixfmt)i);
    return 0;
}
