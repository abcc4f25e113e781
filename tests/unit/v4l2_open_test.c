/* SPDX-License-Identifier: MIT */
/* Opening cameras and negotiating with them: kinds of nodes, their answers, and refusals with their
 * log lines. */
#include "unit/v4l2_script.h"

static struct script s;
static struct script_log log_text;
static struct zcs_source_info info;

static zcs_status open_with(const struct zcs_v4l2_params *params)
{
    return script_try_open(&s, params, &log_text, &info);
}

/* Case 2: asked for UYVY, the driver stays at YUYV. */
static void format_not_kept(void)
{
    script_init(&s);
    s.stubborn = 1;
    struct zcs_v4l2_params params = {.format = ZCS_PIXFMT_UYVY};
    CHECK_EQ(open_with(&params), ZCS_ERR_FORMAT);
    CHECK(script_logged(&log_text, "asked for UYVY, the driver gives YUYV"));
    params.accept_nearest = 1;
    CHECK_EQ(open_with(&params), ZCS_OK);
    CHECK_EQ(info.image.format, ZCS_PIXFMT_YUYV);
}

/* Case 3: a driver that only has YU12: its answer decides. */
static void fixed_driver(void)
{
    script_init(&s);
    s.now.pixelformat = V4L2_PIX_FMT_YUV420;
    s.fourccs[0] = V4L2_PIX_FMT_YUV420;
    script_lay_out(&s, 0);
    s.stubborn = 1;
    const struct zcs_v4l2_params params = {
        .format = ZCS_PIXFMT_BGR24, .width = 64, .height = 48, .accept_nearest = 1};
    CHECK_EQ(open_with(&params), ZCS_OK);
    CHECK_EQ(info.image.format, ZCS_PIXFMT_YUV420);
    CHECK_EQ(info.image.size_bytes, 64 * 48 * 3 / 2);
}

/* Case 4: another size. */
static void size_not_kept(void)
{
    script_init(&s);
    s.stubborn = 1;
    struct zcs_v4l2_params params = {.width = 1920, .height = 1080};
    CHECK_EQ(open_with(&params), ZCS_ERR_FORMAT);
    CHECK(script_logged(&log_text, "asked for 1920x1080, the driver gives 64x48"));
    params.width = 64;
    CHECK_EQ(open_with(&params), ZCS_ERR_FORMAT);
    CHECK(script_logged(&log_text, "asked for 64x1080, the driver gives 64x48"));
    params.accept_nearest = 1;
    CHECK_EQ(open_with(&params), ZCS_OK);
    CHECK_EQ(info.image.width, 64);
    CHECK_EQ(info.image.height, 48);
}

/* Cases 6 and 8: padded rows, and rows whose length the driver does not report. */
static void strides(void)
{
    script_init(&s);
    s.fourccs[0] = V4L2_PIX_FMT_Y16;
    struct zcs_v4l2_params params = {
        .format = ZCS_PIXFMT_Y16, .width = 848, .height = 4, .stride_bytes = 1728};
    CHECK_EQ(open_with(&params), ZCS_OK);
    CHECK_EQ(info.image.stride_bytes[0], 1728);
    s.stubborn = 1;
    params.stride_bytes = 1792;
    CHECK_EQ(open_with(&params), ZCS_ERR_FORMAT);
    CHECK(script_logged(&log_text, "asked for rows of 1792 bytes, the driver gives 1728"));

    script_init(&s);
    s.stride_zero = 1;
    CHECK_EQ(open_with(NULL), ZCS_OK);
    CHECK_EQ(info.image.stride_bytes[0], 128);

    script_init(&s);
    s.stubborn = 1;
    s.now.bytesperline = 100;
    CHECK_EQ(open_with(NULL), ZCS_ERR_FORMAT);
    CHECK(script_logged(&log_text, "rows of 100 bytes, 64 pixels of YUYV need 128"));

    script_init(&s);
    s.stubborn = 1;
    s.plane_size[0] = 6143;
    CHECK_EQ(open_with(NULL), ZCS_ERR_FORMAT);
    CHECK(script_logged(&log_text, "6143 bytes are too small: 64x48 YUYV needs 6144"));
}

