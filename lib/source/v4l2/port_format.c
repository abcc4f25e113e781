/* SPDX-License-Identifier: MIT */
/* Requests about a node and what it delivers: capabilities, formats, sizes, rates, inputs, timings,
 * crop. */
#include "source/v4l2/port.h"

#include <errno.h>
#include <linux/videodev2.h>
#include <stdio.h>
#include <string.h>

_Static_assert((int)ZCI_V4L2_CS_REC709 == V4L2_COLORSPACE_REC709, "numbers of colour spaces");
_Static_assert((int)ZCI_V4L2_CS_RAW == V4L2_COLORSPACE_RAW, "numbers of colour spaces");
_Static_assert((int)ZCI_V4L2_ENC_BT2020 == V4L2_YCBCR_ENC_BT2020, "numbers of encodings");
_Static_assert((int)ZCI_V4L2_QUANT_LIMITED == V4L2_QUANTIZATION_LIM_RANGE, "numbers of ranges");
_Static_assert((int)ZCI_V4L2_XFER_NONE == V4L2_XFER_FUNC_NONE, "numbers of transfers");

int zci_v4l2_ioctl(const struct zci_v4l2_port *port, unsigned long request, void *argument)
{
    unsigned interrupted = 0;
    do {
        if (port->calls->ioctl(port->calls->user, port->fd, request, argument) >= 0)
            return 0;
    } while (errno == EINTR && interrupted++ < ZCI_V4L2_MAX_INTERRUPTED);
    return errno;
}

uint32_t zci_v4l2_buf_type(const struct zci_v4l2_port *port)
{
    return port->mplane ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE : V4L2_BUF_TYPE_VIDEO_CAPTURE;
}

static void copy_text(char *to, const unsigned char *from, size_t bytes)
{
    memcpy(to, from, bytes);
    to[bytes] = '\0';
}

int zci_v4l2_querycap(const struct zci_v4l2_port *port, struct zci_v4l2_caps *out)
{
    struct v4l2_capability got = {0};
    const int error = zci_v4l2_ioctl(port, VIDIOC_QUERYCAP, &got);
    if (error != 0)
        return error;
    const uint32_t caps =
        got.capabilities & V4L2_CAP_DEVICE_CAPS ? got.device_caps : got.capabilities;
    *out = (struct zci_v4l2_caps){
        .capture = (caps & V4L2_CAP_VIDEO_CAPTURE) != 0,
        .capture_mplane = (caps & V4L2_CAP_VIDEO_CAPTURE_MPLANE) != 0,
        .streaming = (caps & V4L2_CAP_STREAMING) != 0,
        .metadata = (caps & (V4L2_CAP_META_CAPTURE | V4L2_CAP_META_OUTPUT)) != 0,
        .output = (caps & (V4L2_CAP_VIDEO_OUTPUT | V4L2_CAP_VIDEO_OUTPUT_MPLANE)) != 0,
        .m2m = (caps & (V4L2_CAP_VIDEO_M2M | V4L2_CAP_VIDEO_M2M_MPLANE)) != 0,
    };
    copy_text(out->driver, got.driver, sizeof got.driver);
    copy_text(out->card, got.card, sizeof got.card);
    copy_text(out->bus, got.bus_info, sizeof got.bus_info);
    return 0;
}

int zci_v4l2_enum_fmt(const struct zci_v4l2_port *port, uint32_t index,
                      struct zci_v4l2_fmtdesc *out)
{
    struct v4l2_fmtdesc got = {.index = index, .type = zci_v4l2_buf_type(port)};
    const int error = zci_v4l2_ioctl(port, VIDIOC_ENUM_FMT, &got);
    if (error != 0)
        return error;
    *out = (struct zci_v4l2_fmtdesc){.fourcc = got.pixelformat,
                                     .emulated = (got.flags & V4L2_FMT_FLAG_EMULATED) != 0};
    copy_text(out->description, got.description, sizeof got.description);
    return 0;
}

