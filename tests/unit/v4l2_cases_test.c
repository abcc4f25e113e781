/* SPDX-License-Identifier: MIT */
/* Known mistakes of capture programs, each tested from the driver to the result: a scripted camera,
 * and the pixels, losses and errors that are correct for it. docs/live-capture.md lists the test of
 * each. */
#include "unit/v4l2_setup.h"

#include <signal.h>
#include <sys/time.h>

static const enum zcs_path all_paths[] = {ZCS_PATH_USERPTR, ZCS_PATH_DMABUF, ZCS_PATH_REGISTERED,
                                          ZCS_PATH_COPIED};

/* A camera with one format, and `picture` in each frame. */
static void fixed(uint32_t fourcc, uint32_t width, uint32_t height, uint32_t stride,
                  const uint8_t *picture)
{
    script_init(&s);
    s.udmabuf = 1;
    s.stubborn = 1;
    s.fourccs[0] = s.now.pixelformat = fourcc;
    s.fourccs[1] = s.fourccs[2] = 0;
    s.now.width = width;
    s.now.height = height;
    script_lay_out(&s, stride);
    s.picture = picture;
}

/* The first result of the chain "none". */
static const struct zcs_frame *result_of(const struct zcs_v4l2_params *params, enum zcs_depth depth)
{
    const struct zcs_stream_params wanted = {.stages = "none", .depth = depth};
    zcs_stream *stream = NULL;
    const struct zcs_frame *frame = NULL;
    set_up(params);
    CHECK_EQ(zcs_stream_create(ctx, source, &wanted, &stream), ZCS_OK);
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
    zcs_stream_destroy(&stream);
    tear_down();
    CHECK_EQ(s.mapped, 0);
    return frame;
}

static const uint8_t *row_of(const struct zcs_frame *frame, uint32_t y)
{
    return (const uint8_t *)frame->host + frame->image.offset_bytes[0] +
           y * frame->image.stride_bytes[0];
}

/* Case 2: the format is the one that the driver returns, not the one that was asked for. */
static void right_label(void)
{
    static const uint8_t rgb[2][2][3] = {{{254, 0, 0}, {254, 0, 0}},
                                         {{11, 143, 0}, {186, 255, 166}}};
    static const uint32_t fourccs[] = {V4L2_PIX_FMT_YUYV, V4L2_PIX_FMT_UYVY};
    static uint8_t bytes[64 * 48 * 2];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (const uint8_t[]){0x51, 0x5a, 0x51, 0xf0}[i % 4];
    for (int i = 0; i < 2; i++) {
        fixed(fourccs[i], 64, 48, 0, bytes);
        const struct zcs_v4l2_params params = {.format = ZCS_PIXFMT_UYVY, .accept_nearest = 1};
        const struct zcs_frame *frame = result_of(&params, ZCS_DEPTH_8);
        for (uint32_t y = 0; y < 48; y++)
            for (uint32_t x = 0; x < 64; x++)
                CHECK(memcmp(row_of(frame, y) + 4 * x, rgb[i][x % 2], 3) == 0);
        zcs_frame_unref(&frame);
    }
}

/* Cases 3 and 4: buffers and results have the size that the driver returned. */
static void right_size(void)
{
    fixed(V4L2_PIX_FMT_YUV420, 640, 480, 0, NULL);
    struct zcs_v4l2_params params = {
        .format = ZCS_PIXFMT_BGR24, .width = 640, .height = 480, .accept_nearest = 1};
    const struct zcs_frame *frame = result_of(&params, ZCS_DEPTH_8);
    CHECK_EQ(s.plane_size[0], 460800);
    CHECK_EQ(s.last_user_length, 462848);
    zcs_frame_unref(&frame);

    fixed(V4L2_PIX_FMT_YUYV, 1280, 720, 0, NULL);
    params = (struct zcs_v4l2_params){.width = 1920, .height = 1080, .accept_nearest = 1};
    frame = result_of(&params, ZCS_DEPTH_8);
    CHECK_EQ(frame->image.width, 1280);
    CHECK_EQ(frame->image.height, 720);
    CHECK(script_logged(&log_text, "asked for 1920x1080, the driver gives 1280x720"));
    zcs_frame_unref(&frame);
}