/* Case 9: multi-planar nodes, planes in one buffer and in two, with a data_offset. */
static void multi_planar(void)
{
    script_init_multi(&s, V4L2_PIX_FMT_NV12);
    CHECK_EQ(open_with(NULL), ZCS_OK);
    CHECK_EQ(info.image.offset_bytes[1], 64 * 48);

    script_init_multi(&s, V4L2_PIX_FMT_NV12M);
    CHECK_EQ(open_with(NULL), ZCS_OK);
    CHECK_EQ(info.image.planes, 2);
    CHECK_EQ(info.image.offset_bytes[0], 0);
    CHECK_EQ(info.image.offset_bytes[1], 4096);

    script_init_multi(&s, V4L2_PIX_FMT_NV61M);
    s.plane_offset[1] = 128;
    script_lay_out(&s, 0);
    CHECK_EQ(open_with(NULL), ZCS_OK);
    CHECK_EQ(info.image.offset_bytes[1], 4096 + 128);
    CHECK_EQ(s.count, 0);

    script_init_multi(&s, V4L2_PIX_FMT_NV12M);
    s.stubborn = 1;
    s.planes = 1;
    CHECK_EQ(open_with(NULL), ZCS_ERR_FORMAT);
    CHECK(script_logged(&log_text, "1 buffers a frame, NM12 has 2"));
}

/* Case 11: nodes that are no cameras. */
static void other_nodes(void)
{
    script_init(&s);
    s.device_caps = 0x04a00000; /* metadata; `capabilities` is the whole device's */
    CHECK_EQ(open_with(NULL), ZCS_ERR_UNSUPPORTED);
    CHECK(script_logged(&log_text, "metadata node"));
    s.device_caps = V4L2_CAP_VIDEO_M2M | V4L2_CAP_STREAMING;
    CHECK_EQ(open_with(NULL), ZCS_ERR_UNSUPPORTED);
    CHECK(script_logged(&log_text, "codec"));
    s.device_caps = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_READWRITE;
    CHECK_EQ(open_with(NULL), ZCS_ERR_UNSUPPORTED);
    CHECK(script_logged(&log_text, "read() only"));
    /* A driver older than device_caps. */
    s.capabilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
    s.device_caps = 0;
    CHECK_EQ(open_with(NULL), ZCS_OK);
    script_init(&s);
    s.faults[0] = (struct script_fault){VIDIOC_QUERYCAP, ENOTTY, -1};
    CHECK_EQ(open_with(NULL), ZCS_ERR_UNSUPPORTED);
    CHECK(script_logged(&log_text, "is no V4L2 device"));
}

/* Cases 12 and 81, and cameras that only compress: the format that is chosen where none is asked
 * for. */
static void presets(void)
{
    script_init(&s);
    s.fourccs[0] = s.now.pixelformat = V4L2_PIX_FMT_H264;
    s.fourccs[1] = V4L2_PIX_FMT_MJPEG;
    s.fourccs[2] = 0;
    CHECK_EQ(open_with(NULL), ZCS_ERR_UNSUPPORTED);
    CHECK(script_logged(&log_text, "offers H264, MJPG: no raw format"));
    struct zcs_v4l2_params params = {.format = ZCS_PIXFMT_MJPEG};
    CHECK_EQ(open_with(&params), ZCS_ERR_UNSUPPORTED);
    CHECK(script_logged(&log_text,
                        "MJPG is compressed, and raw frames are needed; the camera offers"));
    s.fourccs[2] = V4L2_PIX_FMT_YUYV;
    CHECK_EQ(open_with(NULL), ZCS_OK);
    CHECK_EQ(info.image.format, ZCS_PIXFMT_YUYV);

    script_init(&s); /* a thermal camera on which the preview was selected before */
    s.fourccs[0] = s.now.pixelformat = V4L2_PIX_FMT_UYVY;
    s.fourccs[1] = V4L2_PIX_FMT_Y16;
    s.fourccs[2] = V4L2_PIX_FMT_GREY;
    CHECK_EQ(open_with(NULL), ZCS_OK);
    CHECK_EQ(info.image.format, ZCS_PIXFMT_Y16);
    params.format = ZCS_PIXFMT_UYVY;
    CHECK_EQ(open_with(&params), ZCS_OK);
    CHECK_EQ(info.image.format, ZCS_PIXFMT_UYVY);

    script_init(&s); /* a sensor with deep grey among others keeps its present format */
    s.fourccs[3] = V4L2_PIX_FMT_Y16;
    s.fourccs[4] = V4L2_PIX_FMT_SRGGB10;
    CHECK_EQ(open_with(NULL), ZCS_OK);
    CHECK_EQ(info.image.format, ZCS_PIXFMT_YUYV);

    script_init(&s); /* data with the wrong fourcc (case 65) */
    params = (struct zcs_v4l2_params){.treat_as = ZCS_PIXFMT_Y10};
    CHECK_EQ(open_with(&params), ZCS_OK);
    CHECK_EQ(info.image.format, ZCS_PIXFMT_Y10);
    CHECK_EQ(info.image.stride_bytes[0], 128);
}

