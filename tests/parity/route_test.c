/* SPDX-License-Identifier: MIT */
/* Every format by every route gives the same pixels, at odd sizes, with and without padded rows. */
#include "stream_setup.h"

#define MAX_BYTES (1u << 20)

static uint8_t memory[MAX_BYTES];

static void fill(uint64_t *random)
{
    for (size_t i = 0; i < sizeof memory; i += 8) {
        const uint64_t word = test_random(random);
        memcpy(memory + i, &word, 8);
    }
}

static uint64_t digest_by(zcs_context *ctx, const struct zcs_image *image, enum zcs_route route)
{
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    const struct zcs_push_params push = {.image = *image};
    const struct zcs_stream_params params = {.stages = "flip=v,digest", .route = route};
    const struct zcs_push_meta meta = {0};
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_source_open_push(ctx, &push, &source), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    CHECK_EQ(zcs_source_push(source, memory, &meta, NULL, NULL), ZCS_OK);
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
    CHECK_EQ(frame->route, route);
    CHECK((frame->cpu_bytes_copied == 0) == (route == ZCS_ROUTE_MAPPED));
    const uint64_t digest = frame->digest;
    zcs_frame_unref(&frame);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    return digest;
}

static void check(zcs_context *ctx, enum zcs_pixfmt format, uint32_t width, size_t padding)
{
    struct zcs_image image;
    const size_t min = zcs_image_min_stride(format, width, 0);
    CHECK_EQ(zcs_image_init(&image, format, width, 7, min + padding), ZCS_OK);
    CHECK(image.size_bytes <= sizeof memory);
    const uint64_t mapped = digest_by(ctx, &image, ZCS_ROUTE_MAPPED);
    CHECK(digest_by(ctx, &image, ZCS_ROUTE_STAGED) == mapped);
    CHECK(digest_by(ctx, &image, ZCS_ROUTE_WHOLE) == mapped);
}

int main(void)
{
    uint64_t random = 7;
    zcs_context *ctx = setup_context(1, NULL);
    for (int format = 1; format < ZCS_PIXFMT_COUNT; format++) {
        if (zcs_pixfmt_info((enum zcs_pixfmt)format)->model == ZCS_MODEL_JPEG)
            continue;
        fill(&random);
        for (uint32_t width = 1; width <= 9; width++) {
            check(ctx, (enum zcs_pixfmt)format, width, 0);
            check(ctx, (enum zcs_pixfmt)format, width, 16);
        }
    }
    zcs_close(&ctx);
    return 0;
}
