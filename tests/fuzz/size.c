/* SPDX-License-Identifier: MIT */
/* Fuzzes the names of formats and sizes: a line of each. Whatever layout they give must pass its check. */
#include "fuzz.h"

static void check_layout(enum zcs_pixfmt format, uint32_t width, uint32_t height)
{
    struct zcs_image image;
    const zcs_status status = zcs_image_init(&image, format, width, height, 0);
    if (zcs_pixfmt_info(format)->model == ZCS_MODEL_JPEG) {
        CHECK_EQ(status, ZCS_ERR_UNSUPPORTED);
        return;
    }
    CHECK_EQ(status, ZCS_OK);
    CHECK_EQ(zcs_image_check(&image), ZCS_OK);
    for (uint32_t p = 0; p < image.planes; p++)
        CHECK(image.stride_bytes[p] >= zcs_image_min_stride(format, width, p));
    image.size_bytes--;
    CHECK_EQ(zcs_image_check(&image), ZCS_ERR_FORMAT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *rest = text;
    const char *name = fuzz_line(&rest), *numbers = fuzz_line(&rest);
    enum zcs_pixfmt format = ZCS_PIXFMT_YUYV;
    uint32_t width = 7, height = 9;
    const zcs_status named = zcs_pixfmt_parse(name, &format);
    CHECK(named == ZCS_OK ? zcs_pixfmt_info(format) != NULL : format == ZCS_PIXFMT_YUYV);
    const zcs_status sized =
        numbers != NULL ? zcs_size_parse(numbers, &width, &height) : ZCS_ERR_FORMAT;
    if (sized == ZCS_OK)
        CHECK(width >= 1 && width <= ZCS_MAX_DIMENSION && height >= 1 &&
              height <= ZCS_MAX_DIMENSION);
    else
        CHECK(width == 7 && height == 9);
    check_layout(format, width, height);
    free(text);
    return 0;
}
