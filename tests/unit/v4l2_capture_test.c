/* SPDX-License-Identifier: MIT */
/* Capturing from a scripted camera: paths, losses, retries, frame numbers, timestamps, and the
 * order of release. */
#include "unit/v4l2_setup.h"

#define MONO V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC
#define GOOD(number)                                                                               \
    {                                                                                              \
        .sequence = (number), .bytes_used = SCRIPT_FULL, .flags = MONO, .seconds = 1               \
    }
#define FAILS(errno_)                                                                              \
    {                                                                                              \
        .error = (errno_)                                                                          \
    }

static void play(const struct script_frame *frames, uint32_t count)
{
    s.frames = frames;
    s.frame_count = count;
    s.endless = 0;
}

static uint64_t lost(enum zcs_loss cause)
{
    struct zcs_source_info info;
    zcs_source_info(source, &info);
    return info.lost[cause];
}

static const struct zcs_frame *next_frame(void)
{
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_source_next(source, 2000000000, &frame), ZCS_OK);
    return frame;
}

static uint64_t next_number(void)
{
    const struct zcs_frame *frame = next_frame();
    const uint64_t number = frame->sequence;
    zcs_frame_unref(&frame);
    return number;
}

static void expect(zcs_status status)
{
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_source_next(source, 0, &frame), status);
    zcs_frame_unref(&frame);
}

/* 1: every byte of the image's rows is `value`. */
static void check_pixels(const struct zcs_frame *frame, uint8_t value)
{
    const struct zcs_image *image = &frame->image;
    for (uint32_t p = 0; p < image->planes; p++)
        for (uint32_t y = 0; y < zcs_image_rows(image->format, image->height, p); y++) {
            const uint8_t *row =
                (const uint8_t *)frame->host + image->offset_bytes[p] + y * image->stride_bytes[p];
            for (size_t x = 0; x < zcs_image_min_stride(image->format, image->width, p); x++)
                CHECK_EQ(row[x], value);
        }
}

/* Captures twenty frames on the path, and holds one of them while others come and while the source
 * is closed. */
static void capture_on(enum zcs_path path, uint64_t copied)
{
    s.fill_sequence = 1;
    s.sequence = 40;
    const struct zcs_frame *held = NULL;
    for (uint32_t i = 0; i < 20; i++) {
        const struct zcs_frame *frame = next_frame();
        CHECK_EQ(frame->path, path);
        CHECK_EQ(frame->sequence, 40 + i);
        CHECK_EQ(frame->cpu_bytes_copied, copied);
        CHECK_EQ(frame->memory, ZCS_MEMORY_PAGEABLE);
        check_pixels(frame, (uint8_t)((40 + i) | 1));
        if (i == 3)
            held = zcs_frame_ref(frame);
        zcs_frame_unref(&frame);
    }
    check_pixels(held, 43);
    struct zcs_source_info info;
    zcs_source_info(source, &info);
    CHECK_EQ(info.path, path);
    for (int i = 0; i < ZCS_LOSS_COUNT; i++)
        CHECK_EQ(info.lost[i], 0);
    tear_down();
    check_pixels(held, 43);
    zcs_frame_unref(&held);
    for (int i = 0; i < s.dmabuf_count; i++)
        CHECK(fcntl(s.dmabufs[i].fd, F_GETFD) == -1); /* all closed */
}