/* Case 6: padding of rows is not in the image, on any path. */
static void padding(void)
{
    static uint8_t bytes[4 * 1728];
    memset(bytes, 0xff, sizeof bytes);
    for (uint32_t y = 0; y < 4; y++)
        for (uint32_t x = 0; x < 848; x++)
            memcpy(bytes + y * 1728 + 2 * x, "\x34\x12", 2);
    for (int i = 0; i < 4; i++) {
        fixed(V4L2_PIX_FMT_Y16, 848, 4, 1728, bytes);
        const struct zcs_v4l2_params params = {.path = all_paths[i]};
        const struct zcs_frame *frame = result_of(&params, ZCS_DEPTH_16);
        CHECK_EQ(frame->path, all_paths[i]);
        for (uint32_t y = 0; y < 4; y++)
            for (uint32_t x = 0; x < 848; x++)
                CHECK_EQ(((const uint16_t *)(const void *)row_of(frame, y))[x], 0x1234);
        zcs_frame_unref(&frame);
    }
}

/* Case 8: rows whose length the driver does not report, also in planar formats. */
static void untold_strides(void)
{
    static const struct {
        uint32_t fourcc;
        size_t stride[3];
    } rows[] = {{V4L2_PIX_FMT_NV12, {64, 64, 0}},
                {V4L2_PIX_FMT_YUV420, {64, 32, 32}},
                {V4L2_PIX_FMT_GREY, {64, 0, 0}},
                {V4L2_PIX_FMT_SRGGB10P, {80, 0, 0}},
                {V4L2_PIX_FMT_RGB24, {192, 0, 0}}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct zcs_source_info info;
        fixed(rows[r].fourcc, 64, 48, 0, NULL);
        s.stride_zero = 1;
        CHECK_EQ(script_try_open(&s, NULL, &log_text, &info), ZCS_OK);
        for (uint32_t p = 0; p < info.image.planes; p++)
            CHECK_EQ(info.image.stride_bytes[p], rows[r].stride[p]);
    }
}

/* Case 15: the rate is set once, before streaming. */
static void rate_before_streaming(void)
{
    script_init(&s);
    s.min_period = (struct v4l2_fract){1, 30};
    const struct zcs_v4l2_params params = {.fps_num = 50, .fps_den = 1};
    const struct zcs_frame *frame = result_of(&params, ZCS_DEPTH_8);
    CHECK_EQ(s.period.denominator, 30);
    CHECK_EQ(s.rate_set_while_streaming, 0);
    zcs_frame_unref(&frame);
}

/* Case 16: another format on the same camera, after the first buffers were freed. */
static void another_format(void)
{
    script_init(&s);
    s.fourccs[3] = V4L2_PIX_FMT_RGB24;
    for (int i = 0; i < 4; i++) {
        const enum zcs_pixfmt format = i % 2 == 0 ? ZCS_PIXFMT_YUYV : ZCS_PIXFMT_RGB24;
        const struct zcs_v4l2_params params = {.format = format, .path = all_paths[i == 1 ? 2 : 0]};
        const struct zcs_frame *frame = result_of(&params, ZCS_DEPTH_8);
        CHECK_EQ(s.count, 0);
        CHECK_EQ(s.set_formats, i + 1);
        zcs_frame_unref(&frame);
    }
}

/* Case 20: no bandwidth for a second camera; the first one continues. */
static void no_bandwidth(void)
{
    static struct script second;
    static const int errors[] = {ENOSPC, ENOMEM};
    for (int i = 0; i < 2; i++) {
        script_init(&s);
        set_up(NULL);
        script_init(&second);
        second.faults[0] = (struct script_fault){VIDIOC_STREAMON, errors[i], -1};
        const struct zcs_v4l2_params params = {.device = "/dev/video8"};
        zcs_source *other = NULL;
        const struct zcs_frame *frame = NULL;
        CHECK_EQ(zci_v4l2_open(ctx, &params, &second.calls, &other), ZCS_OK);
        for (uint64_t n = 0; n < 3; n++) {
            CHECK(zcs_source_next(other, 0, &frame) < 0);
            CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
            CHECK_EQ(frame->sequence, n);
            zcs_frame_unref(&frame);
        }
        CHECK(script_logged(&log_text, "/dev/video8: VIDIOC_STREAMON: "));
        CHECK(script_logged(&log_text, "the USB bus has no bandwidth left for this camera"));
        zcs_source_close(&other);
        CHECK_EQ(second.open_count, 0);
        tear_down();
        CHECK_EQ(s.mapped, 0);
    }
}

