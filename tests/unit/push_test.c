/* SPDX-License-Identifier: MIT */
/* Push: frames are not copied, and each buffer is released once, whatever its frame meets. */
#include "source_setup.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

#include "source/source.h"

#define FRAMES 2000

static struct setup_lines lines;

/* Buffers of the caller, and how often each was released. */
struct buffers {
    uint8_t data[64][16];
    atomic_uint back[64];
    atomic_uint all;
};

static void give_back(void *user, void *memory)
{
    struct buffers *buffers = user;
    const size_t index = (size_t)((uint8_t *)memory - buffers->data[0]) / sizeof buffers->data[0];
    atomic_fetch_add(&buffers->back[index], 1);
    atomic_fetch_add(&buffers->all, 1);
}

static zcs_source *open_push(zcs_context *ctx, uint32_t queue)
{
    struct zcs_push_params params = {.queue = queue, .fps_num = 30, .fps_den = 1};
    zcs_source *source = NULL;
    CHECK_EQ(zcs_image_init(&params.image, ZCS_PIXFMT_GREY, 4, 4, 0), ZCS_OK);
    CHECK_EQ(zcs_source_open_push(ctx, &params, &source), ZCS_OK);
    return source;
}

static zcs_status push(zcs_source *source, struct buffers *buffers, uint32_t index, size_t used)
{
    const struct zcs_push_meta meta = {.sequence = 100 + index,
                                       .time_ns = 7 * index,
                                       .clock = ZCS_CLOCK_MONOTONIC,
                                       .bytes_used = used};
    return zcs_source_push(source, buffers->data[index], &meta, give_back, buffers);
}

static int polls(const zcs_source *source)
{
    struct pollfd fd = {.fd = source->ops->fd(source), .events = POLLIN};
    CHECK(fd.fd >= 0);
    return poll(&fd, 1, 0) == 1;
}

/* Watching starts after the push: the descriptor becomes readable. */
static int is_readable(zcs_source *source)
{
    source->ops->watch_fd(source, 1);
    const int readable = polls(source);
    source->ops->watch_fd(source, 0);
    return readable;
}

static uint64_t lost_short(const zcs_source *source)
{
    struct zcs_source_info info;
    zcs_source_info(source, &info);
    CHECK(info.live == 1 && info.frames == 0 && info.fps_num == 30);
    return info.lost[ZCS_LOSS_SHORT];
}

static void test_order(zcs_context *ctx)
{
    struct buffers buffers = {0};
    zcs_source *source = open_push(ctx, 0);
    const struct zcs_frame *frame = NULL;
    CHECK(!is_readable(source));
    for (uint32_t i = 0; i < 4; i++)
        CHECK_EQ(push(source, &buffers, i, i == 1 ? 16 : 0), ZCS_OK);
    CHECK_EQ(push(source, &buffers, 4, 0), ZCS_AGAIN); /* the queue holds four */
    CHECK_EQ(push(source, &buffers, 5, 15), ZCS_OK);   /* short: counted, and released at once */
    CHECK(buffers.back[5] == 1 && buffers.all == 1 && is_readable(source));
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_EQ(zcs_source_next(source, 0, &frame), ZCS_OK);
        CHECK(frame->host == buffers.data[i] && frame->device_data == buffers.data[i]);
        CHECK(frame->sequence == 100 + i && frame->time_ns == 7 * i);
        CHECK(frame->clock == ZCS_CLOCK_MONOTONIC && frame->path == ZCS_PATH_PUSH);
        CHECK(frame->memory == ZCS_MEMORY_USER && frame->cpu_bytes_copied == 0);
        CHECK(frame->image.width == 4 && frame->captured_ns > 0);
        const struct zcs_frame *second = zcs_frame_ref(frame);
        zcs_frame_unref(&frame);
        CHECK_EQ(buffers.back[i], 0);
        zcs_frame_unref(&second);
        CHECK_EQ(buffers.back[i], 1);
    }
    CHECK_EQ(lost_short(source), 1);
    CHECK_EQ(zcs_source_next(source, 0, &frame), ZCS_AGAIN);
    CHECK_EQ(zcs_source_next(source, 2000000, &frame), ZCS_AGAIN);
    CHECK(!is_readable(source));
    CHECK_EQ(push(source, &buffers, 4, 0), ZCS_OK);
    zcs_source_push_end(source);
    zcs_source_push_end(source);
    CHECK_EQ(push(source, &buffers, 6, 0), ZCS_ERR_ARG);
    CHECK_LINE(&lines, "push: a frame after the end of the source");
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
    zcs_frame_unref(&frame);
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_EOF);
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_EOF);
    CHECK(is_readable(source)); /* wakes a caller that polls */
    zcs_source_close(&source);
    CHECK(buffers.all == 6 && buffers.back[6] == 0);
}

