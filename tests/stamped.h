/* SPDX-License-Identifier: MIT */
/* Frames that carry their number in the picture, counted through a stream. */
#ifndef ZCS_TESTS_STAMPED_H
#define ZCS_TESTS_STAMPED_H

#include "check.h"
#include "zcstream/zcstream.h"

enum { STAMPED_WIDTH = 152, STAMPED_HEIGHT = 48 };

/* The number that lib/source/pattern/picture.c draws, read from an 8-bit result of `channels` a
 * pixel. */
static inline uint32_t stamp_of(const struct zcs_frame *frame, size_t channels)
{
    const uint8_t *row = (const uint8_t *)frame->host + 32 * frame->image.stride_bytes[0];
    uint32_t number = 0;
    for (uint32_t b = 0; b < 32; b++)
        number = number << 1 | (row[(14 + 4 * b) * channels] > 127);
    return number;
}

/* All of `frames` come, each once and in order, and their pictures are theirs. */
static inline void stamped_run(zcs_context *ctx, enum zcs_dispatch dispatch,
                               const uint32_t *devices, uint32_t count, uint64_t frames)
{
    const struct zcs_pattern_params pattern = {.format = ZCS_PIXFMT_GREY,
                                               .width = STAMPED_WIDTH,
                                               .height = STAMPED_HEIGHT,
                                               .frames = frames};
    struct zcs_stream_params params = {
        .stages = "flip=h,digest,flip=h", .dispatch = dispatch, .device_count = count};
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    struct zcs_stream_stats stats;
    memcpy(params.devices, devices, count * sizeof *devices);
    CHECK_EQ(zcs_source_open_pattern(ctx, &pattern, &source), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    for (uint64_t n = 0; n < frames; n++) {
        CHECK_EQ(zcs_stream_next(stream, 20000000000, &frame), ZCS_OK);
        CHECK_EQ(frame->sequence, n);
        CHECK_EQ(stamp_of(frame, 1), n);
        zcs_frame_unref(&frame);
    }
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_EOF);
    zcs_stream_stats(stream, &stats);
    CHECK_EQ(stats.processed, frames);
    for (uint32_t i = 0; i < count; i++)
        CHECK(stats.devices[i].frames >= frames / count / 2);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
}

#endif