static void paths(void)
{
    script_init(&s);
    set_up(NULL);
    capture_on(ZCS_PATH_USERPTR, 0);
    CHECK_EQ(s.last_user_length, 8192); /* case 24: 6144 bytes in whole pages */
    CHECK(script_logged(&log_text, "path userptr: the driver writes into the slots"));

    script_init(&s); /* case 21: a driver that reports no capabilities */
    s.memories = 1;
    s.silent_caps = 1;
    set_up(NULL);
    capture_on(ZCS_PATH_REGISTERED, 0);
    CHECK(script_logged(&log_text, "userptr: VIDIOC_REQBUFS: Invalid argument; "));
    CHECK(!script_logged(&log_text, "; userptr")); /* USERPTR is not tried again with plain pages */
    CHECK(script_logged(&log_text, "dmabuf: VIDIOC_REQBUFS: "));

    script_init(&s); /* udmabuf is used where the driver imports dma-bufs */
    s.memories = 5;
    s.udmabuf = 1;
    set_up(NULL);
    capture_on(ZCS_PATH_DMABUF, 0);

    script_init(&s); /* and is skipped where it does not exist */
    s.memories = 5;
    set_up(NULL);
    capture_on(ZCS_PATH_REGISTERED, 0);
    CHECK(script_logged(&log_text, "dmabuf: /dev/udmabuf: No such file or directory"));

    script_init(&s); /* buffers that another program writes into cannot be slots */
    s.driver = "v4l2 loopback";
    s.memories = 1;
    set_up(NULL);
    capture_on(ZCS_PATH_COPIED, 6144);
    CHECK(script_logged(&log_text, "registered: v4l2 loopback: its feeder writes into buffers"));

    script_init(&s);
    set_up(&(struct zcs_v4l2_params){.path = ZCS_PATH_COPIED});
    capture_on(ZCS_PATH_COPIED, 6144);

    script_init(&s); /* case 22: the backend's memory is refused, plain pages are used */
    s.faults[0] = (struct script_fault){VIDIOC_QBUF, EFAULT, 1};
    set_up(NULL);
    capture_on(ZCS_PATH_USERPTR, 0);
    CHECK(script_logged(&log_text,
                        "userptr: VIDIOC_QBUF: Bad address; so the driver writes into plain"));
}

static void paths_of_planes(void)
{
    static const enum zcs_path all[] = {ZCS_PATH_USERPTR, ZCS_PATH_DMABUF, ZCS_PATH_REGISTERED,
                                        ZCS_PATH_COPIED};
    for (int i = 0; i < 4; i++) {
        script_init_multi(&s, V4L2_PIX_FMT_NV61M);
        s.udmabuf = 1;
        s.plane_offset[1] = 128;
        script_lay_out(&s, 0);
        set_up(&(struct zcs_v4l2_params){.path = all[i]});
        capture_on(all[i], all[i] == ZCS_PATH_COPIED ? 2 * 64 * 48 + 128 : 0);
    }
}

static void path_not_to_be_had(void)
{
    script_init(&s);
    s.memories = 1;
    set_up(&(struct zcs_v4l2_params){.path = ZCS_PATH_USERPTR});
    expect(ZCS_ERR_UNSUPPORTED);
    CHECK(script_logged(&log_text, "no capture path: userptr: VIDIOC_REQBUFS"));
    tear_down();
}

