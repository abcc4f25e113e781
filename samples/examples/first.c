/* SPDX-License-Identifier: MIT */
/* The first program: it prints one line for each of three frames of a test pattern. */
#include <inttypes.h>
#include <stdio.h>
#include <zcstream/zcstream.h>

static void print_line(void *user, enum zcs_log_level level, const char *line)
{
    (void)user, (void)level;
    fprintf(stderr, "%s\n", line);
}

int main(void)
{
    const struct zcs_params params = {.log = print_line};
    const struct zcs_pattern_params pattern = {
        .name = "bars", .format = ZCS_PIXFMT_SRGGB10P, .width = 640, .height = 480, .frames = 3};
    zcs_context *ctx = NULL;
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    zcs_status status = zcs_open(&params, &ctx);
    if (status == ZCS_OK)
        status = zcs_source_open_pattern(ctx, &pattern, &source);
    if (status == ZCS_OK)
        status = zcs_stream_create(ctx, source, NULL, &stream);
    while (status == ZCS_OK && (status = zcs_stream_next(stream, -1, &frame)) == ZCS_OK) {
        const uint8_t *rgba = frame->host;
        printf("frame %" PRIu64 ": %ux%u, first pixel %d %d %d\n", frame->sequence,
               frame->image.width, frame->image.height, rgba[0], rgba[1], rgba[2]);
        zcs_frame_unref(&frame);
    }
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    zcs_close(&ctx);
    return status == ZCS_EOF ? 0 : 1;
}
