/* SPDX-License-Identifier: MIT */
/* Answers what is asked of formats, sizes and rates, as a driver with discrete ones does. */
#include "vcam/format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct vcam_pixels table[] = {
    {V4L2_PIX_FMT_YUYV, 16, 16, 1, "YUYV 4:2:2"},
    {V4L2_PIX_FMT_UYVY, 16, 16, 1, "UYVY 4:2:2"},
    {V4L2_PIX_FMT_YVYU, 16, 16, 1, "YVYU 4:2:2"},
    {V4L2_PIX_FMT_VYUY, 16, 16, 1, "VYUY 4:2:2"},
    {V4L2_PIX_FMT_GREY, 8, 8, 1, "8-bit Greyscale"},
    {V4L2_PIX_FMT_Y10, 16, 16, 1, "10-bit Greyscale"},
    {V4L2_PIX_FMT_Y12, 16, 16, 1, "12-bit Greyscale"},
    {V4L2_PIX_FMT_Y14, 16, 16, 1, "14-bit Greyscale"},
    {V4L2_PIX_FMT_Y16, 16, 16, 1, "16-bit Greyscale"},
    {V4L2_PIX_FMT_Y10P, 10, 10, 1, "10-bit Greyscale (MIPI Packed)"},
    {V4L2_PIX_FMT_SRGGB8, 8, 8, 1, "8-bit Bayer RGRG/GBGB"},
    {V4L2_PIX_FMT_SGRBG8, 8, 8, 1, "8-bit Bayer GRGR/BGBG"},
    {V4L2_PIX_FMT_SGBRG8, 8, 8, 1, "8-bit Bayer GBGB/RGRG"},
    {V4L2_PIX_FMT_SBGGR8, 8, 8, 1, "8-bit Bayer BGBG/GRGR"},
    {V4L2_PIX_FMT_SRGGB10, 16, 16, 1, "10-bit Bayer RGRG/GBGB"},
    {V4L2_PIX_FMT_SRGGB12, 16, 16, 1, "12-bit Bayer RGRG/GBGB"},
    {V4L2_PIX_FMT_SRGGB10P, 10, 10, 1, "10-bit Bayer RGRG/GBGB Packed"},
    {V4L2_PIX_FMT_SGRBG10P, 10, 10, 1, "10-bit Bayer GRGR/BGBG Packed"},
    {V4L2_PIX_FMT_SGBRG10P, 10, 10, 1, "10-bit Bayer GBGB/RGRG Packed"},
    {V4L2_PIX_FMT_SBGGR10P, 10, 10, 1, "10-bit Bayer BGBG/GRGR Packed"},
    {V4L2_PIX_FMT_SRGGB12P, 12, 12, 1, "12-bit Bayer RGRG/GBGB Packed"},
    {V4L2_PIX_FMT_RGB24, 24, 24, 1, "24-bit RGB 8-8-8"},
    {V4L2_PIX_FMT_BGR24, 24, 24, 1, "24-bit BGR 8-8-8"},
    {V4L2_PIX_FMT_XBGR32, 32, 32, 1, "32-bit BGRX 8-8-8-8"},
    {V4L2_PIX_FMT_NV12, 8, 12, 1, "Y/CbCr 4:2:0"},
    {V4L2_PIX_FMT_NV16, 8, 16, 1, "Y/CbCr 4:2:2"},
    {V4L2_PIX_FMT_YUV420, 8, 12, 1, "Planar YUV 4:2:0"},
    {V4L2_PIX_FMT_YVU420, 8, 12, 1, "Planar YVU 4:2:0"},
    {V4L2_PIX_FMT_NV12M, 8, 12, 2, "Y/CbCr 4:2:0 (N-C)"},
    {V4L2_PIX_FMT_MJPEG, 0, 16, 1, "Motion-JPEG"},
    {V4L2_PIX_FMT_JPEG, 0, 16, 1, "JFIF JPEG"},
    {V4L2_PIX_FMT_H264, 0, 16, 1, "H.264"},
};

const struct vcam_pixels *vcam_pixels_of(uint32_t fourcc)
{
    static const struct vcam_pixels other = {0, 8, 8, 1, "Other"};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].fourcc == fourcc)
            return &table[i];
    return &other;
}

/* What a control that mirrors the sensor makes of its order of colours. */
static uint32_t flipped(const struct vcam_camera *camera, uint32_t fourcc)
{
    const struct vcam_script *s = camera->script;
    for (uint32_t i = 0; i < s->control_count; i++)
        if (s->controls[i].flipped != 0 && camera->control[i] != 0)
            fourcc = s->controls[i].flipped;
    return fourcc;
}