static enum zci_v4l2_field field_of(uint32_t field)
{
    switch (field) {
    case V4L2_FIELD_SEQ_TB:
    case V4L2_FIELD_SEQ_BT:
        return ZCI_V4L2_FIELD_SEQUENTIAL;
    case V4L2_FIELD_TOP:
    case V4L2_FIELD_BOTTOM:
    case V4L2_FIELD_ALTERNATE:
        return ZCI_V4L2_FIELD_ALTERNATE;
    default:
        return ZCI_V4L2_FIELD_FRAME;
    }
}

static void read_single(const struct v4l2_pix_format *pix, struct zci_v4l2_format *out)
{
    *out = (struct zci_v4l2_format){
        .fourcc = pix->pixelformat,
        .width = pix->width,
        .height = pix->height,
        .field = field_of(pix->field),
        .planes = 1,
        .stride_bytes = {pix->bytesperline},
        .size_bytes = {pix->sizeimage},
        .colorspace = pix->colorspace,
        .ycbcr_enc = pix->ycbcr_enc,
        .quantization = pix->quantization,
        .xfer_func = pix->xfer_func,
    };
}

static void read_multi(const struct v4l2_pix_format_mplane *pix, struct zci_v4l2_format *out)
{
    *out = (struct zci_v4l2_format){
        .fourcc = pix->pixelformat,
        .width = pix->width,
        .height = pix->height,
        .field = field_of(pix->field),
        .planes = pix->num_planes < VIDEO_MAX_PLANES ? pix->num_planes : VIDEO_MAX_PLANES,
        .colorspace = pix->colorspace,
        .ycbcr_enc = pix->ycbcr_enc,
        .quantization = pix->quantization,
        .xfer_func = pix->xfer_func,
    };
    for (uint32_t p = 0; p < out->planes; p++) {
        out->stride_bytes[p] = pix->plane_fmt[p].bytesperline;
        out->size_bytes[p] = pix->plane_fmt[p].sizeimage;
    }
}

static int format_request(const struct zci_v4l2_port *port, unsigned long request,
                          struct v4l2_format *format, struct zci_v4l2_format *out)
{
    const int error = zci_v4l2_ioctl(port, request, format);
    if (error == 0 && port->mplane)
        read_multi(&format->fmt.pix_mp, out);
    else if (error == 0)
        read_single(&format->fmt.pix, out);
    return error;
}

int zci_v4l2_get_format(const struct zci_v4l2_port *port, struct zci_v4l2_format *out)
{
    struct v4l2_format format = {.type = zci_v4l2_buf_type(port)};
    return format_request(port, VIDIOC_G_FMT, &format, out);
}

static int put_format(const struct zci_v4l2_port *port, unsigned long request,
                      struct zci_v4l2_format *inout)
{
    struct v4l2_format format = {.type = zci_v4l2_buf_type(port)};
    if (port->mplane) {
        struct v4l2_pix_format_mplane *pix = &format.fmt.pix_mp;
        pix->pixelformat = inout->fourcc;
        pix->width = inout->width;
        pix->height = inout->height;
        pix->field = V4L2_FIELD_NONE;
        pix->num_planes = (uint8_t)inout->planes;
        for (uint32_t p = 0; p < inout->planes; p++)
            pix->plane_fmt[p].bytesperline = inout->stride_bytes[p];
    } else {
        struct v4l2_pix_format *pix = &format.fmt.pix;
        pix->pixelformat = inout->fourcc;
        pix->width = inout->width;
        pix->height = inout->height;
        pix->field = V4L2_FIELD_NONE;
        pix->bytesperline = inout->stride_bytes[0];
    }
    return format_request(port, request, &format, inout);
}

int zci_v4l2_set_format(const struct zci_v4l2_port *port, struct zci_v4l2_format *inout)
{
    return put_format(port, VIDIOC_S_FMT, inout);
}

int zci_v4l2_try_format(const struct zci_v4l2_port *port, struct zci_v4l2_format *inout)
{
    return put_format(port, VIDIOC_TRY_FMT, inout);
}