/* Cases 13 and 15: rates. */
static void rates(void)
{
    const struct zcs_v4l2_params params = {.fps_num = 50, .fps_den = 1};
    script_init(&s);
    s.min_period = (struct v4l2_fract){1, 30};
    CHECK_EQ(open_with(&params), ZCS_OK);
    CHECK_EQ(info.fps_num, 30);
    CHECK_EQ(info.fps_den, 1);
    CHECK(script_logged(&log_text, "asked for 50/1 frames a second, the driver gives 30/1"));
    CHECK_EQ(s.rate_set_while_streaming, 0);
    s.faults[0] = (struct script_fault){VIDIOC_S_PARM, ENOTTY, -1};
    CHECK_EQ(open_with(&params), ZCS_OK);
    CHECK_EQ(info.fps_num, 50);
    CHECK(script_logged(&log_text, "no rate to set"));
    s.faults[0] = (struct script_fault){VIDIOC_G_PARM, ENOTTY, -1};
    CHECK_EQ(open_with(NULL), ZCS_OK);
    CHECK_EQ(info.fps_num, 0);
    CHECK(log_text.text[0] == '\0');
}

/* Cases 17 and 18 up to S_FMT: a camera that is busy for a moment, and for ever. */
static void busy(void)
{
    static const unsigned long requests[] = {0, VIDIOC_S_FMT};
    for (int i = 0; i < 2; i++) {
        script_init(&s);
        s.faults[0] = (struct script_fault){requests[i], EBUSY, 2};
        CHECK_EQ(open_with(NULL), ZCS_OK);
        s.faults[0].times = -1;
        CHECK_EQ(open_with(NULL), ZCS_ERR_BUSY);
        CHECK(script_logged(&log_text, "another program uses the camera"));
    }
    script_init(&s);
    s.faults[0] = (struct script_fault){0, EACCES, -1};
    CHECK_EQ(open_with(NULL), ZCS_ERR_IO);
    CHECK(script_logged(&log_text, "/dev/video7: open: Permission denied: "));
    CHECK(script_logged(&log_text, "group 'video'"));
    s.faults[0].error = ENODEV;
    CHECK_EQ(open_with(NULL), ZCS_ERR_GONE);
}

