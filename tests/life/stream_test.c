/* SPDX-License-Identifier: MIT */
/* Lifetimes: frames released last, after stream, source and context, on other threads too. */
#include <pthread.h>

#include "stream_setup.h"

static void *release(void *frame)
{
    const struct zcs_frame *f = frame;
    uint32_t sum = 0;
    for (uint32_t y = 0; y < f->image.height; y++)
        for (uint32_t x = 0; x < f->image.width; x++)
            sum += ((const uint8_t *)f->host)[y * f->image.stride_bytes[0] + x];
    CHECK(sum > 0);
    zcs_frame_unref(&f);
    return NULL;
}

static void results_outlive_all(void)
{
    zcs_context *ctx = setup_context(2, NULL);
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_YUYV, 4, 0);
    zcs_stream *stream = NULL;
    CHECK_EQ(zcs_stream_create(ctx, source, NULL, &stream), ZCS_OK);
    const struct zcs_frame *frames[4] = {NULL};
    for (int i = 0; i < 4; i++)
        CHECK_EQ(zcs_stream_next(stream, -1, &frames[i]), ZCS_OK);
    const struct zcs_frame *again = zcs_frame_ref(frames[0]);
    CHECK(again == frames[0]);
    setup_close(&stream, &source, &ctx);
    pthread_t threads[5];
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, release, (void *)frames[i]), 0);
    CHECK_EQ(pthread_create(&threads[4], NULL, release, (void *)again), 0);
    for (int i = 0; i < 5; i++)
        pthread_join(threads[i], NULL);
}

static void captured_outlive_source(void)
{
    zcs_context *ctx = setup_context(1, NULL);
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_GREY, 2, 0);
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
    zcs_source_close(&source);
    zcs_close(&ctx);
    release((void *)frame);
}

static void on_release(void *user, void *memory)
{
    (void)memory;
    ++*(int *)user;
}

/* Pushed memory is let go once processed, and all of it by the end, in flight or queued. */
static void pushed_memory(int destroy_early)
{
    enum { FRAMES = 12 };
    zcs_context *ctx = setup_context(2, NULL);
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    struct zcs_push_params params = {.queue = FRAMES};
    CHECK_EQ(zcs_image_init(&params.image, ZCS_PIXFMT_RGB24, 64, 32, 0), ZCS_OK);
    CHECK_EQ(zcs_source_open_push(ctx, &params, &source), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, NULL, &stream), ZCS_OK);
    static uint8_t memory[FRAMES][64 * 32 * 3];
    int released = 0;
    for (int i = 0; i < FRAMES; i++) {
        memset(memory[i], i + 1, sizeof memory[i]);
        const struct zcs_push_meta meta = {
            .sequence = 100 + (uint64_t)i, .time_ns = i, .clock = ZCS_CLOCK_UNKNOWN};
        CHECK_EQ(zcs_source_push(source, memory[i], &meta, on_release, &released), ZCS_OK);
    }
    zcs_source_push_end(source);
    const struct zcs_frame *frame = NULL;
    const int wanted = destroy_early ? 3 : FRAMES;
    for (int i = 0; i < wanted; i++) {
        CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
        CHECK_EQ(frame->sequence, 100 + i);
        CHECK_EQ(((const uint8_t *)frame->host)[0], i + 1);
        CHECK_EQ(frame->path, ZCS_PATH_PUSH);
        CHECK_EQ(frame->memory, ZCS_MEMORY_USER);
        CHECK_EQ(frame->cpu_bytes_copied, 0);
        CHECK(released >= i + 1);
        zcs_frame_unref(&frame);
    }
    if (!destroy_early)
        CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_EOF);
    setup_close(&stream, &source, &ctx);
    CHECK_EQ(released, FRAMES);
}

static void null_and_twice(void)
{
    zcs_context *ctx = NULL;
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    setup_close(&stream, &source, &ctx);
    zcs_frame_unref(&frame);
    zcs_stream_destroy(NULL);
    zcs_source_close(NULL);
    zcs_close(NULL);
}

int main(void)
{
    results_outlive_all();
    captured_outlive_source();
    pushed_memory(0);
    pushed_memory(1);
    null_and_twice();
    for (int i = 0; i < 50; i++)
        results_outlive_all();
    return 0;
}