/* Case 22: the driver refuses all memory of ours, with each errno. */
static void foreign_memory(void)
{
    static const int errors[] = {EFAULT, EINVAL, ENOMEM, EPERM};
    for (int i = 0; i < 4; i++) {
        script_init(&s);
        /* Two kinds of memory; an error that may pass is tried twice. */
        s.faults[0] = (struct script_fault){VIDIOC_QBUF, errors[i], errors[i] == EINVAL ? 4 : 2};
        const struct zcs_frame *frame = result_of(NULL, ZCS_DEPTH_8);
        CHECK_EQ(frame->path, ZCS_PATH_REGISTERED);
        CHECK_EQ(s.faults[0].times, 0);
        zcs_frame_unref(&frame);
    }
}

/* Case 24: buffers have the length that the driver wants, in whole pages. */
static void long_buffers(void)
{
    fixed(V4L2_PIX_FMT_UYVY, 1920, 1080, 0, NULL);
    s.plane_size[0] = 4177920;
    const struct zcs_frame *frame = result_of(NULL, ZCS_DEPTH_8);
    CHECK_EQ(frame->path, ZCS_PATH_USERPTR);
    CHECK_EQ(s.last_user_length, 4177920);
    zcs_frame_unref(&frame);
}

/* Case 27 with its own numbers, and case 31: old data in a buffer is not delivered again. */
static void short_frames(void)
{
    static const struct script_frame frames[] = {
        {.sequence = 0, .bytes_used = 614399},
        {.sequence = 1, .bytes_used = 307200},
        {.sequence = 2, .bytes_used = 1},
        {.sequence = 3, .bytes_used = 0},
        {.error = EAGAIN},
        {.error = EIO},
        {.sequence = 5, .bytes_used = 614400},
    };
    for (int i = 0; i < 4; i++) {
        fixed(V4L2_PIX_FMT_YUYV, 640, 480, 0, NULL);
        s.frames = frames;
        s.frame_count = 7;
        s.endless = 0;
        set_up(&(struct zcs_v4l2_params){.path = all_paths[i]});
        const struct zcs_frame *frame = NULL;
        CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
        CHECK_EQ(frame->sequence, 5);
        zcs_frame_unref(&frame);
        CHECK_EQ(zcs_source_next(source, 0, &frame), ZCS_AGAIN);
        struct zcs_source_info info;
        zcs_source_info(source, &info);
        CHECK_EQ(info.lost[ZCS_LOSS_SHORT], 4);
        CHECK_EQ(info.lost[ZCS_LOSS_ERROR], 1);
        tear_down();
        CHECK_EQ(s.mapped, 0);
    }
}

/* A failure of poll is reported, and not treated as a missing frame. */
static void failed_poll(void)
{
    const struct zcs_frame *frame = NULL;
    script_init(&s);
    s.endless = 0;
    set_up(NULL);
    s.faults[0] = (struct script_fault){1, ENOMEM, -1};
    CHECK_EQ(zcs_source_next(source, 1000000000, &frame), ZCS_ERR_NOMEM);
    CHECK(script_logged(&log_text, "poll: "));
    tear_down();
    CHECK_EQ(s.mapped, 0);
}

static void ignore(int number)
{
    (void)number;
}

/* Case 32: a thousand timer signals a second end waits early and lose no frame. */
static void timer_signals(void)
{
    const struct sigaction action = {.sa_handler = ignore};
    const struct itimerval every = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    const struct zcs_stream_params wanted = {.stages = "none"};
    const struct zcs_frame *frame = NULL;
    zcs_stream *stream = NULL;
    struct zcs_stream_stats stats;
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    CHECK(setitimer(ITIMER_REAL, &every, NULL) == 0);
    script_init(&s);
    s.endless = 0;
    set_up(NULL);
    for (int i = 0; i < 5; i++)
        CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_AGAIN);
    CHECK_EQ(zcs_stream_create(ctx, source, &wanted, &stream), ZCS_OK);
    int interrupted = 0;
    while (interrupted < 20)
        interrupted += zcs_stream_next(stream, -1, &frame) == ZCS_AGAIN;
    s.endless = 1;
    for (uint64_t got = 0; got < 100;) {
        const zcs_status status = zcs_stream_next(stream, -1, &frame);
        CHECK(status == ZCS_OK || status == ZCS_AGAIN);
        if (status == ZCS_OK)
            CHECK_EQ(frame->sequence, got++);
        zcs_frame_unref(&frame);
    }
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
    zcs_stream_stats(stream, &stats);
    for (int i = 0; i < ZCS_LOSS_COUNT; i++)
        CHECK_EQ(stats.lost[i], 0);
    zcs_stream_destroy(&stream);
    tear_down();
    CHECK_EQ(s.mapped, 0);
}

