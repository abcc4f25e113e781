/* SPDX-License-Identifier: MIT */
/* V4L2's colour fields, their defaults resolved by its rules. SMPTE 240M is taken for its near kin BT.709,
 * constant-luminance BT.2020 for the ordinary one. */
#include "source/v4l2/color.h"

static enum zcs_matrix matrix_of(const struct zci_v4l2_format *format)
{
    switch (format->ycbcr_enc) {
    case 0:
        break;
    case ZCI_V4L2_ENC_709:
    case ZCI_V4L2_ENC_XV709:
    case ZCI_V4L2_ENC_SMPTE240M:
        return ZCS_MATRIX_BT709;
    case ZCI_V4L2_ENC_BT2020:
    case ZCI_V4L2_ENC_BT2020_CONST:
        return ZCS_MATRIX_BT2020;
    default:
        return ZCS_MATRIX_BT601;
    }
    switch (format->colorspace) {
    case ZCI_V4L2_CS_REC709:
    case ZCI_V4L2_CS_DCI_P3:
    case ZCI_V4L2_CS_SMPTE240M:
        return ZCS_MATRIX_BT709;
    case ZCI_V4L2_CS_BT2020:
        return ZCS_MATRIX_BT2020;
    default:
        return ZCS_MATRIX_BT601;
    }
}

static enum zcs_range range_of(const struct zci_v4l2_format *format)
{
    /* xvYCC's codes are limited by definition, whatever range is told with it. */
    if (format->ycbcr_enc == ZCI_V4L2_ENC_XV601 || format->ycbcr_enc == ZCI_V4L2_ENC_XV709)
        return ZCS_RANGE_LIMITED;
    if (format->quantization == ZCI_V4L2_QUANT_FULL)
        return ZCS_RANGE_FULL;
    if (format->quantization == ZCI_V4L2_QUANT_LIMITED)
        return ZCS_RANGE_LIMITED;
    return format->colorspace == ZCI_V4L2_CS_JPEG ? ZCS_RANGE_FULL : ZCS_RANGE_LIMITED;
}

/* Of pictures made for display. The video curves are shown through sRGB's everywhere, so they are named
 * by it. */
static void set_transfer(const struct zci_v4l2_format *format, struct zcs_color *color)
{
    const int by_space = format->xfer_func == 0;
    color->transfer = ZCS_TRANSFER_SRGB;
    if (format->xfer_func == ZCI_V4L2_XFER_NONE ||
        (by_space && format->colorspace == ZCI_V4L2_CS_RAW)) {
        color->transfer = ZCS_TRANSFER_LINEAR;
    } else if (format->xfer_func == ZCI_V4L2_XFER_OPRGB ||
               (by_space && format->colorspace == ZCI_V4L2_CS_OPRGB)) {
        color->transfer = ZCS_TRANSFER_POWER;
        color->gamma_milli = 2200;
    }
}

struct zcs_color zci_v4l2_color(const struct zci_v4l2_format *format, enum zcs_pixfmt pixfmt,
                                struct zcs_color wanted)
{
    const struct zcs_pixfmt_info *info = zcs_pixfmt_info(pixfmt);
    struct zcs_color color = wanted;
    if (info == NULL)
        return color;
    const int yuv = info->model == ZCS_MODEL_YUV;
    if (color.matrix == ZCS_MATRIX_AUTO && yuv)
        color.matrix = matrix_of(format);
    if (color.range == ZCS_RANGE_AUTO && yuv)
        color.range = range_of(format);
    /* Sensor data is linear whatever a driver fills in. */
    const int sensor = info->model == ZCS_MODEL_BAYER || (info->bits > 8 && !yuv);
    if (color.transfer == ZCS_TRANSFER_AUTO && !sensor)
        set_transfer(format, &color);
    return color;
}
