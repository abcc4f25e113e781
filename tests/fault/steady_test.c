/* SPDX-License-Identifier: MIT */
/* Steady state: no allocation, mapping or opened file in the library over 1,000 frames. */
#include <unistd.h>

#include "fault/wrap.h"
#include "stream_setup.h"

enum { WARM = 20, FRAMES = 1000 };

static void count_calls(zcs_context *ctx, zcs_source *source, const char *stages)
{
    zcs_stream *stream = NULL;
    const struct zcs_stream_params params = {.stages = stages};
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    struct wrap_outstanding before = {0};
    for (int i = 0; i < WARM + FRAMES; i++) {
        if (i == WARM) {
            wrap_reset();
            before = wrap_outstanding();
        }
        const struct zcs_frame *frame = NULL;
        CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
        zcs_frame_unref(&frame);
    }
    CHECK_EQ(wrap_calls(WRAP_ALLOC), 0);
    CHECK(wrap_same(before, wrap_outstanding()));
    zcs_stream_destroy(&stream);
}

static void pattern(zcs_context *ctx)
{
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_SRGGB12P, 0, 0);
    count_calls(ctx, source, NULL);
    zcs_source_close(&source);
}

static void replay(zcs_context *ctx)
{
    char path[] = "/tmp/zcs-steady-XXXXXX";
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && ftruncate(fd, 64 * 48 * 2 * 7) == 0);
    close(fd);
    const struct zcs_replay_params params = {
        .path = path, .format = ZCS_PIXFMT_YUYV, .width = 64, .height = 48, .loops = UINT32_MAX};
    zcs_source *source = NULL;
    CHECK_EQ(zcs_source_open_replay(ctx, &params, &source), ZCS_OK);
    count_calls(ctx, source, "crop=32x32+8+8,flip,stretch,digest");
    zcs_source_close(&source);
    unlink(path);
}

int main(void)
{
    zcs_context *ctx = setup_context(2, NULL);
    pattern(ctx);
    replay(ctx);
    zcs_close(&ctx);
    return 0;
}
