/* SPDX-License-Identifier: MIT */
/* Requests that list what a node offers: sizes, rates, names of formats, and formats on trial. */
#include "source/v4l2/port_list.h"

#include <errno.h>
#include <linux/videodev2.h>
#include <stdio.h>

int zci_v4l2_list_size(const struct zci_v4l2_port *port, uint32_t fourcc, uint32_t index,
                       struct zcs_camera_size *out)
{
    struct v4l2_frmsizeenum got = {.index = index, .pixel_format = fourcc};
    const int error = zci_v4l2_ask(port, VIDIOC_ENUM_FRAMESIZES, &got);
    if (error != 0)
        return error;
    if (got.type == V4L2_FRMSIZE_TYPE_DISCRETE) {
        *out = (struct zcs_camera_size){.min_width = got.discrete.width,
                                        .max_width = got.discrete.width,
                                        .min_height = got.discrete.height,
                                        .max_height = got.discrete.height};
        return 0;
    }
    if (index > 0) /* there is one range only */
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

int zci_v4l2_list_rate(const struct zci_v4l2_port *port, uint32_t fourcc, uint32_t width,
                       uint32_t height, uint32_t index, struct zcs_camera_rate *out)
{
    struct v4l2_frmivalenum got = {
        .index = index, .pixel_format = fourcc, .width = width, .height = height};
    const int error = zci_v4l2_ask(port, VIDIOC_ENUM_FRAMEINTERVALS, &got);
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

int zci_v4l2_format_text(const struct zci_v4l2_port *port, uint32_t index, char *text)
{
    struct v4l2_fmtdesc got = {.index = index, .type = zci_v4l2_buf_type(port)};
    const int error = zci_v4l2_ask(port, VIDIOC_ENUM_FMT, &got);
    if (error == 0)
        snprintf(text, 33, "%.32s", (const char *)got.description);
    return error;
}