/* Case 33: poll reports an error. With ENODEV the camera is gone; else the descriptor is not polled
 * without pause. */
static void poll_errors(void)
{
    const struct zcs_frame *frame = NULL;
    script_init(&s);
    set_up(NULL);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
        zcs_frame_unref(&frame);
    }
    s.poll_events = POLLERR | POLLHUP;
    s.faults[0] = (struct script_fault){VIDIOC_DQBUF, ENODEV, -1};
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_ERR_GONE);
    CHECK(script_logged(&log_text, "unplugged"));
    CHECK(strstr(strstr(log_text.text, "unplugged") + 1, "unplugged") == NULL);
    tear_down();
    CHECK_EQ(s.mapped, 0);

    script_init(&s);
    s.endless = 0;
    s.poll_events = POLLERR;
    set_up(NULL);
    CHECK_EQ(zcs_source_next(source, 60000000, &frame), ZCS_AGAIN);
    CHECK(s.polls <= 20);
    tear_down();
    CHECK_EQ(s.mapped, 0);
}

/* The n-th buffer that was queued is the n-th that is dequeued, with the data of that time. */
static void check_early(const struct zcs_frame *frame, uint32_t n)
{
    const uint8_t value = (uint8_t)((n + 1) % 200 + 1);
    for (uint32_t y = 0; y < frame->image.height; y++)
        for (uint32_t x = 0; x < frame->image.width; x++)
            CHECK_EQ(row_of(frame, y)[x], value);
}

/* Case 35: a driver that writes into a buffer as soon as it is queued never writes into one that is
 * read. */
static void no_torn_frames(void)
{
    const struct zcs_stream_params wanted = {.stages = "none", .slots = 3, .in_flight = 2};
    for (int i = 0; i < 4; i++) {
        const struct zcs_params context = {.backend = ZCS_BACKEND_HOST, .host_threads = 2};
        const struct zcs_v4l2_params params = {.device = "/dev/video7", .path = all_paths[i]};
        zcs_stream *stream = NULL;
        fixed(V4L2_PIX_FMT_GREY, 320, 240, 0, NULL);
        s.write_early = 1;
        CHECK_EQ(zcs_open(&context, &ctx), ZCS_OK);
        CHECK_EQ(zci_v4l2_open(ctx, &params, &s.calls, &source), ZCS_OK);
        CHECK_EQ(zcs_stream_create(ctx, source, &wanted, &stream), ZCS_OK);
        for (uint32_t n = 0; n < 40; n++) {
            const struct zcs_frame *frame = NULL;
            CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
            check_early(frame, n);
            zcs_frame_unref(&frame);
        }
        zcs_stream_destroy(&stream);
        tear_down();
        CHECK_EQ(s.mapped, 0);
    }
}

/* Case 42: drivers that do not free buffers while they are mapped. */
static void no_orphans(enum zcs_path path)
{
    script_init(&s);
    s.no_orphans = 1;
    set_up(&(struct zcs_v4l2_params){.path = path});
    for (uint32_t i = 0; i < 3; i++) {
        const struct zcs_stream_params wanted = {.stages = "none", .slots = 3 + i};
        zcs_stream *stream = NULL;
        const struct zcs_frame *frame = NULL;
        CHECK_EQ(zcs_stream_create(ctx, source, &wanted, &stream), ZCS_OK);
        CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
        zcs_frame_unref(&frame);
        zcs_stream_destroy(&stream);
        CHECK_EQ(s.request_zero_count, (int)i);
    }
    tear_down();
    CHECK_EQ(s.mapped, 0);
}

/* The same while a frame of the first stream is held: an error with the reason, until the frame is
 * released. */
static void no_orphans_held(void)
{
    const struct zcs_stream_params wanted = {.stages = "none", .slots = 3};
    zcs_stream *stream = NULL;
    const struct zcs_frame *held = NULL, *frame = NULL;
    script_init(&s);
    s.no_orphans = 1;
    set_up(&(struct zcs_v4l2_params){.path = ZCS_PATH_REGISTERED});
    CHECK_EQ(zcs_source_next(source, -1, &held), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, &wanted, &stream), ZCS_ERR_BUSY);
    CHECK(script_logged(&log_text, "frames of an earlier stream are still held"));
    zcs_frame_unref(&held);
    CHECK_EQ(zcs_stream_create(ctx, source, &wanted, &stream), ZCS_OK);
    CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
    zcs_frame_unref(&frame);
    zcs_stream_destroy(&stream);
    tear_down();
    CHECK_EQ(s.mapped, 0);
}

