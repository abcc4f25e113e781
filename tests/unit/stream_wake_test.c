/* SPDX-License-Identifier: MIT */
/* Waits without end are ended by whatever there is to do: results behind a frame that failed, and input that comes
 * after what was read ahead. A missed wake-up shows as SIGALRM. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>

#include "source_setup.h"

#define MS INT64_C(1000000)
#define WIDTH 64u
#define HEIGHT 16u /* one band, so that a frame is one call of a stage */

static void nap(int64_t ms)
{
    const struct timespec time = {.tv_nsec = (long)(ms * MS)};
    nanosleep(&time, NULL);
}

/* Copies the frame that has `quick` as its first byte at once, and fails the other one long after that. */
struct stage {
    uint8_t quick;
    atomic_int *done;
    int fails;
};

static zcs_status run_stage(void *user, const struct zcs_view *in, const struct zcs_view *out,
                            uint32_t first, uint32_t last)
{
    const struct stage *stage = user;
    const uint8_t value = *(const uint8_t *)in->data;
    for (uint32_t y = first; y < last; y++)
        memcpy((uint8_t *)out->data + y * out->stride_bytes,
               (const uint8_t *)in->data + y * in->stride_bytes, in->width);
    if (value == stage->quick) {
        atomic_store(stage->done, 1);
        return ZCS_OK;
    }
    while (!atomic_load(stage->done))
        nap(1);
    nap(60); /* the other frame's end has been announced, and looked for */
    return stage->fails ? ZCS_ERR_IO : ZCS_OK;
}

static zcs_source *open_push(zcs_context *ctx)
{
    zcs_source *source = NULL;
    struct zcs_push_params params = {.queue = 4};
    CHECK_EQ(zcs_image_init(&params.image, ZCS_PIXFMT_GREY, WIDTH, HEIGHT, 0), ZCS_OK);
    CHECK_EQ(zcs_source_open_push(ctx, &params, &source), ZCS_OK);
    return source;
}

static void push(zcs_source *source, uint8_t *memory, uint8_t value)
{
    const struct zcs_push_meta meta = {.sequence = value};
    memset(memory, value, (size_t)WIDTH * HEIGHT);
    CHECK_EQ(zcs_source_push(source, memory, &meta, NULL, NULL), ZCS_OK);
}

static zcs_context *open_host(void)
{
    zcs_context *ctx = NULL;
    const struct zcs_params params = {.backend = ZCS_BACKEND_HOST, .host_threads = 3};
    CHECK_EQ(zcs_open(&params, &ctx), ZCS_OK);
    return ctx;
}

/* The first frame fails after the second one is complete. */
static void behind_a_failure(void)
{
    static uint8_t memory[2][WIDTH * HEIGHT];
    atomic_int done = 0;
    struct stage stage = {.quick = 2, .done = &done, .fails = 1};
    const struct zcs_custom_stage custom = {.name = "mine", .user = &stage, .host_fn = run_stage};
    const struct zcs_stream_params params = {
        .stages = "mine", .custom = &custom, .custom_count = 1, .in_flight = 2};
    zcs_context *ctx = open_host();
    zcs_source *source = open_push(ctx);
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    push(source, memory[0], 1);
    push(source, memory[1], 2);
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
    CHECK(frame->sequence == 2 && !(frame->flags & ZCS_FRAME_PARTIAL));
    zcs_frame_unref(&frame);
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_ERR_DEVICE);
    struct zcs_stream_stats stats;
    zcs_stream_stats(stream, &stats);
    CHECK(stats.captured == 2 && stats.processed == 1 && stats.lost[ZCS_LOSS_ERROR] == 1);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    zcs_close(&ctx);
}

/* Of a broadcast the first chain fails after the second one is done with the frame. */
static void behind_a_chain(void)
{
    static uint8_t memory[WIDTH * HEIGHT];
    atomic_int done = 0;
    struct stage slow = {.quick = 0, .done = &done, .fails = 1},
                 quick = {.quick = 1, .done = &done};
    const struct zcs_custom_stage custom[] = {
        {.name = "slow", .user = &slow, .host_fn = run_stage},
        {.name = "quick", .user = &quick, .host_fn = run_stage}};
    static const char *const chains[] = {"slow", "quick"};
    const struct zcs_stream_params params = {.custom = custom,
                                             .custom_count = 2,
                                             .dispatch = ZCS_DISPATCH_BROADCAST,
                                             .chains = chains,
                                             .chain_count = 2};
    zcs_context *ctx = open_host();
    zcs_source *source = open_push(ctx);
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
    push(source, memory, 1);
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
    CHECK(frame->chain == 1 && frame->sequence == 1);
    CHECK(frame->flags & ZCS_FRAME_PARTIAL);
    zcs_frame_unref(&frame);
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_ERR_DEVICE);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    zcs_close(&ctx);
}

