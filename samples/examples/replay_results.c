/* SPDX-License-Identifier: MIT */
/* Processes the frames of a file with the default chain and prints their mean colours.
 *
 *     replay_results chart_SRGGB10P.zcr                     a recording has format and size
 *     replay_results frames.raw SRGGB10P 1280x720           a headerless dump does not */
#include <inttypes.h>
#include <stdio.h>
#include <zcstream/zcstream.h>

/* The library logs each failure here once, with its cause. Return values are for the program. */
static void print_line(void *user, enum zcs_log_level level, const char *line)
{
    (void)user, (void)level;
    fprintf(stderr, "%s\n", line);
}

/* Rows are stride_bytes apart. Here a pixel is R, G, B and an unused sample, 8 bits each. */
static void print_mean(const struct zcs_frame *frame)
{
    const struct zcs_image *image = &frame->image;
    const double pixels = (double)image->width * image->height;
    uint64_t sum[3] = {0};
    if (image->format != ZCS_PIXFMT_RGBA32) {
        printf("frame %" PRIu64 ": not 8-bit colour\n", frame->sequence);
        return;
    }
    for (uint32_t y = 0; y < image->height; y++) {
        const uint8_t *p = (const uint8_t *)frame->host + y * image->stride_bytes[0];
        for (uint32_t x = 0; x < image->width; x++, p += 4)
            for (int c = 0; c < 3; c++)
                sum[c] += p[c];
    }
    printf("frame %" PRIu64 ": %ux%u, mean %.1f %.1f %.1f\n", frame->sequence, image->width,
           image->height, sum[0] / pixels, sum[1] / pixels, sum[2] / pixels);
}

int main(int argc, char **argv)
{
    const struct zcs_params params = {.log = print_line};
    struct zcs_replay_params replay = {0};
    const struct zcs_stream_params chain = {.depth = ZCS_DEPTH_8}; /* stages NULL: the default */
    zcs_context *ctx = NULL;
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    const int raw = argc == 4;
    if ((argc != 2 && !raw) || (raw && zcs_pixfmt_parse(argv[2], &replay.format) != ZCS_OK) ||
        (raw && zcs_size_parse(argv[3], &replay.width, &replay.height) != ZCS_OK)) {
        fprintf(stderr, "usage: replay_results FILE [FORMAT WIDTHxHEIGHT]\n");
        return 2;
    }
    replay.path = argv[1];

    /* A GPU if there is one, else the host's cores. */
    zcs_status status = zcs_open(&params, &ctx);
    if (status == ZCS_OK)
        status = zcs_source_open_replay(ctx, &replay, &source);
    if (status == ZCS_OK)
        status = zcs_stream_create(ctx, source, &chain, &stream);
    /* The stream has no thread: this call captures and processes. Results come in order. */
    while (status == ZCS_OK && (status = zcs_stream_next(stream, -1, &frame)) == ZCS_OK) {
        print_mean(frame);
        zcs_frame_unref(&frame); /* the memory is reused */
    }
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    zcs_close(&ctx);
    return status == ZCS_EOF ? 0 : 1;
}