/* Cases 17, 18, 20 from REQBUFS on. */
static void refused_streaming(void)
{
    static const struct {
        unsigned long request;
        int error, times;
        zcs_status status;
        const char *text;
    } rows[] = {
        {VIDIOC_REQBUFS, EBUSY, 2, ZCS_OK, ""},
        {VIDIOC_REQBUFS, EBUSY, -1, ZCS_ERR_BUSY, "another program uses the camera"},
        {VIDIOC_REQBUFS, EINVAL, 1, ZCS_OK, "path userptr"},
        {VIDIOC_QBUF, EINVAL, 1, ZCS_OK, "path userptr"},
        {VIDIOC_STREAMON, EINVAL, 1, ZCS_OK, "path userptr"},
        {VIDIOC_STREAMON, EBUSY, 2, ZCS_OK, ""},
        {VIDIOC_STREAMON, EBUSY, -1, ZCS_ERR_BUSY, "another program uses the camera"},
        {VIDIOC_STREAMON, ENOSPC, -1, ZCS_ERR_IO, "USB bus has no bandwidth"},
        {VIDIOC_STREAMON, ENODEV, -1, ZCS_ERR_GONE, "unplugged"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        script_init(&s);
        set_up(NULL);
        s.faults[0] = (struct script_fault){rows[i].request, rows[i].error, rows[i].times};
        expect(rows[i].status);
        CHECK(script_logged(&log_text, rows[i].text));
        s.faults[0].error = 0;
        if (rows[i].status != ZCS_OK)
            CHECK_EQ(next_number(), 0); /* nothing is left behind: the next try succeeds */
        zcs_source_close(&source);
        zcs_close(&ctx);
        CHECK_EQ(s.open_count, 0);
    }
}

/* Cases 26, 27, 28, 63: damaged, short and empty frames are counted under their cause. */
static void bad_frames(void)
{
    static const struct script_frame frames[] = {
        GOOD(0),
        {.sequence = 1, .flags = V4L2_BUF_FLAG_ERROR | MONO, .bytes_used = 0},
        GOOD(2),
        {.sequence = 3, .bytes_used = 6143},
        {.sequence = 4, .bytes_used = 3072},
        {.sequence = 5, .bytes_used = 1},
        {.sequence = 6, .bytes_used = 0},
        {.sequence = 7,
         .bytes_used = 8192,
         .flags = MONO,
         .seconds = 1}, /* longer than needed: it is complete */
        {.sequence = 8, .flags = V4L2_BUF_FLAG_ERROR | MONO, .bytes_used = SCRIPT_FULL},
        GOOD(9),
        {.sequence = 10, .bytes_used = 8193, .flags = MONO, .seconds = 1},
        {.sequence = 11, .bytes_used = UINT32_MAX - 1, .flags = MONO, .seconds = 1},
        GOOD(12),
    };
    script_init(&s);
    play(frames, 13);
    set_up(NULL);
    CHECK_EQ(next_number(), 0);
    CHECK_EQ(next_number(), 2);
    CHECK_EQ(next_number(), 7);
    CHECK_EQ(next_number(), 9);
    CHECK_EQ(next_number(), 12); /* more bytes than the buffer has are not possible */
    expect(ZCS_AGAIN);
    CHECK_EQ(lost(ZCS_LOSS_ERROR), 4);
    CHECK_EQ(lost(ZCS_LOSS_SHORT), 4);
    CHECK_EQ(lost(ZCS_LOSS_DRIVER_GAP), 0);
    CHECK(script_logged(&log_text,
                        "frame 3 is not delivered, nor are others like it: 6143 bytes, and the "
                        "image needs 6144"));
    tear_down();
}

/* A frame that is reported but was not written is detected on every path, at a buffer's first
 * use. */
static void unwritten_frames(void)
{
    static const struct script_frame frames[] = {
        {.sequence = 0, .unwritten = 1, .bytes_used = SCRIPT_FULL},
        {.sequence = 1, .unwritten = 1, .bytes_used = SCRIPT_FULL},
        GOOD(2),
    };
    static const enum zcs_path all[] = {ZCS_PATH_USERPTR, ZCS_PATH_DMABUF, ZCS_PATH_REGISTERED,
                                        ZCS_PATH_COPIED};
    for (int i = 0; i < 4; i++) {
        script_init(&s);
        s.udmabuf = 1;
        play(frames, 3);
        set_up(&(struct zcs_v4l2_params){.path = all[i]});
        CHECK_EQ(next_number(), 2);
        CHECK_EQ(lost(ZCS_LOSS_STALE), 2);
        tear_down();
    }
}

/* Cases 30 and 31: EIO that passes, and EIO that stays. */
static void io_errors(void)
{
    static const struct script_frame passing[] = {GOOD(0),    FAILS(EIO), GOOD(2), FAILS(EAGAIN),
                                                  FAILS(EIO), FAILS(EIO), GOOD(5)};
    script_init(&s);
    play(passing, 7);
    set_up(NULL);
    CHECK_EQ(next_number(), 0);
    CHECK_EQ(next_number(), 2);
    CHECK_EQ(next_number(), 5);
    CHECK_EQ(lost(ZCS_LOSS_ERROR), 3);
    CHECK_EQ(lost(ZCS_LOSS_DRIVER_GAP), 0); /* those frames have been counted already */
    CHECK_EQ(s.stream_on_count, 1);
    tear_down();

    script_init(&s);
    set_up(NULL);
    CHECK_EQ(next_number(), 0);
    s.faults[0] = (struct script_fault){VIDIOC_DQBUF, EIO, 10};
    CHECK_EQ(next_number(), 1); /* after a restart of streaming */
    CHECK_EQ(s.stream_on_count, 2);
    CHECK(script_logged(&log_text, "streaming is restarted"));
    s.faults[0].times = -1;
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_source_next(source, 0, &frame), ZCS_AGAIN); /* without a pause of its own */
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_ERR_IO);
    CHECK(script_logged(&log_text, "given up"));
    tear_down();
}

/* Case 32: signals. */
static void interrupted(void)
{
    script_init(&s);
    set_up(NULL);
    CHECK_EQ(next_number(), 0);
    s.faults[0] = (struct script_fault){VIDIOC_DQBUF, EINTR, 5};
    s.faults[1] = (struct script_fault){VIDIOC_QBUF, EINTR, 3};
    CHECK_EQ(next_number(), 1);
    s.faults[2] = (struct script_fault){1, EINTR, 1};
    s.endless = 0;
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_AGAIN);
    tear_down();
}

