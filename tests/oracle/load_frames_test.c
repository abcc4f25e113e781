/* SPDX-License-Identifier: MIT */
/* Real frames in several formats of the same scene load to the same samples. */
#define _DEFAULT_SOURCE
#include "load_rows.h"

struct frame {
    struct zcs_image image;
    struct zci_load load;
    uint8_t *bytes;
};

static struct frame frame_read(const char *name, const char *format, uint32_t width,
                               uint32_t height)
{
    struct frame f;
    enum zcs_pixfmt number;
    char path[4096];
    CHECK_EQ(zcs_pixfmt_parse(format, &number), ZCS_OK);
    CHECK_EQ(zcs_image_init(&f.image, number, width, height, 0), ZCS_OK);
    zci_load_make(&f.load, &f.image, 8);
    f.bytes = malloc(f.image.size_bytes + 1);
    CHECK(f.bytes);
    snprintf(path, sizeof path, "%s/frames/%s", getenv("ZCS_SHARED"), name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "cannot open %s\n", path);
        exit(1);
    }
    CHECK_EQ(fread(f.bytes, 1, f.image.size_bytes + 1, file), f.image.size_bytes);
    fclose(file);
    return f;
}

static void frame_row(const struct frame *f, uint32_t y, void *out)
{
    const uint8_t *plane[ZCS_MAX_PLANES];
    for (uint32_t p = 0; p < ZCS_MAX_PLANES; p++)
        plane[p] = f->bytes + f->image.offset_bytes[p];
    load_row(zck_table_best(), &f->load, plane, y, out);
}

static void check_same(struct frame a, struct frame b)
{
    static uint16_t row_a[4096], row_b[4096];
    const size_t bytes = (size_t)a.image.width * zci_pixel_bytes(a.load.pixel);
    uint64_t sum = 0;
    CHECK(a.image.width == b.image.width && a.image.height == b.image.height);
    CHECK_EQ(zci_pixel_bytes(a.load.pixel), zci_pixel_bytes(b.load.pixel));
    for (uint32_t y = 0; y < a.image.height; y++) {
        frame_row(&a, y, row_a);
        frame_row(&b, y, row_b);
        CHECK(memcmp(row_a, row_b, bytes) == 0);
        for (size_t i = 0; i < bytes / 2; i++)
            sum += row_a[i];
    }
    CHECK(sum > 0);
    free(a.bytes);
    free(b.bytes);
}

#define TSHIRT(name, format) frame_read(name "_tshirt_320x240.raw", format, 320, 240)
#define ROSE(name) frame_read("derived/" name "_rose_768x512.raw", name, 768, 512)

int main(void)
{
    char path[4096];
    const char *shared = getenv("ZCS_SHARED");
    snprintf(path, sizeof path, "%s/frames/derived", shared ? shared : "");
    if (!shared || access(path, R_OK) != 0)
        SKIP("no sample frames: ZCS_SHARED/frames is not there");
    check_same(ROSE("RG10"), ROSE("pRAA"));
    check_same(ROSE("RG12"), ROSE("pRCC"));
    check_same(TSHIRT("derived/YUYV", "YUYV"), TSHIRT("derived/UYVY", "UYVY"));
    check_same(TSHIRT("derived/YUYV", "YUYV"), TSHIRT("derived/NV16", "NV16"));
    check_same(TSHIRT("derived/YUYV", "YUYV"), TSHIRT("YU12", "YU12"));
    check_same(TSHIRT("derived/NV12", "NV12"), TSHIRT("YU12", "YU12"));
    check_same(TSHIRT("derived/BGR3", "BGR3"), TSHIRT("RGB3", "RGB3"));
    return 0;
}