/* The descriptor is kept up to date only while it is watched. */
static void test_watch(zcs_context *ctx)
{
    struct buffers buffers = {0};
    zcs_source *source = open_push(ctx, 0);
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(push(source, &buffers, 0, 0), ZCS_OK);
    CHECK(!polls(source));
    source->ops->watch_fd(source, 1);
    CHECK(polls(source));
    CHECK_EQ(push(source, &buffers, 1, 0), ZCS_OK);
    for (uint32_t i = 0; i < 2; i++) {
        CHECK(polls(source));
        CHECK_EQ(zcs_source_next(source, 0, &frame), ZCS_OK);
        zcs_frame_unref(&frame);
    }
    CHECK(!polls(source));
    CHECK_EQ(push(source, &buffers, 2, 0), ZCS_OK);
    CHECK(polls(source));
    source->ops->watch_fd(source, 0);
    CHECK_EQ(zcs_source_next(source, 0, &frame), ZCS_OK);
    zcs_frame_unref(&frame);
    CHECK(!is_readable(source)); /* its earlier state is gone */
    source->ops->watch_fd(source, 1);
    zcs_source_push_end(source);
    CHECK(polls(source));
    CHECK_EQ(zcs_source_next(source, 0, &frame), ZCS_EOF);
    CHECK(polls(source));
    zcs_source_close(&source);
}

/* Queued, delivered and held frames when the source is closed; also without a release function. */
static void test_close(zcs_context *ctx)
{
    struct buffers buffers = {0};
    const struct zcs_frame *held = NULL;
    zcs_source *source = open_push(ctx, 8);
    for (uint32_t i = 0; i < 7; i++)
        CHECK_EQ(push(source, &buffers, i, 0), ZCS_OK);
    CHECK_EQ(zcs_source_push(source, buffers.data[7], &(struct zcs_push_meta){0}, NULL, NULL),
             ZCS_OK);
    CHECK_EQ(zcs_source_next(source, 0, &held), ZCS_OK);
    zcs_source_close(&source);
    CHECK(buffers.all == 6 && buffers.back[0] == 0);
    CHECK(held->host == buffers.data[0]);
    zcs_frame_unref(&held);
    CHECK_EQ(buffers.back[0], 1);
    source = open_push(ctx, 1); /* never started */
    CHECK_EQ(push(source, &buffers, 9, 0), ZCS_OK);
    CHECK_EQ(push(source, &buffers, 10, 0), ZCS_AGAIN);
    zcs_source_close(&source);
    CHECK(buffers.back[9] == 1 && buffers.back[10] == 0);
}

/* With all slots referenced nothing is taken from the queue, but the end is still reported. */
static void test_references(zcs_context *ctx)
{
    struct buffers buffers = {0};
    const struct zcs_frame *held[8], *frame = NULL;
    zcs_source *source = open_push(ctx, 9);
    for (uint32_t i = 0; i < 9; i++)
        CHECK_EQ(push(source, &buffers, i, 0), ZCS_OK);
    for (int i = 0; i < 8; i++)
        CHECK_EQ(zcs_source_next(source, 0, &held[i]), ZCS_OK);
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_AGAIN);
    zcs_frame_unref(&held[0]);
    CHECK_EQ(zcs_source_next(source, -1, &held[0]), ZCS_OK);
    CHECK(held[0]->host == buffers.data[8]);
    zcs_source_push_end(source);
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_EOF);
    for (int i = 0; i < 8; i++)
        zcs_frame_unref(&held[i]);
    CHECK_EQ(buffers.all, 9);
    zcs_source_close(&source);
}

struct feeder {
    zcs_source *source;
    struct buffers *buffers;
};

