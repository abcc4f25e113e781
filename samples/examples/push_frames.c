/* SPDX-License-Identifier: MIT */
/* Frames in the buffers of another camera SDK, processed in place.
 *
 * The SDK here is a fake of a dozen lines: it owns three buffers and fills a free one. A real SDK
 * works the same way: a frame arrives in its buffer; the application returns the buffer later. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zcstream/zcstream.h>

enum { WIDTH = 640, HEIGHT = 480, BUFFERS = 3, FRAMES = 12 };

/* --- the SDK
 * ---------------------------------------------------------------------------------------- */
struct sdk_buffer {
    uint8_t bytes[WIDTH * HEIGHT];
    int busy;
};
static struct sdk_buffer sdk_buffers[BUFFERS];

static struct sdk_buffer *sdk_next_frame(unsigned number)
{
    for (int i = 0; i < BUFFERS; i++)
        if (!sdk_buffers[i].busy) {
            sdk_buffers[i].busy = 1;
            memset(sdk_buffers[i].bytes, (int)(10 * number), sizeof sdk_buffers[i].bytes);
            return &sdk_buffers[i];
        }
    return NULL;
}

static void sdk_return(struct sdk_buffer *buffer)
{
    buffer->busy = 0;
}

/* --- the application
 * -------------------------------------------------------------------------------- */
static void print_line(void *user, enum zcs_log_level level, const char *line)
{
    (void)user, (void)level;
    fprintf(stderr, "%s\n", line);
}

/* Called once for each pushed frame, when nothing reads its memory any more. If the SDK fills
 * buffers on another thread, take its lock here. */
static void release(void *user, void *memory)
{
    (void)memory;
    sdk_return(user);
}

/* Takes the results that are ready. The application holds a result until it drops the reference. */
static zcs_status take_results(zcs_stream *stream, int64_t timeout_ns)
{
    const struct zcs_frame *frame = NULL;
    zcs_status status;
    while ((status = zcs_stream_next(stream, timeout_ns, &frame)) == ZCS_OK) {
        printf("frame %" PRIu64 ": first sample %d, %" PRIu64 " bytes copied by the CPU\n",
               frame->sequence, *(const uint8_t *)frame->host, frame->cpu_bytes_copied);
        zcs_frame_unref(&frame);
    }
    return status == ZCS_AGAIN || status == ZCS_EOF ? ZCS_OK : status;
}

int main(void)
{
    const struct zcs_params params = {.log = print_line};
    const struct zcs_stream_params chain = {.stages = "levels:low=0:high=200"};
    struct zcs_push_params push = {.queue = BUFFERS};
    zcs_context *ctx = NULL;
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    zcs_status status = zcs_open(&params, &ctx);
    if (status == ZCS_OK)
        status = zcs_image_init(&push.image, ZCS_PIXFMT_GREY, WIDTH, HEIGHT, 0);
    if (status == ZCS_OK)
        status = zcs_source_open_push(ctx, &push, &source);
    if (status == ZCS_OK)
        status = zcs_stream_create(ctx, source, &chain, &stream);
    for (unsigned number = 0; status == ZCS_OK && number < FRAMES;) {
        struct sdk_buffer *buffer = sdk_next_frame(number);
        if (buffer != NULL) { /* else all are being read; completed results return them */
            const struct zcs_push_meta meta = {.sequence = number++};
            status = zcs_source_push(source, buffer->bytes, &meta, release, buffer);
        }
        if (status == ZCS_OK)
            status = take_results(stream, buffer == NULL ? 1000000 : 0);
    }
    if (source != NULL)
        zcs_source_push_end(source);
    if (status == ZCS_OK)
        status = take_results(stream, -1); /* until the stream ends */
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    zcs_close(&ctx);
    return status == ZCS_OK ? 0 : 1;
}
