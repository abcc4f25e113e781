/* SPDX-License-Identifier: MIT */
/* After fork: the child gets a clear error and can destroy what it inherited; the parent goes on. */
#define _DEFAULT_SOURCE /* mkstemp */
#include <sys/wait.h>
#include <unistd.h>

#include "stream_setup.h"

static int in_child(zcs_stream *stream, zcs_source *source, zcs_context *ctx)
{
    const struct zcs_frame *frame = NULL;
    zcs_status status;
    while ((status = zcs_stream_next(stream, 5000000000, &frame)) == ZCS_OK)
        zcs_frame_unref(&frame);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    zcs_close(&ctx);
    return status == ZCS_ERR_DEVICE ? 0 : 1;
}

/* The child shares the file and the place in it, and leaves both as they are. */
static void recording(void)
{
    static uint8_t pixels[64 * 32];
    char path[] = "/tmp/zcs-fork-XXXXXX";
    const int fd = mkstemp(path);
    int lines = 0, status = 0;
    zcs_context *ctx = setup_context(1, &lines);
    zcs_source *source = NULL;
    struct zcs_recorder_params params = {.path = path};
    struct zcs_frame frame = {.host = pixels, .clock = ZCS_CLOCK_MONOTONIC};
    CHECK(fd >= 0 && close(fd) == 0);
    CHECK_EQ(zcs_image_init(&params.image, ZCS_PIXFMT_GREY, 64, 32, 0), ZCS_OK);
    frame.image = params.image;
    zcs_recorder *recorder = NULL;
    CHECK_EQ(zcs_recorder_create(ctx, &params, &recorder), ZCS_OK);
    CHECK_EQ(zcs_recorder_write(recorder, &frame), ZCS_OK);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        const zcs_status refused = zcs_recorder_write(recorder, &frame);
        _exit(refused == ZCS_ERR_DEVICE && zcs_recorder_finish(&recorder) == ZCS_OK ? 0 : 1);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    frame.sequence = 1;
    CHECK_EQ(zcs_recorder_write(recorder, &frame), ZCS_OK);
    CHECK_EQ(zcs_recorder_finish(&recorder), ZCS_OK);
    struct zcs_source_info info;
    const struct zcs_replay_params replay = {.path = path};
    CHECK_EQ(zcs_source_open_replay(ctx, &replay, &source), ZCS_OK);
    zcs_source_info(source, &info);
    CHECK_EQ(info.frames, 2);
    CHECK_EQ(lines, 0); /* its index is whole, and nothing lies between */
    zcs_source_close(&source);
    zcs_close(&ctx);
    CHECK(unlink(path) == 0);
}

int main(void)
{
    recording();
    zcs_context *ctx = setup_context(2, NULL);
    zcs_source *source = setup_pattern(ctx, ZCS_PIXFMT_SRGGB10, 0, 0);
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_stream_create(ctx, source, NULL, &stream), ZCS_OK);
    for (int i = 0; i < 20; i++) {
        CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
        zcs_frame_unref(&frame);
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            alarm(20);
            _exit(in_child(stream, source, ctx));
        }
        int status = 0;
        CHECK_EQ(waitpid(child, &status, 0), child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    setup_close(&stream, &source, &ctx);
    return 0;
}