#define PIPED 5u

static const char head[] = "YUV4MPEG2 W64 H16 F25:1 Cmono\n", mark[] = "FRAME\n";

/* A frame with its mark, behind the header or alone, and `next` bytes of the mark that follows. */
static void put_frame(int fd, uint32_t n, size_t next)
{
    uint8_t text[sizeof head + 2 * sizeof mark + (size_t)WIDTH * HEIGHT];
    size_t bytes = 0;
    if (n == 0)
        bytes = strlen(memcpy(text, head, sizeof head));
    memcpy(text + bytes, mark, sizeof mark - 1);
    bytes += sizeof mark - 1;
    memset(text + bytes, (int)n, (size_t)WIDTH * HEIGHT);
    bytes += (size_t)WIDTH * HEIGHT;
    memcpy(text + bytes, mark, next);
    bytes += next;
    CHECK(write(fd, text, bytes) == (ssize_t)bytes);
}

/* A header and a frame at once, then a frame at a time. */
static void *write_slowly(void *argument)
{
    (void)argument;
    const int fd = open("fifo", O_WRONLY);
    CHECK(fd >= 0);
    for (uint32_t n = 0; n < PIPED; n++) {
        put_frame(fd, n, 0);
        nap(100);
    }
    CHECK(close(fd) == 0);
    return NULL;
}

static zcs_stream *open_fifo(zcs_context *ctx, zcs_source **source)
{
    const struct zcs_replay_params params = {.path = "fifo"};
    const struct zcs_stream_params plain = {.stages = "none"};
    zcs_stream *stream = NULL;
    CHECK_EQ(zcs_source_open_replay(ctx, &params, source), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, *source, &plain, &stream), ZCS_OK);
    return stream;
}

static void take(zcs_stream *stream, uint32_t n)
{
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
    CHECK(frame->sequence == n && *(const uint8_t *)frame->host == n);
    zcs_frame_unref(&frame);
}

static void after_what_was_read_ahead(zcs_context *ctx)
{
    zcs_source *source = NULL;
    const struct zcs_frame *frame = NULL;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, write_slowly, NULL) == 0);
    zcs_stream *stream = open_fifo(ctx, &source);
    for (uint32_t n = 0; n < PIPED; n++)
        take(stream, n);
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_EOF);
    CHECK(pthread_join(thread, NULL) == 0);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
}

static int64_t cpu_ns(void)
{
    struct timespec t;
    CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A part of a frame's mark is waited on like nothing at all. */
static void behind_half_a_mark(zcs_context *ctx)
{
    zcs_source *source = NULL;
    const struct zcs_frame *frame = NULL;
    const int fd = open("fifo", O_RDWR); /* so that nobody waits for the other end */
    CHECK(fd >= 0);
    put_frame(fd, 0, 3);
    zcs_stream *stream = open_fifo(ctx, &source);
    take(stream, 0);
    const int64_t before_ns = cpu_ns();
    CHECK_EQ(zcs_stream_next(stream, 600 * MS, &frame), ZCS_AGAIN);
    CHECK(cpu_ns() - before_ns < 25 * MS);
    CHECK(write(fd, mark + 3, sizeof mark - 4) == (ssize_t)sizeof mark - 4);
    uint8_t pixels[WIDTH * HEIGHT];
    memset(pixels, 1, sizeof pixels);
    CHECK(write(fd, pixels, sizeof pixels) == (ssize_t)sizeof pixels);
    take(stream, 1);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    CHECK(close(fd) == 0);
}

int main(void)
{
    char folder[64];
    alarm(60);
    behind_a_failure();
    behind_a_chain();
    setup_folder(folder);
    CHECK(mkfifo("fifo", 0600) == 0);
    zcs_context *ctx = open_host();
    after_what_was_read_ahead(ctx);
    behind_half_a_mark(ctx);
    zcs_close(&ctx);
    setup_remove_folder(folder);
    return 0;
}