static uint32_t distance(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

static const struct vcam_mode *nearest(const struct vcam_script *s, uint32_t fourcc, uint32_t width,
                                       uint32_t height)
{
    const struct vcam_mode *best = NULL;
    uint32_t min = UINT32_MAX;
    for (uint32_t i = 0; i < s->mode_count; i++) {
        const struct vcam_mode *mode = &s->modes[i];
        const uint32_t far = distance(mode->width, width) + distance(mode->height, height);
        if (mode->fourcc == fourcc && far < min) {
            best = mode;
            min = far;
        }
    }
    return best;
}

void vcam_format_choose(const struct vcam_camera *camera, uint32_t fourcc, uint32_t width,
                        uint32_t height, struct vcam_format *out)
{
    const struct vcam_script *s = camera->script;
    const struct vcam_mode *mode = nearest(s, fourcc, width, height);
    if (mode == NULL)
        mode = nearest(s, s->modes[0].fourcc, width, height);
    if (s->stubborn || mode == NULL)
        mode = &s->modes[0];
    if (camera->signal != NULL)
        mode = camera->signal;
    const struct vcam_pixels *pixels = vcam_pixels_of(mode->fourcc);
    *out = (struct vcam_format){.fourcc = flipped(camera, mode->fourcc),
                                .width = mode->width,
                                .height = mode->height,
                                .planes = s->multi ? pixels->planes : 1};
    out->stride = s->stride != 0 ? s->stride : (mode->width * pixels->row_bits + 7) / 8;
    const uint32_t rows = out->stride * mode->height;
    const uint32_t rest =
        pixels->row_bits != 0
            ? rows * (uint32_t)(pixels->frame_bits - pixels->row_bits) / pixels->row_bits
            : mode->width * mode->height * 2;
    out->size[0] = out->planes == 1 ? rows + rest : rows;
    for (uint32_t p = 0; p < out->planes; p++)
        out->stride_of[p] = out->stride;
    for (uint32_t p = 1; p < out->planes; p++)
        out->size[p] = rest / (out->planes - 1);
    if (s->size != 0)
        out->size[0] = s->size;
}

uint32_t vcam_frame_bytes(const struct vcam_format *format)
{
    uint32_t bytes = 0;
    for (uint32_t p = 0; p < format->planes; p++)
        bytes += format->size[p];
    return bytes;
}

static uint32_t queue_type(const struct vcam_camera *camera)
{
    return camera->script->multi ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE : V4L2_BUF_TYPE_VIDEO_CAPTURE;
}

/* The place-th of the formats, each counted once; 0: no more. */
static uint32_t format_at(const struct vcam_script *s, uint32_t place)
{
    for (uint32_t i = 0; i < s->mode_count; i++) {
        uint32_t before = 0;
        while (s->modes[before].fourcc != s->modes[i].fourcc)
            before++;
        if (before == i && place-- == 0)
            return s->modes[i].fourcc;
    }
    return 0;
}

int vcam_enum_fmt(const struct vcam_camera *camera, struct v4l2_fmtdesc *desc)
{
    const uint32_t fourcc =
        desc->type == queue_type(camera) ? format_at(camera->script, desc->index) : 0;
    if (fourcc == 0)
        return -EINVAL;
    desc->flags = vcam_pixels_of(fourcc)->row_bits == 0 ? V4L2_FMT_FLAG_COMPRESSED : 0;
    desc->pixelformat = flipped(camera, fourcc);
    memset(desc->description, 0, sizeof desc->description);
    snprintf((char *)desc->description, sizeof desc->description, "%s",
             vcam_pixels_of(desc->pixelformat)->name);
    memset(desc->reserved, 0, sizeof desc->reserved);
    return 0;
}

static void tell_multi(const struct vcam_script *s, const struct vcam_format *from,
                       struct v4l2_pix_format_mplane *to)
{
    memset(to, 0, sizeof *to);
    to->width = from->width;
    to->height = from->height;
    to->pixelformat = from->fourcc;
    to->field = s->field != 0 ? s->field : V4L2_FIELD_NONE;
    to->num_planes = (uint8_t)from->planes;
    to->colorspace = s->color[0];
    to->ycbcr_enc = (uint8_t)s->color[1];
    to->quantization = (uint8_t)s->color[2];
    to->xfer_func = (uint8_t)s->color[3];
    for (uint32_t p = 0; p < from->planes; p++) {
        to->plane_fmt[p].bytesperline = s->no_stride ? 0 : from->stride_of[p];
        to->plane_fmt[p].sizeimage = from->size[p];
    }
}

static void tell(const struct vcam_script *s, const struct vcam_format *from,
                 struct v4l2_format *out)
{
    if (s->multi) {
        tell_multi(s, from, &out->fmt.pix_mp);
        return;
    }
    out->fmt.pix = (struct v4l2_pix_format){
        .width = from->width,
        .height = from->height,
        .pixelformat = from->fourcc,
        .field = s->field != 0 ? s->field : V4L2_FIELD_NONE,
        .bytesperline = s->no_stride ? 0 : from->stride,
        .sizeimage = from->size[0],
        .colorspace = s->color[0],
        .priv = V4L2_PIX_FMT_PRIV_MAGIC,
        .ycbcr_enc = s->color[1],
        .quantization = s->color[2],
        .xfer_func = s->color[3],
    };
}

int vcam_g_fmt(const struct vcam_camera *camera, struct v4l2_format *format)
{
    if (format->type != queue_type(camera))
        return -EINVAL;
    tell(camera->script, &camera->format, format);
    return 0;
}

static void choose_asked(const struct vcam_camera *camera, const struct v4l2_format *asked,
                         struct vcam_format *out)
{
    if (camera->script->multi)
        vcam_format_choose(camera, asked->fmt.pix_mp.pixelformat, asked->fmt.pix_mp.width,
                           asked->fmt.pix_mp.height, out);
    else
        vcam_format_choose(camera, asked->fmt.pix.pixelformat, asked->fmt.pix.width,
                           asked->fmt.pix.height, out);
}

int vcam_try_fmt(const struct vcam_camera *camera, struct v4l2_format *format)
{
    struct vcam_format chosen;
    if (format->type != queue_type(camera))
        return -EINVAL;
    choose_asked(camera, format, &chosen);
    tell(camera->script, &chosen, format);
    return 0;
}

int vcam_s_fmt(struct vcam_camera *camera, struct v4l2_format *format)
{
    if (format->type != queue_type(camera))
        return -EINVAL;
    if (camera->count > 0)
        return -EBUSY;
    choose_asked(camera, format, &camera->format);
    tell(camera->script, &camera->format, format);
    return 0;
}

int vcam_enum_sizes(const struct vcam_camera *camera, struct v4l2_frmsizeenum *size)
{
    const struct vcam_script *s = camera->script;
    uint32_t place = size->index;
    for (uint32_t i = 0; i < s->mode_count; i++) {
        if (flipped(camera, s->modes[i].fourcc) != size->pixel_format || place-- != 0)
            continue;
        size->type = V4L2_FRMSIZE_TYPE_DISCRETE;
        size->discrete.width = s->modes[i].width;
        size->discrete.height = s->modes[i].height;
        memset(size->reserved, 0, sizeof size->reserved);
        return 0;
    }
    return -EINVAL;
}

static const struct vcam_mode *mode_of(const struct vcam_camera *camera, uint32_t fourcc,
                                       uint32_t width, uint32_t height)
{
    const struct vcam_script *s = camera->script;
    for (uint32_t i = 0; i < s->mode_count; i++)
        if (flipped(camera, s->modes[i].fourcc) == fourcc && s->modes[i].width == width &&
            s->modes[i].height == height)
            return &s->modes[i];
    return NULL;
}

int vcam_enum_rates(const struct vcam_camera *camera, struct v4l2_frmivalenum *rate)
{
    const struct vcam_mode *mode = mode_of(camera, rate->pixel_format, rate->width, rate->height);
    if (camera->script->no_rate)
        return -ENOTTY;
    if (mode == NULL || rate->index >= mode->fps_count)
        return -EINVAL;
    rate->type = V4L2_FRMIVAL_TYPE_DISCRETE;
    rate->discrete = (struct v4l2_fract){1, mode->fps[rate->index]};
    memset(rate->reserved, 0, sizeof rate->reserved);
    return 0;
}

int vcam_g_parm(const struct vcam_camera *camera, struct v4l2_streamparm *parm)
{
    if (camera->script->no_rate)
        return -ENOTTY;
    if (parm->type != queue_type(camera))
        return -EINVAL;
    memset(&parm->parm, 0, sizeof parm->parm);
    parm->parm.capture.capability = V4L2_CAP_TIMEPERFRAME;
    parm->parm.capture.timeperframe = (struct v4l2_fract){1, camera->fps};
    return 0;
}

/* The rate of the mode that is nearest; 0/0 asks for the first. */
int vcam_s_parm(struct vcam_camera *camera, struct v4l2_streamparm *parm)
{
    const struct v4l2_fract asked = parm->parm.capture.timeperframe;
    const struct vcam_format *now = &camera->format;
    const struct vcam_mode *mode = mode_of(camera, now->fourcc, now->width, now->height);
    if (camera->script->no_rate)
        return -ENOTTY;
    if (parm->type != queue_type(camera))
        return -EINVAL;
    if (camera->streaming)
        return -EBUSY;
    if (mode != NULL && mode->fps_count > 0) {
        const uint32_t wanted = asked.numerator != 0 ? asked.denominator / asked.numerator : 0;
        camera->fps = mode->fps[0];
        for (uint32_t i = 0; wanted != 0 && i < mode->fps_count; i++)
            if (distance(mode->fps[i], wanted) < distance(camera->fps, wanted))
                camera->fps = mode->fps[i];
    }
    return vcam_g_parm(camera, parm);
}
