/* SPDX-License-Identifier: MIT */
/* Controls: names, kinds, values, what the driver makes of them, flips, and the first frame with a
 * change. */
#include "unit/v4l2_script_controls.h"

#include "source/v4l2/controls.h"

static struct cam c;
static struct script_log text;

static zcs_camera *open_camera(zcs_context **ctx)
{
    zcs_camera *camera = NULL;
    *ctx = script_context(&text);
    CHECK_EQ(zci_v4l2_camera_open(*ctx, "/dev/video7", &c.s.calls, &camera), ZCS_OK);
    return camera;
}

static void spelling(void)
{
    char out[64];
    zci_v4l2_control_name("White Balance Temperature, Auto", out, sizeof out);
    CHECK(strcmp(out, "white_balance_temperature_auto") == 0);
    zci_v4l2_control_name("  LED1 Mode (x)", out, sizeof out);
    CHECK(strcmp(out, "led1_mode_x") == 0);
    zci_v4l2_control_name("abcdef", out, 4);
    CHECK(strlen(out) < 4);
    int64_t number = 0;
    CHECK_EQ(zci_v4l2_parse_number("-0x10", &number), -1);
    CHECK_EQ(zci_v4l2_parse_number("0x10", &number), 0);
    CHECK_EQ(number, 16);
    CHECK_EQ(zci_v4l2_parse_number("010", &number), 0);
    CHECK_EQ(number, 10);
    CHECK_EQ(zci_v4l2_parse_number("", &number), -1);
    CHECK_EQ(zci_v4l2_parse_number("1x", &number), -1);
    CHECK_EQ(zci_v4l2_parse_number(" 1", &number), -1);
    CHECK_EQ(zci_v4l2_parse_number("99999999999999999999", &number), -1);
}

static void expect(zcs_camera *camera, const char *name, enum zcs_control_type type,
                   const char *kind, const char *value)
{
    struct zcs_control control;
    char got[64] = "";
    CHECK_EQ(zcs_control_find(camera, name, &control), ZCS_OK);
    CHECK_EQ(control.type, type);
    CHECK(strcmp(control.kind, kind) == 0);
    const zcs_status status = zcs_control_get(camera, &control, got, sizeof got);
    CHECK_EQ(status, value != NULL ? ZCS_OK : ZCS_ERR_UNSUPPORTED);
    CHECK(value == NULL || strcmp(got, value) == 0);
}

static void kinds(void)
{
    zcs_context *ctx;
    struct zcs_control control = {.id = 0};
    struct zcs_control_item item;
    cam_init(&c);
    zcs_camera *camera = open_camera(&ctx);
    int count = 0;
    while (zcs_control_next(camera, control.id, &control) == ZCS_OK)
        count++;
    CHECK_EQ(count, 12); /* the class is not a control */
    expect(camera, "brightness", ZCS_CONTROL_INTEGER, "int", "0");
    expect(camera, "BRIGHTNESS", ZCS_CONTROL_INTEGER, "int", "0");
    expect(camera, "0x00980900", ZCS_CONTROL_INTEGER, "int", "0");
    expect(camera, "exposure_time_absolute", ZCS_CONTROL_INTEGER, "int", "156");
    expect(camera, "Exposure Time, Absolute", ZCS_CONTROL_INTEGER, "int", "156");
    expect(camera, "wide", ZCS_CONTROL_INTEGER, "int64", "8589934592");
    expect(camera, "label", ZCS_CONTROL_STRING, "string", "left");
    expect(camera, "lamps", ZCS_CONTROL_BITMASK, "bitmask", "0x00000001");
    expect(camera, "press_me", ZCS_CONTROL_BUTTON, "button", NULL);
    expect(camera, "table", ZCS_CONTROL_COMPOUND, "u8[16][16]", NULL);
    expect(camera, "pixel_rate", ZCS_CONTROL_INTEGER, "int", "500");
    CHECK_EQ(zcs_control_find(camera, "power_line_frequency", &control), ZCS_OK);
    CHECK_EQ(zcs_control_item(camera, &control, 0, &item), ZCS_OK);
    CHECK_EQ(zcs_control_item(camera, &control, 2, &item), ZCS_OK); /* 2 is a hole */
    CHECK_EQ(item.index, 3);
    CHECK_EQ(zcs_control_item(camera, &control, 4, &item), ZCS_EOF);
    CHECK_EQ(zcs_control_find(camera, "iso_sensitivity", &control), ZCS_OK);
    CHECK_EQ(zcs_control_item(camera, &control, 2, &item), ZCS_OK);
    CHECK(strcmp(item.text, "400") == 0);
    CHECK_EQ(zcs_control_find(camera, "contrast", &control), ZCS_ERR_ARG);
    CHECK(script_logged(&text, "no control 'contrast'; it has brightness, gain"));
    zcs_camera_close(&camera);
    zcs_close(&ctx);
    CHECK_EQ(c.s.open_count, 0);
}

