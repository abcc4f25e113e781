/* SPDX-License-Identifier: MIT */
/* What the tests of recordings share: frames made by hand, a recording of them, and reading it back. */
#ifndef ZCS_TESTS_RECORD_SETUP_H
#define ZCS_TESTS_RECORD_SETUP_H

#include "source_setup.h"

#define RECORD_MAX_BYTES 65536

/* Frame `n` of every recording here: gaps in the numbers, irregular times, bytes of its own. */
static inline void record_frame(const struct zcs_image *image, uint64_t n, uint8_t *pixels,
                                struct zcs_frame *out)
{
    CHECK(image->size_bytes <= RECORD_MAX_BYTES);
    for (size_t i = 0; i < image->size_bytes; i++)
        pixels[i] = setup_byte(n * 1000003 + i);
    *out = (struct zcs_frame){.image = *image,
                              .host = pixels,
                              .sequence = 1000 + n + n / 3 * 2,
                              .time_ns = INT64_C(5000000000) + (int64_t)(n * 33366667 + n % 2),
                              .clock = n % 4 == 3 ? ZCS_CLOCK_UNKNOWN : ZCS_CLOCK_MONOTONIC,
                              .flags = n % 2 ? ZCS_FRAME_DIGEST : 0};
}

static inline void record_write(zcs_context *ctx, const char *path, const struct zcs_image *image,
                                uint64_t frames)
{
    static uint8_t pixels[RECORD_MAX_BYTES];
    zcs_recorder *recorder = NULL;
    const struct zcs_recorder_params params = {.path = path,
                                               .image = *image,
                                               .fps_num = 30000,
                                               .fps_den = 1001,
                                               .source = "/dev/video7",
                                               .text = "gain=3\nexposure=20\n"};
    CHECK_EQ(zcs_recorder_create(ctx, &params, &recorder), ZCS_OK);
    for (uint64_t n = 0; n < frames; n++) {
        struct zcs_frame frame;
        record_frame(image, n, pixels, &frame);
        CHECK_EQ(zcs_recorder_write(recorder, &frame), ZCS_OK);
    }
    CHECK_EQ(zcs_recorder_finish(&recorder), ZCS_OK);
    CHECK(recorder == NULL);
}

static inline int record_same(const struct zcs_image *a, const struct zcs_image *b)
{
    for (int p = 0; p < ZCS_MAX_PLANES; p++)
        if (a->stride_bytes[p] != b->stride_bytes[p] || a->offset_bytes[p] != b->offset_bytes[p])
            return 0;
    return a->format == b->format && a->width == b->width && a->height == b->height &&
           a->planes == b->planes && a->size_bytes == b->size_bytes && a->bits == b->bits &&
           a->shift == b->shift && a->color.matrix == b->color.matrix &&
           a->color.range == b->color.range && a->color.transfer == b->color.transfer &&
           a->color.gamma_milli == b->color.gamma_milli;
}

/* `got` is frame `n`, in every field and byte. */
static inline void record_check(const struct zcs_frame *got, const struct zcs_image *image,
                                uint64_t n)
{
    static uint8_t pixels[RECORD_MAX_BYTES];
    struct zcs_frame frame;
    record_frame(image, n, pixels, &frame);
    CHECK(record_same(&got->image, image));
    CHECK_EQ(got->sequence, frame.sequence);
    CHECK_EQ(got->time_ns, frame.time_ns);
    CHECK_EQ(got->clock, frame.clock);
    CHECK_EQ(got->flags, frame.flags);
    CHECK(memcmp(got->host, pixels, image->size_bytes) == 0);
}

static inline zcs_status record_open(zcs_context *ctx, const char *path, zcs_source **out)
{
    const struct zcs_replay_params params = {.path = path};
    return zcs_source_open_replay(ctx, &params, out);
}

/* The frames of the recording, all checked from the first on. */
static inline uint64_t record_read(zcs_context *ctx, const char *path,
                                   const struct zcs_image *image)
{
    zcs_source *source = NULL;
    uint64_t n = 0;
    if (record_open(ctx, path, &source) != ZCS_OK)
        return 0;
    const struct zcs_frame *frame = NULL;
    zcs_status status;
    for (; (status = zcs_source_next(source, -1, &frame)) == ZCS_OK; n++) {
        record_check(frame, image, n);
        zcs_frame_unref(&frame);
    }
    CHECK_EQ(status, ZCS_EOF);
    zcs_source_close(&source);
    return n;
}

#endif