/* Case 61: a captured frame has exactly the driver's bytes. */
static void raw_bytes(void)
{
    static uint8_t bytes[64 * 48 * 2];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    for (int i = 0; i < 4; i++) {
        fixed(V4L2_PIX_FMT_YUYV, 64, 48, 0, bytes);
        set_up(&(struct zcs_v4l2_params){.path = all_paths[i]});
        const struct zcs_frame *frame = NULL;
        CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
        CHECK_EQ(frame->image.size_bytes, sizeof bytes);
        CHECK(memcmp(frame->host, bytes, sizeof bytes) == 0);
        zcs_frame_unref(&frame);
        tear_down();
        CHECK_EQ(s.mapped, 0);
    }
}

/* Cases 65 and 70: ten bits labelled as YUYV, and ten packed bits; both results have full scale. */
static void ten_bits(void)
{
    static const uint32_t codes[4] = {0x001, 0x200, 0x3fc, 0x3ff};
    static uint8_t hidden[64 * 48 * 2], packed[64 * 48 * 5 / 4];
    for (size_t i = 0; i < 64 * 48; i++) {
        hidden[2 * i] = (uint8_t)codes[i % 4];
        hidden[2 * i + 1] = (uint8_t)(codes[i % 4] >> 8);
    }
    for (size_t i = 0; i < sizeof packed; i++)
        packed[i] = (const uint8_t[]){0x00, 0x80, 0xff, 0xff, 0xc1}[i % 5];
    for (int i = 0; i < 2; i++) {
        fixed(i == 0 ? V4L2_PIX_FMT_YUYV : V4L2_PIX_FMT_Y10P, 64, 48, 0, i == 0 ? hidden : packed);
        const struct zcs_v4l2_params params = {.treat_as =
                                                   i == 0 ? ZCS_PIXFMT_Y10 : ZCS_PIXFMT_NONE};
        const struct zcs_frame *frame = result_of(&params, ZCS_DEPTH_16);
        for (uint32_t y = 0; y < 48; y++)
            for (uint32_t x = 0; x < 64; x++)
                CHECK_EQ(((const uint16_t *)(const void *)row_of(frame, y))[x],
                         (codes[x % 4] * 65535 * 2 + 1023) / (2 * 1023));
        zcs_frame_unref(&frame);
    }
}

/* Case 73: a flipped sensor has another Bayer order. It is read from the driver, and not assumed to
 * be the one that was asked for. */
static void flipped_sensor(void)
{
    static const struct {
        uint32_t fourcc;
        enum zcs_pixfmt format;
        const char *name;
    } rows[] = {{V4L2_PIX_FMT_SRGGB10, ZCS_PIXFMT_SRGGB10, "RG10"},
                {V4L2_PIX_FMT_SGRBG10, ZCS_PIXFMT_SGRBG10, "BA10"},
                {V4L2_PIX_FMT_SGBRG10, ZCS_PIXFMT_SGBRG10, "GB10"},
                {V4L2_PIX_FMT_SBGGR10, ZCS_PIXFMT_SBGGR10, "BG10"}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct zcs_source_info info;
        char text[80];
        fixed(rows[r].fourcc, 64, 48, 0, NULL);
        CHECK_EQ(script_try_open(&s, NULL, &log_text, &info), ZCS_OK);
        CHECK_EQ(info.image.format, rows[r].format);
        const struct zcs_v4l2_params params = {.format = ZCS_PIXFMT_SRGGB10};
        CHECK_EQ(script_try_open(&s, &params, &log_text, NULL), r == 0 ? ZCS_OK : ZCS_ERR_FORMAT);
        snprintf(text, sizeof text, "asked for RG10, the driver gives %s", rows[r].name);
        CHECK(r == 0 || script_logged(&log_text, text));
    }
}

int main(void)
{
    right_label();
    right_size();
    padding();
    untold_strides();
    rate_before_streaming();
    another_format();
    no_bandwidth();
    foreign_memory();
    long_buffers();
    short_frames();
    timer_signals();
    poll_errors();
    failed_poll();
    no_torn_frames();
    no_orphans(ZCS_PATH_REGISTERED);
    no_orphans(ZCS_PATH_COPIED);
    no_orphans_held();
    raw_bytes();
    ten_bits();
    flipped_sensor();
    return 0;
}