/* String lengths that no driver should report. */
static void lengths(void)
{
    static const int64_t max[] = {-1, INT64_MIN, INT64_MAX, INT32_MAX};
    zcs_context *ctx;
    for (size_t i = 0; i < sizeof max / sizeof *max; i++) {
        cam_init(&c);
        for (uint32_t k = 0; k < c.count; k++)
            if (c.controls[k].is.type == V4L2_CTRL_TYPE_STRING)
                c.controls[k].is.maximum = max[i];
        zcs_camera *camera = open_camera(&ctx);
        expect(camera, "label", ZCS_CONTROL_STRING, "string", NULL);
        CHECK(script_logged(&text, "label: the driver reports a string length of"));
        CHECK_EQ(zcs_control_set(camera, "label=x", NULL, 0), max[i] < 0 ? ZCS_ERR_ARG : ZCS_OK);
        zcs_camera_close(&camera);
        zcs_close(&ctx);
    }
}

/* A menu whose maximum is the greatest possible number: its holes are not queried one by one. */
static void endless_menu(void)
{
    zcs_context *ctx;
    struct zcs_control control;
    struct zcs_control_item item;
    cam_init(&c);
    for (uint32_t k = 0; k < c.count; k++)
        if (c.controls[k].is.type == V4L2_CTRL_TYPE_MENU)
            c.controls[k].is.maximum = INT64_MAX;
    zcs_camera *camera = open_camera(&ctx);
    alarm(20);
    CHECK_EQ(zcs_control_find(camera, "power_line_frequency", &control), ZCS_OK);
    CHECK_EQ(zcs_control_item(camera, &control, 2, &item), ZCS_OK);
    CHECK_EQ(item.index, 3);
    CHECK_EQ(zcs_control_item(camera, &control, 4, &item), ZCS_EOF);
    CHECK_EQ(zcs_control_set(camera, "power_line_frequency=9000", NULL, 0), ZCS_ERR_ARG);
    alarm(0);
    zcs_camera_close(&camera);
    zcs_close(&ctx);
}

/* Sets a control and checks the status, the value read back, and the text in the log. */
static void set(zcs_camera *camera, const char *setting, zcs_status status, const char *value,
                const char *words)
{
    char got[64] = "";
    text.text[0] = '\0';
    CHECK_EQ(zcs_control_set(camera, setting, got, sizeof got), status);
    if (value != NULL && strcmp(got, value) != 0)
        fprintf(stderr, "%s: '%s', not '%s'\n", setting, got, value);
    CHECK(value == NULL || strcmp(got, value) == 0);
    CHECK(words != NULL ? script_logged(&text, words) : text.text[0] == '\0');
}

