/* SPDX-License-Identifier: MIT */
/* DLPack tensors of frames: every plane of every format lies where it says, inside the frame and all of its
 * rows; the frame lives as long as its tensor. */
#include "check.h"

#include "zcstream/dlpack.h"
#include "zcstream/zcstream.h"

/* As <dlpack/dlpack.h> has it. */
struct DLManagedTensor {
    void *data;
    int32_t device_type, device_id, ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
};

enum { WIDTH = 37, HEIGHT = 11, CPU = 1, UNSIGNED = 1 };

static void check_plane(const struct zcs_frame *frame, uint32_t plane)
{
    const struct zcs_image *image = &frame->image;
    struct DLManagedTensor *t = NULL;
    CHECK_EQ(zcs_frame_dlpack(frame, plane, ZCS_DLPACK_PINNED * (plane % 2), &t), ZCS_OK);
    const uint8_t *begin = (const uint8_t *)frame->host + image->offset_bytes[plane];
    const size_t bytes = t->bits / 8u;
    CHECK(t->data == begin && t->byte_offset == 0);
    CHECK(t->device_type == CPU && t->device_id == 0 && t->code == UNSIGNED && t->lanes == 1);
    CHECK_EQ(t->shape[0], zcs_image_rows(image->format, HEIGHT, plane));
    CHECK_EQ((size_t)t->strides[0] * bytes, image->stride_bytes[plane]);
    CHECK(t->ndim == 2 || t->ndim == 3);
    const int64_t channels = t->ndim == 3 ? t->shape[2] : 1;
    CHECK_EQ(t->strides[1], channels);
    CHECK(t->ndim == 2 || t->strides[2] == 1);
    CHECK_EQ((size_t)(t->shape[1] * channels) * bytes,
             zcs_image_min_stride(image->format, WIDTH, plane));
    t->deleter(t);
}

static void check_format(zcs_context *ctx, enum zcs_pixfmt format)
{
    struct zcs_push_params push = {.queue = 1};
    static uint8_t memory[1 << 16];
    zcs_source *source = NULL;
    const struct zcs_frame *frame = NULL;
    const struct zcs_push_meta meta = {.sequence = 5};
    struct DLManagedTensor *tensor = NULL;
    if (zcs_image_init(&push.image, format, WIDTH, HEIGHT, 0) == ZCS_ERR_UNSUPPORTED)
        return;
    CHECK(push.image.size_bytes <= sizeof memory);
    CHECK_EQ(zcs_source_open_push(ctx, &push, &source), ZCS_OK);
    CHECK_EQ(zcs_source_push(source, memory, &meta, NULL, NULL), ZCS_OK);
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
    for (uint32_t plane = 0; plane < push.image.planes; plane++)
        check_plane(frame, plane);
    CHECK_EQ(zcs_frame_dlpack(frame, push.image.planes, 0, &tensor), ZCS_ERR_ARG);
    CHECK_EQ(zcs_frame_dlpack(frame, 0, 2, &tensor), ZCS_ERR_ARG);
    zcs_frame_unref(&frame);
    zcs_source_close(&source);
}

static struct DLManagedTensor *first_result(zcs_context *ctx, const char *stages,
                                            enum zcs_pixfmt format)
{
    const struct zcs_pattern_params pattern = {
        .format = format, .width = 64, .height = 48, .frames = 1};
    const struct zcs_stream_params params = {.stages = stages};
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    struct DLManagedTensor *tensor = NULL;
    CHECK_EQ(zcs_source_open_pattern(ctx, &pattern, &source), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
    CHECK_EQ(zcs_frame_dlpack(frame, 0, 0, &tensor), ZCS_OK);
    zcs_frame_unref(&frame);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    return tensor;
}

static uint32_t released;

static void release(void *user, void *memory)
{
    (void)user, (void)memory;
    released++;
}

/* One frame of zeros, pushed. */
static const struct zcs_frame *push_one(zcs_context *ctx, enum zcs_pixfmt format, uint32_t width,
                                        size_t stride, zcs_source **source)
{
    struct zcs_push_params push = {.queue = 1};
    static uint8_t memory[4096];
    const struct zcs_push_meta meta = {.sequence = 1};
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_image_init(&push.image, format, width, 4, stride), ZCS_OK);
    CHECK(push.image.size_bytes <= sizeof memory);
    CHECK_EQ(zcs_source_open_push(ctx, &push, source), ZCS_OK);
    CHECK_EQ(zcs_source_push(*source, memory, &meta, release, NULL), ZCS_OK);
    CHECK_EQ(zcs_source_next(*source, -1, &frame), ZCS_OK);
    return frame;
}

/* A stride that is no whole number of samples; a frame that goes with its tensor. */
static void odd_and_late(zcs_context *ctx)
{
    zcs_source *source = NULL;
    struct DLManagedTensor *tensor = NULL;
    const struct zcs_frame *frame = push_one(ctx, ZCS_PIXFMT_Y16, 8, 17, &source);
    CHECK_EQ(zcs_frame_dlpack(frame, 0, 0, &tensor), ZCS_ERR_UNSUPPORTED);
    CHECK(tensor == NULL);
    zcs_frame_unref(&frame);
    CHECK_EQ(released, 1);
    zcs_source_close(&source);
    frame = push_one(ctx, ZCS_PIXFMT_GREY, 8, 0, &source);
    CHECK_EQ(zcs_frame_dlpack(frame, 0, 0, &tensor), ZCS_OK);
    zcs_frame_unref(&frame);
    zcs_source_close(&source);
    CHECK_EQ(released, 1);
    tensor->deleter(tensor);
    CHECK_EQ(released, 2);
}

/* Packed rows whose stride has room for whole groups end with the last one's low bits. */
static void whole_groups(zcs_context *ctx)
{
    zcs_source *source = NULL;
    struct DLManagedTensor *tensor = NULL;
    const struct zcs_frame *frame = push_one(ctx, ZCS_PIXFMT_SRGGB10P, 5, 16, &source);
    CHECK_EQ(zcs_frame_dlpack(frame, 0, 0, &tensor), ZCS_OK);
    CHECK_EQ(tensor->shape[1], 10);
    tensor->deleter(tensor);
    zcs_frame_unref(&frame);
    zcs_source_close(&source);
}

int main(void)
{
    const struct zcs_params params = {.backend = ZCS_BACKEND_HOST, .host_threads = 1};
    zcs_context *ctx = NULL;
    CHECK_EQ(zcs_open(&params, &ctx), ZCS_OK);
    for (int format = ZCS_PIXFMT_NONE + 1; format < ZCS_PIXFMT_COUNT; format++)
        check_format(ctx, (enum zcs_pixfmt)format);
    odd_and_late(ctx);
    whole_groups(ctx);
    struct DLManagedTensor *color = first_result(ctx, "demosaic", ZCS_PIXFMT_SRGGB8);
    struct DLManagedTensor *mono = first_result(ctx, "none", ZCS_PIXFMT_Y16);
    zcs_close(&ctx);
    CHECK(color->ndim == 3 && color->shape[2] == 4 && color->bits == 8);
    CHECK(color->shape[0] == 48 && color->shape[1] == 64);
    CHECK(mono->ndim == 2 && mono->bits == 16);
    /* Opaque in each corner, after the context is gone. */
    const uint8_t *pixels = color->data;
    CHECK(pixels[3] == 255 && pixels[47 * color->strides[0] + 63 * 4 + 3] == 255);
    color->deleter(color);
    mono->deleter(mono);
    return 0;
}
