/* SPDX-License-Identifier: MIT */
/* Frames from another camera SDK's buffers, processed where they lie.
 *
 * The SDK here is a stand-in of a dozen lines: it owns three buffers and fills a free one. Real ones differ in
 * names only: a frame arrives in their buffer, and the buffer has to be given back. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zcstream/zcstream.h>

enum { WIDTH = 640, HEIGHT = 480, BUFFERS = 3, FRAMES = 12 };

/* --- the SDK ---------------------------------------------------------------------------------------- */
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

/* --- the application -------------------------------------------------------------------------------- */
static void print_line(void *user, enum zcs_log_level level, const char *line)
{
    (void)user, (void)level;
    fprintf(stderr, "%s\n", line);
}

/* Called once for each pushed frame, when nothing reads its memory any more. With a SDK that fills buffers on a
 * thread of its own, this is where its lock is taken. */
static void release(void *user, void *memory)
{
    (void)memory;
    sdk_return(user);
}

/* Takes what is ready; a result is the application's until it lets go of it. */
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
        if (buffer != NULL) { /* else all are being read, and results bring them back */
            const struct zcs_push_meta meta = {.sequence = number++};
            status = zcs_source_push(source, buffer->bytes, &meta, release, buffer);
        }
        if (status == ZCS_OK)
            status = take_results(stream, buffer == NULL ? 1000000 : 0);
    }
    if (source != NULL)
        zcs_source_push_end(source);
    if (status == ZCS_OK)
        status = take_results(stream, -1); /* until the stream's end */
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    zcs_close(&ctx);
    return status == ZCS_OK ? 0 : 1;
}