static void setting(void)
{
    zcs_context *ctx;
    cam_init(&c);
    cam_find(&c, V4L2_CID_GAIN)->grain = 10;
    zcs_camera *camera = open_camera(&ctx);
    set(camera, "brightness=-5", ZCS_OK, "-5", NULL);
    set(camera, "Brightness=0x10", ZCS_OK, "16", NULL);
    set(camera, "gain=57", ZCS_OK, "50", "gain: asked for 57, the driver made it 50");
    set(camera, "gain=256", ZCS_ERR_ARG, NULL, "gain=256: it takes 0..255");
    set(camera, "gain=12a", ZCS_ERR_ARG, NULL, "gain=12a: it takes 0..255");
    set(camera, "gain", ZCS_ERR_ARG, NULL, "a value is missing (gain=VALUE)");
    set(camera, "horizontal_flip=on", ZCS_OK, "1", NULL);
    set(camera, "horizontal_flip=2", ZCS_ERR_ARG, NULL, "it takes 0 or 1, off or on");
    set(camera, "power_line_frequency=auto", ZCS_OK, "3", NULL);
    set(camera, "power_line_frequency=50 hz", ZCS_OK, "1", NULL);
    set(camera, "power_line_frequency=0", ZCS_OK, "0", NULL);
    set(camera, "power_line_frequency=2", ZCS_ERR_ARG, NULL,
        "it takes 0 (Disabled), 1 (50 Hz), 3 (Auto)");
    set(camera, "iso_sensitivity=2", ZCS_OK, "2", NULL);
    set(camera, "iso_sensitivity=800", ZCS_OK, "3", NULL);
    set(camera, "press_me", ZCS_OK, "", NULL);
    set(camera, "wide=-1099511627776", ZCS_OK, "-1099511627776", NULL);
    set(camera, "label=a=b", ZCS_OK, "a=b", NULL);
    set(camera, "label=0123456789012345678901234567890123456789", ZCS_ERR_ARG, NULL,
        "does not take this value");
    set(camera, "lamps=0xf0000000", ZCS_OK, "0xf0000000", NULL);
    set(camera, "lamps=0xffffffff", ZCS_ERR_ARG, NULL, "it takes 0..4026531841");
    set(camera, "table=1", ZCS_ERR_UNSUPPORTED, NULL, "table is u8[16][16]");
    set(camera, "pixel_rate=1", ZCS_ERR_UNSUPPORTED, NULL, "can only be read");
    cam_find(&c, V4L2_CID_GAIN)->error = EBUSY;
    set(camera, "gain=1", ZCS_ERR_BUSY, NULL, "while the camera streams");
    cam_find(&c, V4L2_CID_GAIN)->is.flags = V4L2_CTRL_FLAG_INACTIVE;
    set(camera, "gain=1", ZCS_ERR_BUSY, NULL, "gain=1: it is inactive");
    cam_find(&c, V4L2_CID_GAIN)->error = ENODEV;
    set(camera, "gain=1", ZCS_ERR_GONE, NULL, "unplugged");
    struct zcs_control_change change;
    CHECK_EQ(zcs_control_change(camera, 1, &change), ZCS_ERR_ARG); /* nobody captures */
    zcs_camera_close(&camera);
    zcs_close(&ctx);
}

/* A driver without extended controls. */
static void old_driver(void)
{
    zcs_context *ctx;
    struct zcs_control control;
    cam_init(&c);
    c.old = 1;
    c.controls[6] = c.controls[0]; /* it has no 64 bits */
    zcs_camera *camera = open_camera(&ctx);
    set(camera, "brightness=7", ZCS_OK, "7", NULL);
    CHECK_EQ(c.controls[1].value, 7);
    CHECK_EQ(zcs_control_find(camera, "lamps", &control), ZCS_OK);
    CHECK_EQ(control.max, 0xf0000001);
    zcs_camera_close(&camera);
    zcs_close(&ctx);
}

static void bayer(void)
{
    cam_init(&c);
    c.s.now.pixelformat = c.s.fourccs[0] = V4L2_PIX_FMT_SRGGB8;
    c.s.fourccs[1] = c.s.fourccs[2] = 0;
    script_lay_out(&c.s, 0);
}

/* A flip changes the Bayer order: before the format is set, or unreported through another
 * control. */
static void flips(void)
{
    static const char *const wanted[] = {"horizontal_flip=1", "gain=20"};
    struct zcs_v4l2_params params = {.controls = wanted, .control_count = 1};
    struct zcs_source_info info;
    bayer();
    c.flip_turns = 1;
    CHECK_EQ(script_try_open(&c.s, &params, &text, &info), ZCS_OK);
    CHECK_EQ(info.image.format, ZCS_PIXFMT_SGRBG8);
    bayer();
    c.gain_turns = 1;
    params.controls = wanted + 1;
    CHECK_EQ(script_try_open(&c.s, &params, &text, &info), ZCS_OK);
    CHECK_EQ(info.image.format, ZCS_PIXFMT_SGRBG8);
    CHECK(script_logged(&text, "its controls changed the format from RGGB to GRBG"));
    bayer();
    c.gain_turns = 1;
    params.format = ZCS_PIXFMT_SRGGB8;
    CHECK_EQ(script_try_open(&c.s, &params, &text, &info), ZCS_ERR_FORMAT);
    CHECK(script_logged(&text, "asked for RGGB, the driver gives GRBG"));
    cam_init(&c);
    params = (struct zcs_v4l2_params){.controls = (const char *const[]){"contrast=1"},
                                      .control_count = 1};
    CHECK_EQ(script_try_open(&c.s, &params, &text, &info), ZCS_ERR_ARG);
}

