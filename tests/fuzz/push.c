/* SPDX-License-Identifier: MIT */
/* Fuzzes layouts of pushed images: an image that zcs_image_check accepts is processed without a
 * read outside it. Lines: "FORMAT WIDTH HEIGHT STRIDE"; then optionally values that overwrite the
 * rest of the layout: planes, strides, offsets, size, bits, shift, matrix, range, transfer, gamma;
 * the chain; pixels. */
#include "context.h"

#define MAX_BYTES 65536u

static int read_image(const char *line, struct zcs_image *image)
{
    char name[32];
    unsigned w, h, matrix, range, transfer;
    enum zcs_pixfmt format;
    size_t stride;
    int used = 0;
    if (sscanf(line, "%31s %6u %6u %6zu%n", name, &w, &h, &stride, &used) != 4 ||
        zcs_pixfmt_parse(name, &format) != ZCS_OK ||
        zcs_image_init(image, format, w, h, stride) != ZCS_OK)
        return 0;
    matrix = image->color.matrix;
    range = image->color.range;
    transfer = image->color.transfer;
    const int more =
        sscanf(line + used, "%u %zu %zu %zu %zu %zu %zu %zu %u %u %u %u %u %u", &image->planes,
               &image->stride_bytes[0], &image->stride_bytes[1], &image->stride_bytes[2],
               &image->offset_bytes[0], &image->offset_bytes[1], &image->offset_bytes[2],
               &image->size_bytes, &image->bits, &image->shift, &matrix, &range, &transfer,
               &image->color.gamma_milli);
    image->color.matrix = (enum zcs_matrix)matrix;
    image->color.range = (enum zcs_range)range;
    image->color.transfer = (enum zcs_transfer)transfer;
    return more != 0;
}

/* Memory of exactly the size of the image. */
static uint8_t *make_memory(size_t bytes, const char *pixels)
{
    const size_t given = pixels != NULL ? strlen(pixels) : 0;
    uint8_t *memory = malloc(bytes);
    CHECK(memory != NULL);
    for (size_t i = 0; i < bytes; i++)
        memory[i] = given > 0 ? (uint8_t)pixels[i % given] : (uint8_t)(37 * i);
    return memory;
}

static void release(void *user, void *memory)
{
    ++*(int *)user;
    free(memory);
}

static void process(const struct zcs_image *image, const char *chain, const char *pixels)
{
    const struct zcs_push_params params = {.image = *image};
    const struct zcs_stream_params stream_params = {.stages = chain, .in_flight = 1, .results = 1};
    const struct zcs_push_meta meta = {.sequence = 1};
    const struct zcs_frame *frame = NULL;
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    int released = 0;
    fuzz_errors = 0;
    CHECK_EQ(zcs_source_open_push(fuzz_context(), &params, &source), ZCS_OK);
    uint8_t *memory = make_memory(image->size_bytes, pixels);
    CHECK_EQ(zcs_source_push(source, memory, &meta, release, &released), ZCS_OK);
    zcs_source_push_end(source);
    const zcs_status status = zcs_stream_create(fuzz_context(), source, &stream_params, &stream);
    CHECK_EQ(fuzz_errors, status == ZCS_OK ? 0 : 1);
    if (status == ZCS_OK) {
        CHECK_EQ(fuzz_next(stream, &frame), ZCS_OK);
        CHECK_EQ(zcs_image_check(&frame->image), ZCS_OK);
        CHECK(frame->sequence == 1 && frame->host != NULL);
        zcs_frame_unref(&frame);
        CHECK_EQ(fuzz_next(stream, &frame), ZCS_EOF);
    }
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    CHECK_EQ(released, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *rest = text;
    const char *head = fuzz_line(&rest), *chain = fuzz_line(&rest);
    struct zcs_image image;
    if (read_image(head, &image) && zcs_image_check(&image) == ZCS_OK &&
        image.size_bytes <= MAX_BYTES)
        process(&image, chain, rest);
    free(text);
    return 0;
}
