/* SPDX-License-Identifier: MIT */
/* A signal that changes during capture: the same size continues in the same slots, another size in
 * a further stream. */
#include "unit/v4l2_script_controls.h"

#define SECOND_NS INT64_C(1000000000)

static struct cam c;
static struct script_log text;
static zcs_context *ctx;
static zcs_source *source;
static zcs_stream *stream;

static void set_up(uint32_t width, enum zcs_path path)
{
    const struct zcs_v4l2_params params = {
        .device = "/dev/video7", .width = width, .height = width * 3 / 4, .path = path};
    const struct zcs_stream_params wanted = {.stages = "none"};
    cam_init(&c);
    c.s.udmabuf = 1;
    c.signals = 1;
    ctx = script_context(&text);
    CHECK_EQ(zci_v4l2_open(ctx, &params, &c.s.calls, &source), ZCS_OK);
    CHECK_EQ(zcs_stream_create(ctx, source, &wanted, &stream), ZCS_OK);
}

static void tear_down(void)
{
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    zcs_close(&ctx);
    CHECK_EQ(c.s.open_count, 0);
    CHECK_EQ(c.s.stream_on_count, c.s.stream_off_count);
    CHECK_EQ(c.s.mapped, 0);
}

/* The driver reports a source change. */
static void tell(void)
{
    c.events[c.event_count++] =
        (struct v4l2_event){.type = V4L2_EVENT_SOURCE_CHANGE,
                            .u.src_change = {.changes = V4L2_EVENT_SRC_CH_RESOLUTION}};
}

/* The same, and the driver stops until the new timings are set. */
static void change(uint32_t width)
{
    tell();
    c.s.now.width = width;
    c.s.now.height = width * 3 / 4;
    c.s.endless = 0;
}

static zcs_status next(uint32_t width, uint64_t *number)
{
    const struct zcs_frame *frame = NULL;
    const zcs_status status = zcs_stream_next(stream, SECOND_NS / 10, &frame);
    if (status != ZCS_OK)
        return status;
    CHECK_EQ(frame->image.width, width);
    CHECK(*number == UINT64_MAX || frame->sequence > *number);
    *number = frame->sequence;
    zcs_frame_unref(&frame);
    return ZCS_OK;
}

static void take(int count, uint32_t width, uint64_t *number)
{
    for (int i = 0; i < count; i++)
        CHECK_EQ(next(width, number), ZCS_OK);
}

static void same_size(enum zcs_path path)
{
    uint64_t number = UINT64_MAX;
    set_up(64, path);
    take(5, 64, &number);
    const int made = c.s.request_zero_count;
    change(64);
    while (next(64, &number) == ZCS_OK)
        continue;
    CHECK(script_logged(&text, "its frames are as before"));
    CHECK(c.s.request_zero_count > made);
    c.s.endless = 1;
    script_update(&c.s, 0);
    take(20, 64, &number);
    tear_down();
}

/* Frames in flight come first, then the end. A further stream has the new size, and frame numbers
 * continue. */
static void another_size(enum zcs_path path)
{
    const struct zcs_stream_params wanted = {.stages = "none"};
    struct zcs_image image;
    uint64_t number = UINT64_MAX;
    zcs_status status;
    set_up(0, path);
    take(5, 64, &number);
    change(96);
    while ((status = next(64, &number)) == ZCS_OK || status == ZCS_AGAIN)
        continue;
    CHECK_EQ(status, ZCS_ERR_FORMAT);
    CHECK(script_logged(&text, "96x72 instead of 64x48"));
    CHECK_EQ(next(64, &number), ZCS_ERR_FORMAT);
    zcs_source_image(source, &image);
    CHECK(image.width == 96 && image.height == 72);
    zcs_stream_destroy(&stream);
    c.s.endless = 1;
    CHECK_EQ(zcs_stream_create(ctx, source, &wanted, &stream), ZCS_OK);
    take(10, 96, &number);
    tear_down();
}

/* A driver that continues with old frames, and a reader that always finds one. */
static void never_pauses(enum zcs_path path)
{
    uint64_t number = UINT64_MAX;
    set_up(0, path);
    take(5, 64, &number);
    const int begun = c.s.stream_on_count;
    tell();
    for (int i = 0; i < 20 && c.s.stream_on_count == begun; i++)
        take(1, 64, &number);
    CHECK_EQ(c.s.stream_on_count, begun + 1);
    CHECK(script_logged(&text, "its frames are as before"));
    take(20, 64, &number);
    CHECK_EQ(c.s.stream_on_count, begun + 1);
    tear_down();
}

/* A size that was asked for is asked for again; a driver that no longer has it is an error. */
static void size_wanted(void)
{
    uint64_t number = UINT64_MAX;
    zcs_status status;
    set_up(64, ZCS_PATH_NONE);
    take(5, 64, &number);
    c.s.stubborn = 1;
    change(96);
    while ((status = next(64, &number)) == ZCS_OK || status == ZCS_AGAIN)
        continue;
    CHECK_EQ(status, ZCS_ERR_UNSUPPORTED);
    CHECK(script_logged(&text, "asked for 64x48, the driver gives 96x72"));
    tear_down();
}

/* A driver that reports one change after the other and gives no frame: an end, and no spin. */
static void flapping(void)
{
    const struct zcs_v4l2_params params = {.device = "/dev/video7", .stall_ns = SECOND_NS / 5};
    const struct zcs_frame *frame = NULL;
    cam_init(&c);
    c.signals = c.flaps = 1;
    c.s.endless = 0;
    ctx = script_context(&text);
    CHECK_EQ(zci_v4l2_open(ctx, &params, &c.s.calls, &source), ZCS_OK);
    CHECK_EQ(zcs_source_next(source, 5 * SECOND_NS, &frame), ZCS_ERR_IO);
    CHECK(script_logged(&text, "its frames are as before"));
    CHECK(script_logged(&text, "given up"));
    CHECK(c.s.stream_on_count <= 60);
    tear_down();
}

int main(void)
{
    static const enum zcs_path paths[] = {ZCS_PATH_USERPTR, ZCS_PATH_DMABUF, ZCS_PATH_REGISTERED,
                                          ZCS_PATH_COPIED};
    for (int i = 0; i < 4; i++) {
        same_size(paths[i]);
        another_size(paths[i]);
        never_pauses(paths[i]);
    }
    size_wanted();
    flapping();
    return 0;
}