/* Case 33: the camera is unplugged. */
static void unplugged(void)
{
    script_init(&s);
    set_up(NULL);
    for (uint64_t i = 0; i < 3; i++)
        CHECK_EQ(next_number(), i);
    for (int i = 0; i < 4; i++)
        s.faults[i].times = -1, s.faults[i].error = ENODEV;
    s.faults[0].request = VIDIOC_DQBUF;
    s.faults[1].request = VIDIOC_QBUF;
    s.faults[2].request = VIDIOC_REQBUFS;
    expect(ZCS_ERR_GONE);
    CHECK(script_logged(&log_text, "unplugged"));
    tear_down();
}

/* Case 36: the application holds all frames. */
static void all_held(enum zcs_path path)
{
    script_init(&s);
    set_up(&(struct zcs_v4l2_params){.path = path});
    const struct zcs_frame *held[16];
    int count = 0;
    while (count < 16 && zcs_source_next(source, 0, &held[count]) == ZCS_OK)
        count++;
    CHECK_EQ(count, path == ZCS_PATH_COPIED ? 8 : 7);
    CHECK(s.queue_count >= 1);
    for (int i = 0; i < 5; i++)
        expect(ZCS_AGAIN);
    CHECK_EQ(lost(ZCS_LOSS_POLICY), 6);
    CHECK(script_logged(&log_text, "are held"));
    zcs_frame_unref(&held[0]);
    CHECK_EQ(next_number(), (uint64_t)count + 6);
    for (int i = 1; i < count; i++)
        zcs_frame_unref(&held[i]);
    tear_down();
}

/* Case 37 and similar ones: gaps, wraps, numbers that do not grow or that start anywhere. */
static void sequences(void)
{
    static const struct {
        uint32_t raw[5];
        uint64_t number[5], gap;
    } rows[] = {
        {{0, 1, 2, 5, 6}, {0, 1, 2, 5, 6}, 2},
        {{7, 8, 9, 10, 12}, {7, 8, 9, 10, 12}, 1},
        {{UINT32_MAX - 1, UINT32_MAX, 0, 1, 3},
         {UINT32_MAX - 1, UINT32_MAX, UINT64_C(1) << 32, (UINT64_C(1) << 32) + 1,
          (UINT64_C(1) << 32) + 3},
         1},
        {{UINT32_MAX - 1, 1, 2, 3, 4},
         {UINT32_MAX - 1, (UINT64_C(1) << 32) + 1, (UINT64_C(1) << 32) + 2, (UINT64_C(1) << 32) + 3,
          (UINT64_C(1) << 32) + 4},
         2},
        {{0, 0, 0, 0, 0}, {0, 1, 2, 3, 4}, 0},
        {{900, 901, 0, 1, 2}, {900, 901, 902, 903, 904}, 0},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct script_frame frames[5];
        for (int i = 0; i < 5; i++)
            frames[i] = (struct script_frame)GOOD(rows[r].raw[i]);
        script_init(&s);
        play(frames, 5);
        set_up(NULL);
        for (int i = 0; i < 5; i++)
            CHECK_EQ(next_number(), rows[r].number[i]);
        CHECK_EQ(lost(ZCS_LOSS_DRIVER_GAP), rows[r].gap);
        tear_down();
    }
}

