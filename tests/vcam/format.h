/* SPDX-License-Identifier: MIT */
/* Formats, sizes and rates of a virtual camera. */
#ifndef VCAM_FORMAT_H
#define VCAM_FORMAT_H

#include "vcam/camera.h"

/* How a format's bytes are laid out. */
struct vcam_pixels {
    uint32_t fourcc;
    uint8_t row_bits;   /* of a pixel in the first plane's row; 0: compressed */
    uint8_t frame_bits; /* of a pixel in the whole frame */
    uint8_t planes;     /* buffers of a frame; 2, 3: the others follow the first one's stride */
    const char *name;   /* as the kernel gives it to every driver */
};
/* Unknown formats are taken for 8 bits a pixel. */
const struct vcam_pixels *vcam_pixels_of(uint32_t fourcc);

void vcam_format_choose(const struct vcam_camera *camera, uint32_t fourcc, uint32_t width,
                        uint32_t height, struct vcam_format *out);
uint32_t vcam_frame_bytes(const struct vcam_format *format);

int vcam_enum_fmt(const struct vcam_camera *camera, struct v4l2_fmtdesc *desc);
int vcam_g_fmt(const struct vcam_camera *camera, struct v4l2_format *format);
int vcam_s_fmt(struct vcam_camera *camera, struct v4l2_format *format);
int vcam_try_fmt(const struct vcam_camera *camera, struct v4l2_format *format);
int vcam_enum_sizes(const struct vcam_camera *camera, struct v4l2_frmsizeenum *size);
int vcam_enum_rates(const struct vcam_camera *camera, struct v4l2_frmivalenum *rate);
int vcam_g_parm(const struct vcam_camera *camera, struct v4l2_streamparm *parm);
int vcam_s_parm(struct vcam_camera *camera, struct v4l2_streamparm *parm);

#endif