/* The same while a stream captures, whose chain is made for one Bayer order. */
static void no_flip_in_mid_stream(void)
{
    const struct zcs_v4l2_params params = {.device = "/dev/video7"};
    zcs_context *ctx = script_context(&text);
    zcs_source *source = NULL;
    const struct zcs_frame *frame = NULL;
    bayer();
    c.flip_turns = 1;
    CHECK_EQ(zci_v4l2_open(ctx, &params, &c.s.calls, &source), ZCS_OK);
    CHECK_EQ(zcs_source_next(source, 1000000000, &frame), ZCS_OK);
    zcs_frame_unref(&frame);
    set(zcs_source_camera(source), "horizontal_flip=1", ZCS_ERR_BUSY, NULL,
        "horizontal_flip changes the frames' format, and was set back");
    CHECK_EQ(cam_find(&c, CAM_FLIP)->value, 0);
    CHECK_EQ(c.s.now.pixelformat, V4L2_PIX_FMT_SRGGB8);
    set(zcs_source_camera(source), "brightness=1", ZCS_OK, "1", NULL);
    zcs_source_close(&source);
    zcs_close(&ctx);
}

static void add_event(uint32_t id, int value, int64_t seconds)
{
    struct v4l2_event *event = &c.events[c.event_count++];
    *event = (struct v4l2_event){.type = V4L2_EVENT_CTRL, .id = id};
    event->timestamp.tv_sec = (time_t)seconds;
    event->u.ctrl.changes = V4L2_EVENT_CTRL_CH_VALUE;
    event->u.ctrl.type = V4L2_CTRL_TYPE_INTEGER;
    event->u.ctrl.value = value;
}

/* Frames have timestamps from second 100 on. A change applies from the first frame that is not
 * older. */
static void stamps(void)
{
    static const struct script_frame frames[] = {
        {.sequence = 0,
         .bytes_used = SCRIPT_FULL,
         .flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC,
         .seconds = 100},
        {.sequence = 1,
         .bytes_used = SCRIPT_FULL,
         .flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC,
         .seconds = 101},
        {.sequence = 2,
         .bytes_used = SCRIPT_FULL,
         .flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC,
         .seconds = 103},
        {.sequence = 3, .bytes_used = SCRIPT_FULL, .flags = 0, .seconds = 1},
    };
    static const uint64_t wanted[] = {0, 0, 1, 2};
    const struct zcs_v4l2_params params = {
        .device = "/dev/video7", .controls = (const char *const[]){"gain=33"}, .control_count = 1};
    const struct zcs_stream_params one_by_one = {.in_flight =
                                                     1}; /* no frame is dequeued ahead of time */
    zcs_context *ctx = script_context(&text);
    zcs_source *source = NULL;
    zcs_stream *stream = NULL;
    struct zcs_control_change change;
    cam_init(&c);
    c.s.frames = frames;
    c.s.frame_count = 4;
    c.s.endless = 0;
    CHECK_EQ(zci_v4l2_open(ctx, &params, &c.s.calls, &source), ZCS_OK);
    CHECK_EQ(cam_find(&c, V4L2_CID_GAIN)->value, 33);
    CHECK(cam_find(&c, V4L2_CID_GAIN)->watched);
    CHECK_EQ(zcs_stream_create(ctx, source, &one_by_one, &stream), ZCS_OK);
    add_event(V4L2_CID_GAIN, 40, 102);
    for (int i = 0; i < 4; i++) {
        const struct zcs_frame *frame = NULL;
        if (i == 3) /* now: later than all frames with a known clock */
            CHECK_EQ(zcs_control_set(zcs_source_camera(source), "gain=50", NULL, 0), ZCS_OK);
        CHECK_EQ(zcs_stream_next(stream, 1000000000, &frame), ZCS_OK);
        CHECK_EQ(frame->sequence, i);
        CHECK_EQ(frame->controls, wanted[i]);
        zcs_frame_unref(&frame);
    }
    CHECK_EQ(zcs_control_change(zcs_source_camera(source), 1, &change), ZCS_OK);
    CHECK_EQ(change.id, V4L2_CID_GAIN);
    CHECK_EQ(change.value, 40);
    CHECK_EQ(change.time_ns, 102000000000);
    CHECK_EQ(zcs_control_change(zcs_source_camera(source), 3, &change), ZCS_ERR_ARG);
    for (int i = 0; i < 100; i++)
        CHECK_EQ(zcs_control_set(zcs_source_camera(source), "gain=51", NULL, 0), ZCS_OK);
    CHECK_EQ(zcs_control_change(zcs_source_camera(source), 38, &change), ZCS_ERR_ARG);
    CHECK_EQ(zcs_control_change(zcs_source_camera(source), 39, &change), ZCS_OK);
    CHECK_EQ(change.number, 39);
    zcs_stream_destroy(&stream);
    zcs_source_close(&source);
    zcs_close(&ctx);
}