/* Case 51: V4L2's default rules of colour. */
static void colour(void)
{
    static const struct {
        uint32_t space, enc, quantization;
        enum zcs_matrix matrix;
        enum zcs_range range;
    } rows[] = {
        {V4L2_COLORSPACE_SRGB, 0, 0, ZCS_MATRIX_BT601, ZCS_RANGE_LIMITED},
        {V4L2_COLORSPACE_JPEG, 0, 0, ZCS_MATRIX_BT601, ZCS_RANGE_FULL},
        {V4L2_COLORSPACE_REC709, 0, 0, ZCS_MATRIX_BT709, ZCS_RANGE_LIMITED},
        {V4L2_COLORSPACE_BT2020, 0, 0, ZCS_MATRIX_BT2020, ZCS_RANGE_LIMITED},
        {V4L2_COLORSPACE_SMPTE240M, 0, 0, ZCS_MATRIX_BT709, ZCS_RANGE_LIMITED},
        {V4L2_COLORSPACE_SRGB, V4L2_YCBCR_ENC_709, 0, ZCS_MATRIX_BT709, ZCS_RANGE_LIMITED},
        {V4L2_COLORSPACE_REC709, V4L2_YCBCR_ENC_XV709, 0, ZCS_MATRIX_BT709, ZCS_RANGE_LIMITED},
        {V4L2_COLORSPACE_SRGB, V4L2_YCBCR_ENC_XV601, V4L2_QUANTIZATION_FULL_RANGE, ZCS_MATRIX_BT601,
         ZCS_RANGE_LIMITED},
        {V4L2_COLORSPACE_REC709, V4L2_YCBCR_ENC_601, V4L2_QUANTIZATION_FULL_RANGE, ZCS_MATRIX_BT601,
         ZCS_RANGE_FULL},
        {V4L2_COLORSPACE_JPEG, 0, V4L2_QUANTIZATION_LIM_RANGE, ZCS_MATRIX_BT601, ZCS_RANGE_LIMITED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        script_init(&s);
        s.now.colorspace = rows[i].space;
        s.now.ycbcr_enc = rows[i].enc;
        s.now.quantization = rows[i].quantization;
        CHECK_EQ(open_with(NULL), ZCS_OK);
        CHECK_EQ(info.image.color.matrix, rows[i].matrix);
        CHECK_EQ(info.image.color.range, rows[i].range);
        CHECK_EQ(info.image.color.transfer, ZCS_TRANSFER_SRGB);
    }
    const struct zcs_v4l2_params wish = {.color = {.matrix = ZCS_MATRIX_BT2020}};
    CHECK_EQ(open_with(&wish), ZCS_OK);
    CHECK_EQ(info.image.color.matrix, ZCS_MATRIX_BT2020);
    CHECK_EQ(info.image.color.range, ZCS_RANGE_LIMITED);
    script_init(&s);
    s.now.xfer_func = V4L2_XFER_FUNC_OPRGB;
    CHECK_EQ(open_with(NULL), ZCS_OK);
    CHECK_EQ(info.image.color.transfer, ZCS_TRANSFER_POWER);
    CHECK_EQ(info.image.color.gamma_milli, 2200);
    s.fourccs[0] = s.now.pixelformat = V4L2_PIX_FMT_SRGGB10;
    CHECK_EQ(open_with(NULL), ZCS_OK);
    CHECK_EQ(info.image.color.transfer, ZCS_TRANSFER_LINEAR);
}

static void fields(void)
{
    static const struct {
        uint32_t field;
        zcs_status status;
    } rows[] = {{V4L2_FIELD_NONE, ZCS_OK},
                {V4L2_FIELD_INTERLACED, ZCS_OK},
                {V4L2_FIELD_INTERLACED_TB, ZCS_OK},
                {V4L2_FIELD_SEQ_TB, ZCS_ERR_UNSUPPORTED},
                {V4L2_FIELD_ALTERNATE, ZCS_ERR_UNSUPPORTED},
                {V4L2_FIELD_TOP, ZCS_ERR_UNSUPPORTED}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        script_init(&s);
        s.now.field = rows[i].field;
        CHECK_EQ(open_with(NULL), rows[i].status);
        if (rows[i].status != ZCS_OK)
            CHECK(script_logged(&log_text, "interlaced fields"));
    }
}

static void wishes_that_make_no_sense(void)
{
    static const struct zcs_v4l2_params rows[] = {
        {.fps_num = 30},
        {.width = 640},
        {.stride_bytes = (size_t)1 << 33},
        {.path = ZCS_PATH_PUSH},
        {.treat_as = ZCS_PIXFMT_MJPEG},
        {.format = (enum zcs_pixfmt)9999},
        {.control_count = 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        script_init(&s);
        CHECK_EQ(open_with(&rows[i]), ZCS_ERR_ARG);
        CHECK(log_text.text[0] != '\0');
    }
    script_init(&s);
    const struct zcs_v4l2_params input = {.input = "1"}, crop = {.crop_width = 8, .crop_height = 8};
    CHECK_EQ(open_with(&input), ZCS_ERR_UNSUPPORTED);
    CHECK(script_logged(&log_text, "no input '1'"));
    CHECK_EQ(open_with(&crop), ZCS_ERR_IO);
    CHECK(script_logged(&log_text, "VIDIOC_S_SELECTION"));
}

/* Sizes that no picture has are the driver's fault, not that of the caller's arguments. */
static void impossible_sizes(void)
{
    static const struct {
        uint32_t width, height, bytes;
    } rows[] = {{0, 48, 6144},          {64, 0, 6144},          {0, 0, 0},
                {UINT32_MAX, 48, 6144}, {64, UINT32_MAX, 6144}, {UINT32_MAX, UINT32_MAX, 6144},
                {64, 48, UINT32_MAX}};
    for (int multi = 0; multi < 2; multi++)
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            if (multi)
                script_init_multi(&s, V4L2_PIX_FMT_NV12M);
            else
                script_init(&s);
            s.stubborn = 1;
            s.now.width = rows[r].width;
            s.now.height = rows[r].height;
            s.plane_size[0] = rows[r].bytes;
            CHECK_EQ(open_with(NULL), ZCS_ERR_UNSUPPORTED);
            CHECK(script_logged(&log_text, "the driver "));
        }
}

int main(void)
{
    format_not_kept();
    fixed_driver();
    size_not_kept();
    impossible_sizes();
    strides();
    multi_planar();
    other_nodes();
    presets();
    rates();
    busy();
    colour();
    fields();
    wishes_that_make_no_sense();
    return 0;
}