/* Pushes 2,000 frames in 64 buffers, which are reused after release; every tenth is short. */
static void *feed(void *arg)
{
    const struct feeder *feeder = arg;
    unsigned given[64] = {0};
    for (uint64_t n = 0; n < FRAMES;) {
        const uint32_t index = n % 64;
        if (atomic_load(&feeder->buffers->back[index]) != given[index])
            continue;
        uint8_t *data = feeder->buffers->data[index];
        memset(data, (int)(n & 255), 16);
        const struct zcs_push_meta meta = {.sequence = n, .bytes_used = n % 10 == 9 ? 3 : 16};
        if (zcs_source_push(feeder->source, data, &meta, give_back, feeder->buffers) == ZCS_OK) {
            given[index]++;
            n++;
        }
    }
    zcs_source_push_end(feeder->source);
    return NULL;
}

static void test_threads(zcs_context *ctx)
{
    static struct buffers buffers;
    zcs_source *source = open_push(ctx, 3);
    struct feeder feeder = {source, &buffers};
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, feed, &feeder) == 0);
    uint64_t expected = 0, got = 0;
    zcs_status status;
    const struct zcs_frame *frame = NULL;
    while ((status = zcs_source_next(source, -1, &frame)) == ZCS_OK) {
        expected += expected % 10 == 9;
        CHECK_EQ(frame->sequence, expected);
        const uint8_t *data = frame->host;
        CHECK(data[0] == (uint8_t)expected && data[15] == (uint8_t)expected);
        expected++;
        got++;
        zcs_frame_unref(&frame);
    }
    CHECK_EQ(status, ZCS_EOF);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_EQ(got, FRAMES / 10 * 9);
    CHECK_EQ(lost_short(source), FRAMES / 10);
    CHECK_EQ(buffers.all, FRAMES);
    zcs_source_close(&source);
}

static void test_refusals(zcs_context *ctx)
{
    zcs_source *source = NULL;
    struct zcs_push_params params = {0};
    CHECK_EQ(zcs_source_open_push(ctx, &params, &source), ZCS_ERR_ARG);
    CHECK_LINE(&lines, "push: the image's layout");
    CHECK_EQ(zcs_image_init(&params.image, ZCS_PIXFMT_NV12, 64, 48, 0), ZCS_OK);
    params.image.size_bytes--;
    CHECK_EQ(zcs_source_open_push(ctx, &params, &source), ZCS_ERR_FORMAT);
    CHECK_LINE(&lines, "push: the image's layout");
    params.image.size_bytes++;
    params.fps_num = 5;
    CHECK_EQ(zcs_source_open_push(ctx, &params, &source), ZCS_ERR_ARG);
    CHECK_LINE(&lines, "push: 5/0 frames a second is no rate");
    CHECK(source == NULL);
    source = open_push(ctx, 0);
    const struct zcs_push_meta meta = {0};
    CHECK_EQ(zcs_source_push(source, NULL, &meta, NULL, NULL), ZCS_ERR_ARG);
    CHECK_EQ(zcs_source_push(source, &params, NULL, NULL, NULL), ZCS_ERR_ARG);
    CHECK_EQ(zcs_source_push(NULL, &params, &meta, NULL, NULL), ZCS_ERR_ARG);
    zcs_source_close(&source);
}

/* Unset colour members get the defaults of the format, as in every other source. */
static void test_colors(zcs_context *ctx)
{
    struct zcs_push_params params = {.queue = 1};
    struct zcs_image image;
    zcs_source *source = NULL;
    CHECK_EQ(zcs_image_init(&params.image, ZCS_PIXFMT_YUYV, 4, 4, 0), ZCS_OK);
    params.image.color = (struct zcs_color){.matrix = ZCS_MATRIX_BT709};
    CHECK_EQ(zcs_source_open_push(ctx, &params, &source), ZCS_OK);
    zcs_source_image(source, &image);
    CHECK(image.color.matrix == ZCS_MATRIX_BT709 && image.color.range == ZCS_RANGE_LIMITED &&
          image.color.transfer == ZCS_TRANSFER_SRGB);
    zcs_source_close(&source);
}

int main(void)
{
    zcs_context *ctx = setup_context(&lines);
    test_order(ctx);
    test_close(ctx);
    test_references(ctx);
    test_watch(ctx);
    test_threads(ctx);
    test_refusals(ctx);
    test_colors(ctx);
    zcs_close(&ctx);
    return 0;
}