/* Settings are kept once for each control, in order, and can be applied again. */
static void kept(void)
{
    struct zci_v4l2_settings settings = {0};
    const struct zci_log quiet = {0};
    struct zci_v4l2_device dev;
    cam_init(&c);
    CHECK_EQ(zci_v4l2_settings_put(&settings, "gain=1"), 0);
    CHECK_EQ(zci_v4l2_settings_put(&settings, "horizontal_flip=1"), 0);
    CHECK_EQ(zci_v4l2_settings_put(&settings, "Gain=2"), 0);
    CHECK_EQ(settings.count, 2);
    CHECK_EQ(zci_v4l2_device_open(&dev, "/dev/video7", &c.s.calls, &quiet), ZCS_OK);
    CHECK_EQ(zci_v4l2_settings_apply(&settings, &dev, 1), ZCS_OK);
    CHECK_EQ(cam_find(&c, CAM_FLIP)->value, 1);
    CHECK_EQ(c.sets, 1);
    CHECK_EQ(zci_v4l2_settings_apply(&settings, &dev, 0), ZCS_OK);
    CHECK_EQ(cam_find(&c, V4L2_CID_GAIN)->value, 2);
    zci_v4l2_settings_finish(&settings);
    zci_v4l2_device_close(&dev);
}

/* A camera that reconnects with its default values gets those that the user, another program and
 * the options had set. */
static void back_as_set(void)
{
    static const char *const wanted[] = {"gain=32"};
    const struct zcs_v4l2_params params = {.device = "/dev/video7",
                                           .reconnect_ns = INT64_C(5000000000),
                                           .controls = wanted,
                                           .control_count = 1};
    const struct zcs_frame *frame = NULL;
    zcs_source *source = NULL;
    cam_init(&c);
    c.s.node = "/dev/video7";
    c.s.place = "/plug1";
    struct cam_control *brightness = cam_find(&c, V4L2_CID_BRIGHTNESS);
    struct cam_control *gain = cam_find(&c, V4L2_CID_GAIN);
    struct cam_control *exposure = cam_find(&c, V4L2_CID_EXPOSURE_ABSOLUTE);
    struct cam_control *lamps = cam_find(&c, V4L2_CID_USER_BASE + 0x1003);
    lamps->value = 0x20000001; /* before the program began */
    zcs_context *ctx = script_context(&text);
    CHECK_EQ(zci_v4l2_open(ctx, &params, &c.s.calls, &source), ZCS_OK);
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
    zcs_frame_unref(&frame);
    CHECK_EQ(zcs_control_set(zcs_source_camera(source), "exposure_time_absolute=200", NULL, 0),
             ZCS_OK);
    c.events[c.event_count++] = (struct v4l2_event){.type = V4L2_EVENT_CTRL,
                                                    .id = V4L2_CID_BRIGHTNESS,
                                                    .u.ctrl = {.changes = V4L2_EVENT_CTRL_CH_VALUE,
                                                               .type = V4L2_CTRL_TYPE_INTEGER,
                                                               .value = 9}};
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
    zcs_frame_unref(&frame);
    c.s.unplugged = 1;
    brightness->value = brightness->is.default_value;
    gain->value = gain->is.default_value;
    exposure->value = exposure->is.default_value;
    lamps->value = 1;
    CHECK_EQ(zcs_source_next(source, -1, &frame), ZCS_OK);
    zcs_frame_unref(&frame);
    CHECK_EQ(brightness->value, 9);
    CHECK_EQ(gain->value, 32);
    CHECK_EQ(exposure->value, 200);
    CHECK_EQ(lamps->value, 0x20000001);
    zcs_source_close(&source);
    zcs_close(&ctx);
}

int main(void)
{
    back_as_set();
    spelling();
    kinds();
    lengths();
    endless_menu();
    setting();
    old_driver();
    flips();
    no_flip_in_mid_stream();
    stamps();
    kept();
    return 0;
}
