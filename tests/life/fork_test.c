/* SPDX-License-Identifier: MIT */
/* After fork: the child gets a clear error and can destroy what it inherited; the parent goes on. */
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

int main(void)
{
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