/* Case 40: timestamps and their clocks. */
static void times(void)
{
    static const struct {
        int64_t seconds, micro;
        uint32_t flags;
        enum zcs_clock clock;
        int64_t time_ns;
    } rows[] = {
        {100, 500000, MONO, ZCS_CLOCK_MONOTONIC, 100500000000},
        {100, 500000, V4L2_BUF_FLAG_TIMESTAMP_UNKNOWN, ZCS_CLOCK_UNKNOWN, 100500000000},
        {100, 500000, V4L2_BUF_FLAG_TIMESTAMP_COPY, ZCS_CLOCK_MEDIA, 100500000000},
        {100, 0, MONO | V4L2_BUF_FLAG_TSTAMP_SRC_SOE, ZCS_CLOCK_MONOTONIC, 100000000000},
        {0, 0, V4L2_BUF_FLAG_TIMESTAMP_UNKNOWN, ZCS_CLOCK_NONE, 0},
        {-5, 250000, MONO, ZCS_CLOCK_MONOTONIC, -4750000000},
        {9223372020, 0, MONO, ZCS_CLOCK_MONOTONIC, 9223372020000000000},
        {INT64_MAX, 999999, MONO, ZCS_CLOCK_MONOTONIC, INT64_MAX},
        {INT64_MIN, 0, MONO, ZCS_CLOCK_MONOTONIC, INT64_MIN},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const struct script_frame one = {.bytes_used = SCRIPT_FULL,
                                         .flags = rows[r].flags,
                                         .seconds = rows[r].seconds,
                                         .micro = rows[r].micro};
        script_init(&s);
        play(&one, 1);
        set_up(NULL);
        const struct zcs_frame *frame = next_frame();
        CHECK_EQ(frame->clock, rows[r].clock);
        CHECK_EQ(frame->time_ns, rows[r].time_ns);
        CHECK(frame->captured_ns > 0);
        zcs_frame_unref(&frame);
        tear_down();
    }
}

/* Cases 16 and 42: a further stream on the same camera gets new memory through REQBUFS(0). */
static void again(enum zcs_path path)
{
    script_init(&s);
    s.udmabuf = 1;
    set_up(&(struct zcs_v4l2_params){.path = path});
    const struct zcs_frame *held = NULL;
    for (uint32_t i = 0; i < 3; i++) {
        zcs_stream *stream = NULL;
        const struct zcs_stream_params params = {.stages = "none", .slots = 3 + i};
        CHECK_EQ(zcs_stream_create(ctx, source, &params, &stream), ZCS_OK);
        const struct zcs_frame *frame = NULL;
        for (int n = 0; n < 5; n++) {
            CHECK_EQ(zcs_stream_next(stream, -1, &frame), ZCS_OK);
            zcs_frame_unref(&held);
            held = frame;
        }
        zcs_stream_destroy(&stream);
        CHECK_EQ(s.request_zero_count, (int)i);
    }
    tear_down();
    zcs_frame_unref(&held);
}

/* Case 25: each camera reports its own path. */
static void two_cameras(void)
{
    script_init(&s);
    set_up(NULL);
    static struct script other;
    script_init(&other);
    other.memories = 1;
    zcs_source *second = NULL;
    const struct zcs_v4l2_params params = {.device = "/dev/video8"};
    CHECK_EQ(zci_v4l2_open(ctx, &params, &other.calls, &second), ZCS_OK);
    const struct zcs_frame *frame = NULL;
    CHECK_EQ(zcs_source_next(second, -1, &frame), ZCS_OK);
    CHECK_EQ(frame->path, ZCS_PATH_REGISTERED);
    zcs_frame_unref(&frame);
    frame = next_frame();
    CHECK_EQ(frame->path, ZCS_PATH_USERPTR);
    CHECK(frame->host == s.buffers[0].at[0]); /* the address that the driver was given */
    zcs_frame_unref(&frame);
    zcs_source_close(&second);
    tear_down();
}

/* A frame whose data_offset differs from the layout's is not delivered. */
static void moved_data(void)
{
    script_init_multi(&s, V4L2_PIX_FMT_NV16M);
    s.plane_offset[0] = 128;
    script_lay_out(&s, 0);
    set_up(NULL);
    CHECK_EQ(next_number(), 0);
    s.plane_offset[0] = 64;
    s.endless = 0;
    static const struct script_frame one[] = {GOOD(1)};
    s.frames = one;
    s.frame_count = 1;
    s.next_frame = 0;
    expect(ZCS_AGAIN);
    CHECK_EQ(lost(ZCS_LOSS_ERROR), 1);
    tear_down();
}

int main(void)
{
    paths();
    paths_of_planes();
    path_not_to_be_had();
    refused_streaming();
    bad_frames();
    unwritten_frames();
    io_errors();
    interrupted();
    unplugged();
    all_held(ZCS_PATH_USERPTR);
    all_held(ZCS_PATH_COPIED);
    sequences();
    times();
    again(ZCS_PATH_USERPTR);
    again(ZCS_PATH_DMABUF);
    again(ZCS_PATH_REGISTERED);
    again(ZCS_PATH_COPIED);
    two_cameras();
    moved_data();
    return 0;
}