static int rate_request(const struct zci_v4l2_port *port, unsigned long request,
                        struct v4l2_streamparm *parm, uint32_t *num, uint32_t *den)
{
    const int error = zci_v4l2_ioctl(port, request, parm);
    if (error != 0)
        return error;
    const struct v4l2_fract *period = &parm->parm.capture.timeperframe;
    const int known = (parm->parm.capture.capability & V4L2_CAP_TIMEPERFRAME) != 0 &&
                      period->numerator != 0 && period->denominator != 0;
    *num = known ? period->denominator : 0;
    *den = known ? period->numerator : 0;
    return 0;
}

int zci_v4l2_get_rate(const struct zci_v4l2_port *port, uint32_t *num, uint32_t *den)
{
    struct v4l2_streamparm parm = {.type = zci_v4l2_buf_type(port)};
    return rate_request(port, VIDIOC_G_PARM, &parm, num, den);
}

int zci_v4l2_set_rate(const struct zci_v4l2_port *port, uint32_t *num, uint32_t *den)
{
    struct v4l2_streamparm parm = {.type = zci_v4l2_buf_type(port)};
    parm.parm.capture.timeperframe = (struct v4l2_fract){.numerator = *den, .denominator = *num};
    return rate_request(port, VIDIOC_S_PARM, &parm, num, den);
}

int zci_v4l2_enum_input(const struct zci_v4l2_port *port, uint32_t index,
                        struct zci_v4l2_input *out)
{
    struct v4l2_input got = {.index = index};
    const int error = zci_v4l2_ioctl(port, VIDIOC_ENUMINPUT, &got);
    if (error != 0)
        return error;
    *out = (struct zci_v4l2_input){
        .has_timings = (got.capabilities & V4L2_IN_CAP_DV_TIMINGS) != 0,
        .no_signal = (got.status & (V4L2_IN_ST_NO_POWER | V4L2_IN_ST_NO_SIGNAL |
                                    V4L2_IN_ST_NO_H_LOCK | V4L2_IN_ST_NO_SYNC)) != 0,
    };
    copy_text(out->name, got.name, sizeof got.name);
    return 0;
}

int zci_v4l2_get_input(const struct zci_v4l2_port *port, uint32_t *index)
{
    int got = 0;
    const int error = zci_v4l2_ioctl(port, VIDIOC_G_INPUT, &got);
    *index = (uint32_t)got;
    return error;
}

int zci_v4l2_set_input(const struct zci_v4l2_port *port, uint32_t index)
{
    int wanted = (int)index;
    return zci_v4l2_ioctl(port, VIDIOC_S_INPUT, &wanted);
}

int zci_v4l2_query_dv_timings(const struct zci_v4l2_port *port)
{
    struct v4l2_dv_timings timings = {0};
    return zci_v4l2_ioctl(port, VIDIOC_QUERY_DV_TIMINGS, &timings);
}

int zci_v4l2_apply_dv_timings(const struct zci_v4l2_port *port, uint32_t *fps_num,
                              uint32_t *fps_den)
{
    struct v4l2_dv_timings timings = {0};
    int error = zci_v4l2_ioctl(port, VIDIOC_QUERY_DV_TIMINGS, &timings);
    if (error == 0)
        error = zci_v4l2_ioctl(port, VIDIOC_S_DV_TIMINGS, &timings);
    if (error != 0)
        return error;
    const struct v4l2_bt_timings *bt = &timings.bt;
    const uint64_t total = (uint64_t)V4L2_DV_BT_FRAME_WIDTH(bt) * V4L2_DV_BT_FRAME_HEIGHT(bt);
    const uint64_t milli = total > 0 ? bt->pixelclock * 1000 / total : 0;
    *fps_num = milli < UINT32_MAX ? (uint32_t)milli : 0;
    *fps_den = *fps_num > 0 ? 1000 : 0;
    return 0;
}

int zci_v4l2_set_crop(const struct zci_v4l2_port *port, struct zci_v4l2_rect *inout)
{
    /* VIDIOC_S_SELECTION takes the single-planar type for both APIs. */
    struct v4l2_selection crop = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
                                  .target = V4L2_SEL_TGT_CROP,
                                  .r = {.left = (int32_t)inout->x,
                                        .top = (int32_t)inout->y,
                                        .width = inout->width,
                                        .height = inout->height}};
    const int error = zci_v4l2_ioctl(port, VIDIOC_S_SELECTION, &crop);
    if (error == 0)
        *inout = (struct zci_v4l2_rect){(uint32_t)crop.r.left, (uint32_t)crop.r.top, crop.r.width,
                                        crop.r.height};
    return error;
}

uint32_t zci_v4l2_min_buffers(const struct zci_v4l2_port *port)
{
    struct v4l2_control control = {.id = V4L2_CID_MIN_BUFFERS_FOR_CAPTURE};
    if (zci_v4l2_ioctl(port, VIDIOC_G_CTRL, &control) != 0 || control.value < 0)
        return 0;
    return control.value < ZCI_V4L2_MAX_BUFFERS ? (uint32_t)control.value : ZCI_V4L2_MAX_BUFFERS;
}

const char *zci_v4l2_get_exposure(const struct zci_v4l2_port *port, int64_t *value)
{
    static const struct {
        uint32_t id;
        const char *name;
    } kinds[] = {{V4L2_CID_EXPOSURE_ABSOLUTE, "exposure_time_absolute"},
                 {V4L2_CID_EXPOSURE, "exposure"}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct v4l2_control control = {.id = kinds[i].id};
        if (zci_v4l2_ioctl(port, VIDIOC_G_CTRL, &control) != 0)
            continue;
        *value = control.value;
        return kinds[i].name;
    }
    return NULL;
}

int zci_v4l2_enum_framesizes(const struct zci_v4l2_port *port, uint32_t fourcc, uint32_t index,
                             struct zcs_camera_size *out)
{
    struct v4l2_frmsizeenum got = {.index = index, .pixel_format = fourcc};
    const int error = zci_v4l2_ioctl(port, VIDIOC_ENUM_FRAMESIZES, &got);
    if (error != 0)
        return error;
    if (got.type == V4L2_FRMSIZE_TYPE_DISCRETE) {
        *out = (struct zcs_camera_size){.min_width = got.discrete.width,
                                        .max_width = got.discrete.width,
                                        .min_height = got.discrete.height,
                                        .max_height = got.discrete.height};
        return 0;
    }
    if (index > 0) /* a range is the only entry */
        return EINVAL;
    const int every = got.type == V4L2_FRMSIZE_TYPE_CONTINUOUS;
    *out = (struct zcs_camera_size){
        .min_width = got.stepwise.min_width,
        .max_width = got.stepwise.max_width,
        .step_width = every ? 1 : got.stepwise.step_width,
        .min_height = got.stepwise.min_height,
        .max_height = got.stepwise.max_height,
        .step_height = every ? 1 : got.stepwise.step_height,
    };
    return 0;
}

int zci_v4l2_enum_frameintervals(const struct zci_v4l2_port *port, uint32_t fourcc, uint32_t width,
                                 uint32_t height, uint32_t index, struct zcs_camera_rate *out)
{
    struct v4l2_frmivalenum got = {
        .index = index, .pixel_format = fourcc, .width = width, .height = height};
    const int error = zci_v4l2_ioctl(port, VIDIOC_ENUM_FRAMEINTERVALS, &got);
    if (error != 0)
        return error;
    if (got.type != V4L2_FRMIVAL_TYPE_DISCRETE && index > 0)
        return EINVAL;
    const int one = got.type == V4L2_FRMIVAL_TYPE_DISCRETE;
    const struct v4l2_fract *longest = one ? &got.discrete : &got.stepwise.max;
    const struct v4l2_fract *shortest = one ? &got.discrete : &got.stepwise.min;
    *out = (struct zcs_camera_rate){.min_num = longest->denominator,
                                    .min_den = longest->numerator,
                                    .max_num = shortest->denominator,
                                    .max_den = shortest->numerator};
    return 0;
}
